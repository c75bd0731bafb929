/** Sums of reported usage over the requests that made one summary. */
import type { Usage } from '../../agent/messages.ts';

/** Adds two usage records; undefined where neither exists. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
	if (!a || !b) return a ?? b;
	return {
		input: a.input + b.input,
		output: a.output + b.output,
		cacheRead: a.cacheRead + b.cacheRead,
		cacheWrite: a.cacheWrite + b.cacheWrite,
		totalTokens: a.totalTokens + b.totalTokens,
		cost: {
			input: a.cost.input + b.cost.input,
			output: a.cost.output + b.cost.output,
			cacheRead: a.cost.cacheRead + b.cost.cacheRead,
			cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
			total: a.cost.total + b.cost.total,
		},
	};
}
