// The borders between the areas of src/ hold in what esbuild really bundled, and files stay small.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { areaOf, areas, violation } from '../../scripts/lib/boundaries.mjs';

interface Input {
	imports: { path: string; external?: boolean; original?: string }[];
}

type Inputs = Record<string, Input>;

interface Metafile {
	inputs: Inputs;
	outputs: Record<string, { inputs: Record<string, unknown> }>;
}

const maximumLines = 600;

/** Areas that run anywhere: no vscode, no Node modules, no npm packages. */
const pureAreas = ['util', 'protocol', 'agent', 'config', 'session', 'extensibility'];

describe('boundaries', () => {
	const { inputs, outputs } = JSON.parse(readFileSync('out/meta.json', 'utf8')) as Metafile;

	it('finds the entry points in the bundle', () => {
		for (const entry of ['src/core.ts', 'src/cli.ts', 'src/extension.ts']) {
			assert.ok(inputs[entry], `${entry} is missing from out/meta.json`);
		}
	});

	it('keeps the encoding in a file of its own, which ships', () => {
		const holders = Object.keys(outputs).filter((file) =>
			Object.keys(outputs[file]?.inputs ?? {}).some((input) => input.includes('gpt-tokenizer')),
		);
		assert.deepEqual(holders, ['dist/o200k.js']);
		const shipped = readFileSync('.vscodeignore', 'utf8').split('\n');
		for (const file of ['dist/o200k.js', 'dist/tokenizer-worker.js']) {
			assert.ok(outputs[file], `${file} is not built`);
			assert.ok(shipped.includes(`!${file}`), `${file} does not ship`);
		}
	});

	for (const entry of ['src/core.ts', 'src/cli.ts']) {
		it(`reaches vscode from nothing behind ${entry}`, () => {
			assert.deepEqual(pathsToVscode(inputs, entry), []);
		});
	}

	it('lets every area import only what the table allows', () => {
		assert.deepEqual(tableViolations(inputs), []);
	});

	it('keeps the pure areas pure in the table itself', () => {
		for (const name of pureAreas) {
			const { node, packages, vscode } = areas[name] ?? {};
			assert.deepEqual([name, node, packages, vscode], [name, undefined, undefined, undefined]);
		}
	});

	it(`has no source file over ${maximumLines} lines`, () => {
		const long = readdirSync('src', { recursive: true, encoding: 'utf8' })
			.filter((file) => /\.tsx?$/.test(file))
			.map((file) => ({ file, lines: countLines(path.join('src', file)) }))
			.filter(({ lines }) => lines > maximumLines)
			.map(({ file, lines }) => `src/${file}: ${lines} lines`);
		assert.deepEqual(long, []);
	});

	describe('can fail', () => {
		it('names the whole path to vscode', () => {
			const found = pathsToVscode(
				{
					'src/core.ts': importing('src/session/a.ts'),
					'src/session/a.ts': importing('src/util/b.ts', 'src/core.ts'),
					'src/util/b.ts': { imports: [{ path: 'vscode', external: true }] },
				},
				'src/core.ts',
			);
			assert.deepEqual(found, ['src/core.ts → src/session/a.ts → src/util/b.ts → vscode']);
		});

		it('names the file and its import', () => {
			const found = tableViolations({
				'src/util/a.ts': importing('src/agent/b.ts', 'prompts/x.md'),
				'src/session/c.ts': { imports: [{ path: 'node:fs', external: true }] },
				'src/agent/d.ts': importing('node_modules/openai/index.js'),
				'src/host/e.ts': importing('src/webview/main.tsx'),
				'src/elsewhere/f.ts': importing('src/util/a.ts'),
			});
			assert.deepEqual(found, [
				'src/util/a.ts imports src/agent/b.ts: util may not import agent',
				'src/session/c.ts imports node:fs: session may not import Node modules (node:fs)',
				'src/agent/d.ts imports openai: agent may not import npm packages (openai)',
				'src/host/e.ts imports src/webview/main.tsx: host may not import webview',
				'src/elsewhere/f.ts imports src/util/a.ts: "elsewhere" is no area of the house: ' +
					'add it to scripts/lib/boundaries.mjs',
			]);
		});

		it('tells types from values', () => {
			const found = { from: 'session/agent-session.ts', to: 'extensibility/hooks/types.ts' };
			assert.equal(violation({ ...found, inside: true, typeOnly: true }), undefined);
			assert.match(violation({ ...found, inside: true }) ?? '', /types are allowed/);
		});
	});
});

/** Every chain of imports from an entry to vscode, written out. */
function pathsToVscode(inputs: Inputs, entry: string): string[] {
	const found: string[] = [];
	const seen = new Set<string>();
	const visit = (file: string, chain: string[]): void => {
		if (file === 'vscode') {
			found.push([...chain, file].join(' → '));
		} else if (!seen.has(file)) {
			seen.add(file);
			inputs[file]?.imports.forEach((each) => visit(each.path, [...chain, file]));
		}
	};
	visit(entry, []);
	return found;
}

function tableViolations(inputs: Inputs): string[] {
	return Object.entries(inputs)
		.filter(([file]) => file.startsWith('src/') && areaOf(below(file)) !== 'prompts')
		.flatMap(([file, { imports }]) =>
			imports.flatMap((each) => {
				const target = targetOf(each);
				const reason = target && violation({ from: below(file), ...target });
				return reason ? [`${file} imports ${target.shown}: ${reason}`] : [];
			}),
		);
}

/** What an import of the metafile is for the table; undefined for text, which all may use. */
function targetOf({
	path: file,
	external,
}: Input['imports'][number]): { to: string; inside: boolean; shown: string } | undefined {
	if (file.startsWith('src/')) {
		return { to: below(file), inside: true, shown: file };
	}
	const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file;
	if (name === file && !external && !isBuiltin(file)) {
		return undefined;
	}
	return { to: name, inside: false, shown: name };
}

function importing(...files: string[]): Input {
	return { imports: files.map((file) => ({ path: file })) };
}

function below(file: string): string {
	return file.slice('src/'.length);
}

function countLines(file: string): number {
	return readFileSync(file, 'utf8').split('\n').length - 1;
}
