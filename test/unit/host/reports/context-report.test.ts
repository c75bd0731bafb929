import assert from 'node:assert/strict';
import { contextReport } from '../../../../src/host/reports/context-report.ts';
import { explainContext } from '../../../../src/session/explain-context.ts';
import { SessionTree } from '../../../../src/session/session-tree.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

function report(
	builder: SessionBuilder,
	options: { room?: number; omitted?: number } = {},
): string {
	const tree = SessionTree.of(builder.entries);
	const path = tree.pathTo(builder.leaf);
	return contextReport({
		path,
		coverage: explainContext(path, { room: options.room }),
		omitted: options.omitted ?? 0,
		...{ tokens: 12_345, contextWindow: 128_000 },
		promptTokens: {
			instructions: 700,
			tools: 40,
			environment: 30,
			agentsMd: 0,
			toolDefinitions: 1_200,
		},
		date: (timestamp) => `on ${timestamp.slice(0, 10)}`,
	});
}

describe('the account of a context', () => {
	it('lists each message under what became of it, in order', () => {
		const session = new SessionBuilder();
		session.user('First', 'u1');
		session.assistant('Done first', 'a1');
		session.user('Second', 'u2');
		session.message(assistant('', [], { stopReason: 'error', errorMessage: 'no' }), 'failed');
		session.assistant('Done second', 'a2');
		session.compaction('sum', 'u2', {
			details: { covered: { firstEntryId: 'u1', lastEntryId: 'a1', messages: 2 } },
		});
		session.user('Third');
		assert.equal(
			report(session),
			[
				'# The context, explained',
				'What becomes of each message on the way to the current entry when the model is asked next.',
				'About **12,345** of 128,000 tokens · 3 messages in the context · 2 summarized · 1 left out',
				'## In every request',
				[
					"- Espalier's instructions · 700 tokens",
					'- The names of the tools · 40 tokens',
					'- Folder, system and date · 30 tokens',
					'- The definitions of the tools · 1,200 tokens',
				].join('\n'),
				'## In the summary of a compaction (on 2026-01-01)',
				'- You: `First` · summarized\n- Assistant: `Done first` · summarized',
				'## In the context',
				[
					'- You: `Second` · 2 tokens',
					'- Assistant: (no text) · **left out**: an answer that failed',
					'- Assistant: `Done second` · 3 tokens',
					'- You: `Third` · 2 tokens',
				].join('\n'),
				'---',
				'Tokens are estimates. This page follows the session as it goes on.\n',
			].join('\n\n'),
		);
	});

	it('says what is assumed, clipped, pruned, missing or not listed', () => {
		const session = new SessionBuilder();
		session.user('Old');
		session.compaction('sum', 'nowhere');
		session.user('Read it');
		session.message(assistant('', [toolCall('c', 'read', { path: 'a.ts' })]));
		session.message({ ...toolResult('c', textOfTokens(9000)), prunedAt: 1 });
		const text = report(session, { room: 2000, omitted: 7 });
		assert.match(text, /a compaction \(.*\), assumed: it does not say what it covers/);
		assert.match(text, /Assistant: `calls read a\.ts`/);
		assert.match(text, /Result of read: .*\*\*clipped\*\*: .*\*\*pruned\*\*: .* is gone/);
		assert.match(text, /the newest 5 entries of the path .*, 7 older ones are not/);
		assert.match(report(new SessionBuilder()), /0 messages in the context/);
	});

	it('renders nothing that a session says, whatever its fields hold', () => {
		const session = new SessionBuilder();
		const hostile = '[x](command:quit)\n# heading <img src=x> ![i](http://x.test)';
		session.user(hostile);
		session.user(`\`${hostile}\``);
		session.add({ type: 'custom_message', customType: hostile, content: hostile });
		session.message({ ...toolResult('c', hostile), toolName: hostile });
		session.message({ role: hostile } as never);
		session.add({ type: 'custom_message', customType: 7, content: null });
		const text = report(session);
		const spans = /`[^`\n]*`/g;
		const outside = text.replace(spans, '');
		assert.doesNotMatch(outside, /<img|(?<!\\)\]\(|(?<!\\)!\[/);
		assert.doesNotMatch(text, /^# heading/m);
		const [, listed = ''] = text.split('## In the context');
		assert.equal(listed.split('\n').filter((line) => line.startsWith('- ')).length, 6);
	});
});
