/** Pruning as one act: planned, stored and, where wanted, taken back, while other windows wait. */
import { createYielder } from '../util/async.ts';
import type { TokenCounter } from '../util/tokens.ts';
import {
	pruneToolOutputs,
	type PrunableOutput,
	type PrunePlan,
	type PruneSettings,
} from './compaction/pruning.ts';
import type { RestoredOutputs } from './pruned-outputs.ts';
import type { SessionManager } from './session-manager.ts';

/**
 * Prunes old tool outputs of the current branch where that saves enough.
 * @returns what was pruned; without outputs, nothing was
 * @throws UserError where another window works on the session, or nothing can be written: nothing is
 * pruned then
 */
export async function pruneSession(
	manager: SessionManager,
	settings?: PruneSettings,
	count?: TokenCounter,
): Promise<PrunePlan> {
	const release = await manager.hold();
	try {
		const plan = pruneToolOutputs(await manager.readContextPath(), settings, count);
		if (plan.outputs.length === 0) return plan;
		await manager.prune(plan.outputs);
		return await whatIsPruned(manager, plan);
	} finally {
		await release();
	}
}

/** The plan without what could not be pruned after all. */
async function whatIsPruned(manager: SessionManager, plan: PrunePlan): Promise<PrunePlan> {
	const pause = createYielder();
	const outputs: PrunableOutput[] = [];
	let savedTokens = 0;
	for (const output of plan.outputs) {
		await pause();
		if (!manager.isPruned(output.entryId)) continue;
		outputs.push(output);
		savedTokens += output.savedTokens;
	}
	return { ...plan, outputs, savedTokens };
}

/**
 * Brings pruned outputs back: those of the entries named, else all of the session that can be, and those
 * of the current branch that cannot are said.
 * @throws UserError as `pruneSession`: nothing is restored then
 */
export async function unpruneSession(
	manager: SessionManager,
	entryIds?: readonly string[],
): Promise<RestoredOutputs> {
	const release = await manager.hold();
	try {
		const outcome = await manager.unprune(entryIds);
		if (entryIds) return outcome;
		const path = await manager.readContextPath();
		const missing = path.map(({ id }) => id).filter((id) => manager.isPruned(id));
		return { ...outcome, missing: [...new Set([...outcome.missing, ...missing])] };
	} finally {
		await release();
	}
}
