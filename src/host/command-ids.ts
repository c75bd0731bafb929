/** The ids of all commands, views and context keys: one place, compared with the manifest by a test. */

export const COMMANDS = {
	compact: 'espalier.compact',
	compactWithFocus: 'espalier.compactWithFocus',
	pruneToolOutputs: 'espalier.pruneToolOutputs',
	restoreToolOutputs: 'espalier.restoreToolOutputs',
	compactUpToHere: 'espalier.compactUpToHere',
	undoCompaction: 'espalier.undoCompaction',
	previewCompaction: 'espalier.previewCompaction',
	explainContext: 'espalier.explainContext',
	newSession: 'espalier.newSession',
	openSession: 'espalier.openSession',
	manageSessions: 'espalier.manageSessions',
	openSessionFile: 'espalier.openSessionFile',
	forkSession: 'espalier.forkSession',
	labelEntry: 'espalier.labelEntry',
	chooseModel: 'espalier.chooseModel',
	connectModel: 'espalier.connectModel',
	forgetKey: 'espalier.forgetKey',
	revokeAllowedTools: 'espalier.revokeAllowedTools',
	focusChat: 'espalier.focusChat',
	switchToBranch: 'espalier.switchToBranch',
	goToEntry: 'espalier.goToEntry',
	editAndResend: 'espalier.editAndResend',
	showEntry: 'espalier.showEntry',
	revealCurrentEntry: 'espalier.revealCurrentEntry',
	/** Run by a click on a "more" row. */
	showMoreRows: 'espalier.showMoreRows',
	/** Cancels the branch summary that is being made for a move. */
	cancelNavigation: 'espalier.cancelNavigation',
} as const;

/** Context key: true while a branch summary is being made for a move in the tree. */
export const NAVIGATING_KEY = 'espalier.navigating';

export const VIEWS = {
	tree: 'espalier.sessionTree',
	chat: 'espalier.chat',
} as const;
