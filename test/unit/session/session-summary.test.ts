import { strict as assert } from 'node:assert';
import {
	SummaryReader,
	summarize,
	summaryProblem,
	type SessionSummary,
} from '../../../src/session/session-summary.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const HEAD = 64 << 10;
const TAIL = 32 << 10;
const header = {
	...{ type: 'session', version: 3, id: 's1', timestamp: '2026-01-02T03:04:05.000Z' },
	cwd: '/work',
};

const user = (text: unknown, id = 'u1') => ({
	...{ type: 'message', id, parentId: null, timestamp: '' },
	message: { role: 'user', content: text, timestamp: 1 },
});
const named = (name: string) => ({ type: 'session_info', id: 'n', parentId: null, name });
const padding = (bytes: number) => ({
	...{ type: 'custom', id: 'p', parentId: null, customType: 'x' },
	data: 'x'.repeat(bytes),
});

function fileOf(...lines: (object | string)[]): Buffer {
	return Buffer.from(
		lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
	);
}

/** As the listing reads a file: a window at its beginning, another at its end. */
function summaryOf(file: Buffer): SessionSummary {
	const head = file.subarray(0, HEAD);
	const tail = file.subarray(Math.max(HEAD, file.length - TAIL));
	return summarize(head, tail, { bytes: file.length, modified: 7 });
}

