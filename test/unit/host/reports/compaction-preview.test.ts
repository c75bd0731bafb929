import assert from 'node:assert/strict';
import { compactionPreview } from '../../../../src/host/reports/compaction-preview.ts';
import { createOfflineSummarizer } from '../../../../src/providers/offline/offline-summarizer.ts';
import { AgentSession } from '../../../../src/session/agent-session.ts';
import { SessionManager } from '../../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../../src/session/session-storage.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

async function open(builder: SessionBuilder, keepRecentTokens = 500): Promise<AgentSession> {
	const manager = await SessionManager.open(new MemorySessionStorage(builder.lines()));
	return new AgentSession(manager, {
		model: () => Promise.resolve(undefined),
		offline: createOfflineSummarizer(),
		settings: () => ({
			compaction: { reserveTokens: 16_384, keepRecentTokens },
			branchSummary: { enabled: false, reserveTokens: 16_384 },
			contextWindow: 128_000,
		}),
	});
}

async function preview(session: AgentSession): Promise<string> {
	return compactionPreview(await session.compact({ dryRun: true }), session.manager.tree);
}

/** What stands below a heading, up to the next one. */
function section(text: string, heading: string): string {
	return (text.split(`## ${heading}\n\n`)[1] ?? '').split('\n\n## ')[0] ?? '';
}

describe('the preview of a compaction', () => {
	const turns = (count: number) => {
		const builder = new SessionBuilder();
		for (let turn = 1; turn <= count; turn++) {
			builder.user(`Request ${turn}: ${textOfTokens(180)}`);
			builder.assistant(`Answer ${turn}: ${textOfTokens(180)}`);
		}
		return builder;
	};

	it('has the numbers that the compaction then has', async () => {
		const session = await open(turns(5));
		const text = await preview(session);
		const plan = await session.compact({ dryRun: true });
		const outcome = await session.compact();
		assert(text.includes(`About **${outcome.tokensBefore.toLocaleString('en')} tokens** now`));
		assert(text.includes(`about **${plan.tokensAfter.toLocaleString('en')}** expected`));
		assert.match(section(text, 'Who summarizes'), /^1\. The offline summarizer/);
		const summarized = section(text, 'What is summarized');
		assert(summarized.startsWith(`${outcome.summarizedMessages} messages, `));
		assert.match(summarized, /- from You: `Request 1: .*\n- to Assistant: `Answer 4: /);
		assert.match(
			section(text, 'Where the cut is'),
			/^Before You: `Request 5: .*\n\nNo turn is split\./,
		);
		assert(
			section(text, 'What is kept').startsWith(`${outcome.keptMessages} messages as they are`),
		);
	});

	it('says that a turn is split, which files are listed, and that a summary is carried on', async () => {
		const builder = turns(3);
		builder.compaction('## Goal\nEarlier.', 'e5', { details: { readFiles: ['earlier.ts'] } });
		builder.user('A long turn');
		for (const id of ['c1', 'c2', 'c3']) {
			const path = id === 'c1' ? 'src/written.ts' : `src/read\n# not a heading ${id}.ts`;
			builder.message(assistant('', [toolCall(id, id === 'c1' ? 'write' : 'read', { path })]));
			builder.message(toolResult(id, textOfTokens(300)));
		}
		const text = await preview(await open(builder, 400));
		assert.match(
			section(text, 'Where the cut is'),
			/\*\*splits a turn\*\*: its part before the cut \(5 messages\)/,
		);
		const summarized = section(text, 'What is summarized');
		assert.match(summarized, /compaction before it is carried on/);
		assert.match(
			summarized,
			/Files read \(2\):\n\n```\nearlier\.ts\nsrc\/read # not a heading c2\.ts\n```/,
		);
		assert.match(summarized, /Files modified \(1\):\n\n```\nsrc\/written\.ts\n```/);
		assert.doesNotMatch(text, /^# not/m);
	});

	it('renders nothing that a session says', async () => {
		const builder = turns(3);
		builder.user(
			'[quit](command:workbench.action.quit) <img src=x> `tick` ![i](http://x.test/i.png)',
		);
		builder.assistant(textOfTokens(900));
		const text = await preview(await open(builder, 1000));
		const line = section(text, 'Where the cut is').split('\n')[0] ?? '';
		assert.match(line, /quit/);
		assert.doesNotMatch(line, /<img|(?<!\\)\]\(|(?<!\\)!\[/);
	});
});
