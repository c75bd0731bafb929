import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KnownEntry, MessageEntry, SessionHeader } from '../../src/session/entries.ts';

interface SampleModule {
	writeSampleSession(file: string, options: { cwd: string }): string;
}

describe('the sample session', () => {
	let folder: string;
	let text: string;
	let header: SessionHeader;
	let entries: KnownEntry[];
	let path: KnownEntry[];

	async function write(file: string): Promise<string> {
		// Loaded by a computed address, so that the bundle leaves it and its workspace where they are.
		const address = pathToFileURL(resolve('scripts/sample-session.mjs')).href;
		const { writeSampleSession } = (await import(address)) as SampleModule;
		return readFileSync(writeSampleSession(file, { cwd: '/srv/tea-shop' }), 'utf8');
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), 'espalier-sample-'));
		text = await write(join(folder, 'deep', 'sample.jsonl'));
		const lines = text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line) as unknown);
		header = lines[0] as SessionHeader;
		entries = lines.slice(1) as KnownEntry[];
		const byId = new Map(entries.map((entry) => [entry.id, entry]));
		path = [];
		for (let entry = entries.at(-1); entry; entry = byId.get(entry.parentId ?? ''))
			path.unshift(entry);
	});

	after(() => rmSync(folder, { recursive: true, force: true }));

	const messagesOf = (list: KnownEntry[]): MessageEntry['message'][] =>
		list.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));

	it('has a version 3 header with the given folder', () => {
		assert.equal(header.version, 3);
		assert.equal(header.cwd, '/srv/tea-shop');
	});

	it('is a valid tree in time order, with a model change first', () => {
		const seen = new Set<string>();
		let last = Date.parse(header.timestamp);
		for (const [index, entry] of entries.entries()) {
			assert.match(entry.id, /^[0-9a-f]{8}$/);
			assert.ok(!seen.has(entry.id));
			assert.ok(index === 0 ? entry.parentId === null : seen.has(entry.parentId!));
			assert.ok(Date.parse(entry.timestamp) >= last);
			last = Date.parse(entry.timestamp);
			seen.add(entry.id);
		}
		assert.equal(entries[0]!.type, 'model_change');
	});

	it('has one fork with an abandoned branch of several entries, and ends on the main path', () => {
		const children = new Map<string, number>();
		for (const { parentId } of entries)
			children.set(parentId ?? '', (children.get(parentId ?? '') ?? 0) + 1);
		assert.deepEqual(
			[...children.values()].filter((count) => count > 1),
			[2],
		);
		assert.ok(entries.length - path.length >= 6);
		const last = messagesOf(path).at(-1)!;
		assert.equal(last.role, 'assistant');
		assert.equal(last.role === 'assistant' && last.stopReason, 'stop');
	});

	it('answers every call, at once and in order', () => {
		for (const list of [entries, path]) {
			const open: string[] = [];
			for (const message of messagesOf(list)) {
				if (message.role === 'toolResult') assert.equal(open.shift(), message.toolCallId);
				else assert.deepEqual(open, []);
				if (message.role === 'assistant')
					for (const part of message.content) if (part.type === 'toolCall') open.push(part.id);
			}
			assert.deepEqual(open, []);
		}
	});

	it('is long enough to compact, and short enough to ship', () => {
		let characters = 0;
		for (const message of messagesOf(path)) {
			if (message.role === 'bashExecution') characters += message.output.length;
			else if ('content' in message && typeof message.content !== 'string')
				for (const part of message.content)
					if (part.type === 'text') characters += part.text.length;
					else if (part.type === 'toolCall') characters += JSON.stringify(part.arguments).length;
		}
		assert.ok(characters / 4 >= 45_000, `${characters / 4} tokens`);
		assert.ok(text.length < 300_000, `${text.length} bytes`);
		const turns = messagesOf(path).filter((message) => message.role === 'user').length;
		assert.ok(turns >= 12 && turns <= 16, `${turns} turns`);
	});

	it('has one label, one name, and usage that grows', () => {
		assert.equal(entries.filter((entry) => entry.type === 'label').length, 1);
		const names = entries.flatMap((entry) => (entry.type === 'session_info' ? [entry.name] : []));
		assert.deepEqual(names, ['Tea shop: discounts and VAT']);
		let last = 0;
		for (const message of messagesOf(path)) {
			if (message.role !== 'assistant') continue;
			const { input, output, cacheRead, cacheWrite, totalTokens } = message.usage;
			assert.equal(totalTokens, input + output + cacheRead + cacheWrite);
			assert.ok(totalTokens > last && input >= 0);
			last = totalTokens - output;
		}
	});

	it('comes out the same every time', async () => {
		assert.equal(await write(join(folder, 'again.jsonl')), text);
	});
});
