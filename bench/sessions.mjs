// Generated sessions to measure with: the text is this project's own source, so that lines hold what
// real ones hold; a branch about every 50 entries and a few compactions, as in long real sessions.
import {
	createWriteStream,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
} from 'node:fs';
import path from 'node:path';
import { outDir, root } from '../scripts/lib/paths.mjs';

const folder = path.join(outDir, 'bench');
const usage = {
	...{ input: 900, output: 120, cacheRead: 0, cacheWrite: 0, totalTokens: 1020 },
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Makes sure that a session of `entries` entries is there; returns its path. */
export async function sessionOf(entries) {
	const file = path.join(folder, `session-${entries}.jsonl`);
	if (existsSync(file)) return file;
	mkdirSync(folder, { recursive: true });
	const draft = `${file}.tmp`;
	const stream = createWriteStream(draft);
	for (const line of lines(entries))
		if (!stream.write(`${line}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
	await new Promise((resolve) => stream.end(resolve));
	renameSync(draft, file);
	return file;
}

function* lines(count) {
	const random = randomNumbers(count);
	const text = sourceText();
	const excerpt = (least, most) => {
		const length = least + Math.floor(random() * (most - least));
		const start = Math.floor(random() * (text.length - length));
		return text.slice(start, start + length);
	};
	yield JSON.stringify(header(count));
	let path = [];
	let parentId = null;
	for (let index = 0; index < count; index++) {
		if (index % 50 === 49 && path.length > 20) parentId = path.at(-10 - Math.floor(random() * 5));
		const id = (((index + 1) * 2654435761) % 2 ** 32).toString(16).padStart(8, '0');
		const timestamp = new Date(1.7e12 + index * 1000).toISOString();
		const isCompaction = index % Math.ceil(count / 5) === Math.ceil(count / 10);
		const body = isCompaction
			? compaction(excerpt(2000, 4000), path.at(-30) ?? id)
			: { type: 'message', message: message(index, excerpt) };
		const { type, ...rest } = body;
		yield JSON.stringify({ type, id, parentId, timestamp, ...rest });
		parentId = id;
		path.push(id);
		if (path.length > 200) path = path.slice(-100);
	}
}

function header(count) {
	const timestamp = '2026-01-01T00:00:00.000Z';
	return { type: 'session', version: 3, id: `bench-${count}`, timestamp, cwd: '/workspace' };
}

function compaction(summary, firstKeptEntryId) {
	return { type: 'compaction', summary, firstKeptEntryId, tokensBefore: 120_000 };
}

/** Turns of four entries: a request, a tool call, its result, an answer. */
function message(index, excerpt) {
	const turn = Math.floor(index / 4);
	const timestamp = 1.7e12 + index * 1000;
	const answer = { api: 'bench', provider: 'bench', model: 'bench', usage, timestamp };
	switch (index % 4) {
		case 0:
			return { role: 'user', content: `Please do step ${turn}: ${excerpt(20, 300)}`, timestamp };
		case 1: {
			const call = { type: 'toolCall', id: `call_${turn}`, name: 'read' };
			const content = [
				{ type: 'text', text: excerpt(50, 400) },
				{ ...call, arguments: { path: `src/part-${turn % 97}.ts` } },
			];
			return { role: 'assistant', content, ...answer, stopReason: 'toolUse' };
		}
		case 2: {
			const content = [{ type: 'text', text: excerpt(1000, 8000) }];
			const call = { toolCallId: `call_${turn}`, toolName: 'read' };
			return { role: 'toolResult', ...call, content, isError: false, timestamp };
		}
		default: {
			const content = [{ type: 'text', text: excerpt(1500, 7000) }];
			return { role: 'assistant', content, ...answer, stopReason: 'stop' };
		}
	}
}

function sourceText() {
	const folders = ['src/session', 'src/providers/openai', 'src/host', 'src/webview'];
	const files = folders.flatMap((name) =>
		readdirSync(path.join(root, name))
			.filter((file) => /\.tsx?$/.test(file))
			.map((file) => path.join(root, name, file)),
	);
	return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The same numbers in each run (a linear congruential generator). */
function randomNumbers(seed) {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		return state / 0x7fffffff;
	};
}
