/** What is live in the shape of what is finished, so that one component shows both. */
import type { AssistantItem, BashItem } from '../protocol/chat-item.ts';
import type { LiveRun, QuestionView } from '../protocol/live-run.ts';
import type { LiveAnswer } from './state.ts';

/** The answer that is coming. */
export function liveItem(live: LiveAnswer): AssistantItem {
	return {
		kind: 'assistant',
		id: live.key,
		parts: live.parts.map(({ type, text }) => ({ type, text: { text, cut: 0 } })),
		status: 'complete',
		error: null,
		model: '',
	};
}

/** A person's command at work. */
export function commandItem(run: Extract<LiveRun, { kind: 'command' }>): BashItem {
	const { id, command, inContext } = run;
	// What it has printed comes with the run.
	return { kind: 'bash', id, command, inContext, output: { text: '', cut: 0 }, outcome: null };
}

/** The question that waits for the person, if one does. */
export function openQuestion(runs: readonly LiveRun[]): QuestionView | null {
	for (const run of runs) if (run.kind === 'tool' && run.question) return run.question;
	return null;
}
