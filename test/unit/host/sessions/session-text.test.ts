import { strict as assert } from 'node:assert';
import { age, groupedRows, sessionText, size } from '../../../../src/host/sessions/session-text.ts';
import type { SessionFolder } from '../../../../src/node/session-folders.ts';
import type { SessionSummary } from '../../../../src/session/session-summary.ts';

const HOUR = 3_600_000;
const now = Date.UTC(2026, 5, 1);

const summary = (changes: Partial<SessionSummary> = {}): SessionSummary => ({
	...{ kind: 'session', id: 'a', cwd: '/w', version: 3, name: undefined },
	...{ firstPrompt: 'Write a parser', parentSession: undefined, created: undefined },
	...{ modified: now - 3 * HOUR, bytes: 1_234_567, entries: 1234, exact: false },
	damagedLines: 0,
	...changes,
});
const text = (changes: Partial<SessionSummary> = {}, isShown = false) =>
	sessionText({ summary: summary(changes), path: '/s/file.jsonl' }, now, isShown);

describe('texts of the session list', () => {
	it('are the first prompt, or the name with the prompt below', () => {
		assert.deepEqual(text(), {
			label: 'Write a parser',
			description: '3 h ago · about 1,200 entries · 1.2 MB',
		});
		const named = text({ name: 'Parser', exact: true });
		assert.equal(named.label, 'Parser');
		assert.equal(named.detail, 'Write a parser');
		assert.equal(named.description, '3 h ago · 1,234 entries · 1.2 MB');
	});

	it('say what is special: on show, forked, damaged, no session', () => {
		assert.match(text({}, true).description, /^on show · /);
		assert.match(text({ parentSession: '/p' }).description, / · forked$/);
		assert.match(text({ damagedLines: 2 }).description, / · Some lines are damaged$/);
		const foreign = text({ kind: 'not-a-session', firstPrompt: '' });
		assert.equal(foreign.label, 'file.jsonl');
		assert.match(foreign.description, /^3 h ago · 1.2 MB · This is no session file/);
		assert.equal(text({ firstPrompt: '' }).label, '(no message yet)');
	});

	it('show a long prompt below its beginning, and icons only as their words', () => {
		const { label, detail } = text({ firstPrompt: `run $(trash) ${'x'.repeat(300)}` });
		assert.ok(label.length <= 51 && label.endsWith('…'));
		assert.ok((detail?.length ?? 0) > 150);
		assert.ok(!label.includes('$(') && !detail?.includes('$('));
	});

	it('tell ages and sizes roughly', () => {
		const ago = (time: number) => age(now - time, now);
		assert.deepEqual([-5, HOUR / 2, 23.9 * HOUR, 24 * HOUR, 72 * HOUR, 24 * 40 * HOUR].map(ago), [
			'just now',
			'30 min ago',
			'23 h ago',
			'1 day ago',
			'3 days ago',
			'2026-04-22',
		]);
		assert.deepEqual([0, 999, 1000, 48_400, 999_600, 1.2e6, 290e6, 1.5e9].map(size), [
			'0 B',
			'999 B',
			'1.0 KB',
			'48 KB',
			'1.0 MB',
			'1.2 MB',
			'290 MB',
			'1.5 GB',
		]);
	});

	it('group rows, archived ones last, and keep their order', () => {
		const row = (name: string, group: SessionFolder['group'], archived = false) => ({
			name,
			folder: { path: '', group, archived, accepts: () => true },
		});
		const groups = groupedRows([
			row('a', 'omp'),
			row('b', 'workspace', true),
			row('c', 'workspace'),
			row('d', 'pi'),
			row('e', 'workspace'),
		]);
		assert.deepEqual(
			groups.map(({ title, rows }) => [title, rows.map(({ name }) => name).join('')]),
			[
				['This folder', 'ce'],
				['pi', 'd'],
				['oh-my-pi', 'a'],
				['Archived', 'b'],
			],
		);
	});
});
