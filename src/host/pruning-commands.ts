/** "Prune old tool outputs" and "Restore pruned tool outputs": done, and said what came of it. */
import * as vscode from 'vscode';
import type { AgentSession } from '../session/agent-session.ts';
import { PRUNE_DEFAULTS, type PrunePlan } from '../session/compaction/pruning.ts';
import type { RestoredOutputs } from '../session/pruned-outputs.ts';

const UNDO = 'Undo';

/**
 * Prunes what lies behind the newest outputs of the current branch; can be undone.
 * @throws UserError where the session is at work, or nothing can be written
 */
export async function runPruning(session: AgentSession): Promise<void> {
	const plan = await session.prune();
	const { outputs } = plan;
	const actions = outputs.length > 0 ? [UNDO] : [];
	const choice = await vscode.window.showInformationMessage(prunedText(plan), ...actions);
	if (choice !== UNDO) return;
	const ids = outputs.map(({ entryId }) => entryId);
	void vscode.window.showInformationMessage(restoredText(await session.unprune(ids)));
}

/**
 * Brings back all pruned outputs of the session.
 * @throws UserError where the session is at work, or nothing can be written
 */
export async function runRestoring(session: AgentSession): Promise<void> {
	void vscode.window.showInformationMessage(restoredText(await session.unprune()));
}

function prunedText({ outputs, savedTokens, possibleTokens }: PrunePlan): string {
	const tokens = (count: number) => count.toLocaleString();
	if (outputs.length > 0)
		return `Pruned ${outputsText(outputs.length)}: about ${tokens(savedTokens)} tokens less are sent. The originals are kept.`;
	const { protectTokens, minimumSavings } = PRUNE_DEFAULTS;
	const behind = `behind the newest ${tokens(protectTokens)} tokens of tool output`;
	return possibleTokens === 0
		? `Nothing was pruned: there is nothing to prune ${behind}.`
		: `Nothing was pruned: what lies ${behind} would save about ${tokens(possibleTokens)} tokens, and less than ${tokens(minimumSavings)} are not worth it.`;
}

function restoredText({ restored, missing }: RestoredOutputs): string {
	const parts = [
		restored.length > 0 ? `Restored ${outputsText(restored.length)}.` : 'Nothing was restored.',
	];
	if (missing.length > 0) {
		const stay = missing.length === 1 ? 'stays' : 'stay';
		parts.push(
			`${outputsText(missing.length)} ${stay} pruned: the originals are not kept here, or the file is not ours.`,
		);
	} else if (restored.length === 0) parts.push('No output of this session is pruned.');
	return parts.join(' ');
}

function outputsText(count: number): string {
	return count === 1 ? '1 tool output' : `${count} tool outputs`;
}
