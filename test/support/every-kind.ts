/** A small session with every kind of entry, for tests that damage it. */
import type { SessionEntry } from '../../src/session/entries.ts';
import { assistant, SessionBuilder, toolCall, toolResult } from './session-builder.ts';

export const TITLE_SLOT = '{"type":"title","v":1,"title":"Über 日本 😀","pad":"   "}';

/** One entry of each kind, chained, as pi writes them; texts hold characters of one to four bytes. */
export function everyKind(): SessionEntry[] {
	const session = new SessionBuilder();
	session.add({ type: 'model_change', id: 'm0de1a5c', provider: 'p', modelId: 'm' });
	session.add({ type: 'thinking_level_change', id: 'f00dcafe', thinkingLevel: 'high' });
	session.user('Grüße 日本 😀 {"a":{"b":1}}', '0a1b2c3d');
	session.message(assistant('', [toolCall('c1', 'read', { at: { x: 'é' } })]), '1b2c3d4e');
	session.message(toolResult('c1', '}\n"}'), '2c3d4e5f');
	session.compaction('Sümmary', '0a1b2c3d', { id: '3d4e5f60', details: { readFiles: ['a'] } });
	session.add({ type: 'branch_summary', id: '4e5f6071', fromId: '1b2c3d4e', summary: 's' });
	const content = [{ type: 'text', text: 'ü' }];
	session.add({ type: 'custom_message', id: '5f607182', customType: 'c', content, display: true });
	session.add({
		...{ type: 'context_edit', id: '60718293', targetId: '5f607182' },
		replacement: { content: 'é' },
	});
	session.add({ type: 'label', id: '718293a4', targetId: '0a1b2c3d', label: '★' });
	session.add({ type: 'session_info', id: '8293a4b5', name: '名前' });
	session.add({ type: 'hologram', id: '93a4b5c6', data: { x: [{}] } });
	session.message(
		{
			...{ role: 'bashExecution', command: 'ls', output: 'ä', exitCode: 0 },
			...{ cancelled: false, truncated: false, timestamp: 1 },
		},
		'a4b5c6d7',
	);
	return session.entries.map(asWritten);
}

/** The lines of a session file. */
export function fileLines(entries: readonly SessionEntry[]): string[] {
	const header = { type: 'session', version: 3, id: 'every-kind', timestamp: '', cwd: '/wörk' };
	return [header, ...entries].map((line) => JSON.stringify(line));
}

/** The entry with its head first, as pi and we write it. */
export function asWritten({ type, id, parentId, timestamp, ...body }: SessionEntry): SessionEntry {
	return { type, id, parentId, timestamp, ...body } as SessionEntry;
}

/** Where the lines of a file lie, each without its line end. */
export interface LineSpan {
	start: number;
	end: number;
}

export function lineSpans(lines: readonly string[]): LineSpan[] {
	let at = 0;
	return lines.map((line) => {
		const start = at;
		at += Buffer.byteLength(line) + 1;
		return { start, end: at - 1 };
	});
}