describe('session summaries', () => {
	it('say what a list shows', () => {
		const file = fileOf(
			{ ...header, parentSession: '/old.jsonl' },
			user('Set up\n\tthe  project'),
			user('Then test it', 'u2'),
		);
		assert.deepEqual(summaryOf(file), {
			kind: 'session',
			id: 's1',
			cwd: '/work',
			version: 3,
			name: undefined,
			firstPrompt: 'Set up the project',
			parentSession: '/old.jsonl',
			created: Date.UTC(2026, 0, 2, 3, 4, 5),
			modified: 7,
			bytes: file.length,
			entries: 2,
			exact: true,
			damagedLines: 0,
		});
	});

	it('take the name given last, and none where it was taken back', () => {
		assert.equal(summaryOf(fileOf(header, named('One'), user('x'), named(' Two '))).name, 'Two');
		assert.equal(summaryOf(fileOf(header, named('One'), named(''))).name, undefined);
	});

	it("read oh-my-pi's title slot and its header's title", () => {
		const slot = { type: 'title', v: 1, title: 'From the slot', updatedAt: '', pad: '   ' };
		const titled = { ...header, title: 'From the header' };
		assert.equal(summaryOf(fileOf(slot, titled)).name, 'From the slot');
		assert.equal(summaryOf(fileOf(titled)).name, 'From the header');
		assert.equal(summaryOf(fileOf(slot, titled, named('By hand'))).name, 'By hand');
		assert.equal(summaryOf(fileOf(slot)).kind, 'not-a-session');
	});

	it('read prompts in parts, with images, in any order of keys, and of version 1', () => {
		const text = (words: string) => ({ type: 'text', text: words });
		const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
		assert.equal(summaryOf(fileOf(header, user([image, text('Look')]))).firstPrompt, 'Look');
		assert.equal(summaryOf(fileOf(header, user([image]))).firstPrompt, '(an image)');
		const turned =
			'{ "message" : {"content":"Other order","role" : "user"}, "id":"a", "type":"message"}';
		assert.equal(summaryOf(fileOf(header, turned)).firstPrompt, 'Other order');
		const old = summaryOf(fileOf({ ...header, version: undefined }, user('Old')));
		assert.deepEqual([old.kind, old.version, old.firstPrompt], ['session', 1, 'Old']);
	});

	it('clip a prompt inside a huge line, and estimate what they did not see', () => {
		const words = `Say "häß€😀" \\ and\n${'more '.repeat(1_000_000)}`;
		const file = fileOf(header, user(words), user('next', 'u2'), named('Late name'));
		const summary = summaryOf(file);
		assert.match(summary.firstPrompt, /^Say "häß€😀" \\ and more more/);
		assert.ok(summary.firstPrompt.length <= 300);
		assert.equal(summary.name, 'Late name');
		assert.equal(summary.exact, false);
		const inParts = summaryOf(fileOf(header, user([{ type: 'text', text: words }])));
		assert.equal(inParts.firstPrompt, summary.firstPrompt);
	});

	it('never cut an escape or a surrogate pair in two', () => {
		for (let shift = 0; shift < 12; shift++) {
			const words = 'a'.repeat(shift) + '\u0007\\"\\u00e9😀'.repeat(30_000);
			const line = JSON.stringify(user(words)).replaceAll('é', '\\u00e9');
			const { firstPrompt } = summaryOf(fileOf(header, line));
			assert.ok(firstPrompt.length > 100);
			assert.doesNotMatch(firstPrompt, /[\ud800-\udbff](?![\udc00-\udfff])/);
		}
	});

	it('estimate the entries of a long file, and count them where it is read whole', () => {
		const lines: object[] = Array.from({ length: 2000 }, () => padding(1000));
		const middle = lines.toSpliced(1000, 0, named('Given in the middle'));
		const file = fileOf(header, ...middle, user('Asked late'));
		const about = summaryOf(file);
		assert.equal(about.exact, false);
		assert.equal(about.name, undefined);
		assert.ok(Math.abs(about.entries - 2002) < 100, `${about.entries}`);
		const reader = new SummaryReader();
		for (let at = 0; at < file.length; at += 70_001) reader.push(file.subarray(at, at + 70_001));
		const whole = reader.finish({ bytes: file.length, modified: 7 });
		assert.deepEqual(
			[whole.exact, whole.entries, whole.name, whole.firstPrompt],
			[true, 2002, 'Given in the middle', 'Asked late'],
		);
	});

	it('are the same however a file is cut into chunks', () => {
		const builder = new SessionBuilder();
		for (let i = 0; i < 20; i++) builder.user(`Prompt ${i} häß€😀`);
		const file = fileOf(...builder.lines(), named('Name'));
		const facts = { bytes: file.length, modified: 7 };
		const expected = summaryOf(file);
		for (const size of [1, 2, 3, 7, 100, 1001]) {
			const reader = new SummaryReader();
			for (let at = 0; at < file.length; at += size) reader.push(file.subarray(at, at + size));
			assert.deepEqual(reader.finish(facts), expected);
		}
	});

	it('accept a byte order mark, carriage returns, blank lines and no final line end', () => {
		const text = `\ufeff${JSON.stringify(header)}\r\n\r\n${JSON.stringify(user('Hi'))}\r\n  \n${JSON.stringify(named('N'))}`;
		const summary = summaryOf(Buffer.from(text));
		assert.deepEqual(
			[summary.kind, summary.firstPrompt, summary.name, summary.entries, summary.damagedLines],
			['session', 'Hi', 'N', 2, 0],
		);
	});

	it('say that a file is damaged, and show what is left', () => {
		const torn = Buffer.concat([fileOf(header, user('Hi')), Buffer.from('{"type":"mess')]);
		const zeros = Buffer.concat([fileOf(header), Buffer.alloc(500), fileOf('', user('Hi'))]);
		const junk = fileOf(header, 'not json', '["neither"]', user('Hi'), '{"type":');
		for (const [file, damaged] of [
			[torn, 1],
			[zeros, 1],
			[junk, 3],
		] as const) {
			const summary = summaryOf(file);
			assert.deepEqual(
				[summary.kind, summary.firstPrompt, summary.entries, summary.damagedLines],
				['session', 'Hi', 1, damaged],
			);
			assert.equal(summaryProblem(summary), 'Some lines are damaged.');
		}
	});

	it('give a row to files that are no sessions, and say so', () => {
		const kinds: [Buffer, SessionSummary['kind']][] = [
			[Buffer.alloc(0), 'empty'],
			[Buffer.from('\n\n'), 'not-a-session'],
			[fileOf('hello'), 'not-a-session'],
			[fileOf({ type: 'other' }), 'not-a-session'],
			[fileOf({ ...header, id: 5 }), 'not-a-session'],
			[fileOf(user('no header')), 'not-a-session'],
			[Buffer.alloc(200_000), 'not-a-session'],
			[Buffer.alloc(200_000, 'x'), 'not-a-session'],
			[fileOf({ ...header, version: 9 }), 'newer-version'],
			[Buffer.from(JSON.stringify(header).slice(0, 40)), 'not-a-session'],
		];
		for (const [file, kind] of kinds) {
			const summary = summaryOf(file);
			assert.equal(summary.kind, kind);
			assert.match(summaryProblem(summary) ?? '', /\.$/);
		}
	});

	it('read what a list needs of a header that is longer than what is looked at', () => {
		const long = { ...header, additionalDirectories: ['x'.repeat(100_000)] };
		const summary = summaryOf(fileOf(long, user('Hi')));
		assert.deepEqual(
			[summary.kind, summary.id, summary.cwd, summary.version],
			['session', 's1', '/work', 3],
		);
	});

	it('never throw, wherever a file is cut off or what is in it', () => {
		const file = fileOf(header, named('N'), user([{ type: 'text', text: 'Hi "there" é\\' }]));
		for (let end = 0; end <= file.length; end++) summaryOf(file.subarray(0, end));
		for (let at = 0; at < file.length; at++) {
			for (const byte of [0, 0x0a, 0x22, 0x5c, 0x7d, 0xff]) {
				const changed = Buffer.from(file);
				changed[at] = byte;
				summaryOf(changed);
			}
		}
	});
});
