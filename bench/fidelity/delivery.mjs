// Checks that a model that summarizes is told every must-keep fact: a recording model in place of one.
import { factsAt, holdsAll } from './judge.mjs';
import { replay } from './replay.mjs';

/** Tokens: small, so that a compaction takes several requests, each merged into the one before. */
const WINDOW = 24_000;

/** Records the prompts, and answers with the facts that stand in them, as a perfect model would. */
function recordingModel(facts) {
	const prompts = [];
	return {
		...{ provider: 'recording', id: 'model', contextWindow: WINDOW, prompts },
		async *stream({ messages }) {
			const prompt = messages.map(({ content }) => content).join('\n');
			prompts.push(prompt);
			const told = facts.filter(({ keys }) => holdsAll(prompt, keys));
			const text = ['## Facts', ...told.map(({ keys }) => `- ${keys.join(' … ')}`)].join('\n');
			const content = [{ type: 'text', text }];
			const usage = { totalTokens: 0 };
			yield { type: 'done', message: { role: 'assistant', content, usage, stopReason: 'stop' } };
		},
	};
}

/**
 * Compacts the session with the recording model. At each compaction the facts that hold must stand in
 * what was sent, or in the earlier summary where that was taken over word for word.
 */
export async function checkDelivery(core, { entries, facts }) {
	const model = recordingModel(facts);
	const missing = new Set();
	let due = 0;
	let requests = 0;
	for await (const { preparation, result, covered } of replay(
		core,
		entries,
		core.createModelSummarizer(model),
	)) {
		const sent = model.prompts.splice(0);
		requests += sent.length;
		const { previousSummary } = preparation;
		if (previousSummary && result.summary.includes(previousSummary)) sent.push(previousSummary);
		const wanted = factsAt(facts, covered).holding.filter(({ isMust }) => isMust);
		due += wanted.length;
		for (const fact of wanted)
			if (!sent.some((text) => holdsAll(text, fact.keys))) missing.add(fact);
	}
	return { due, requests, missing: [...missing] };
}
