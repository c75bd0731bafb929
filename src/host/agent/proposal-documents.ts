/** What a tool wants to write, as read-only documents beside what stands there now. */
import * as vscode from 'vscode';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import type { Approvals } from './approvals.ts';

const SCHEME = 'espalier-proposal';

export class ProposalDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly approvals: Approvals;
	private readonly log: Logger;
	private readonly registration: vscode.Disposable;
	private readonly stopListening: () => void;

	constructor(approvals: Approvals, log: Logger) {
		this.approvals = approvals;
		this.log = log;
		this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
		this.stopListening = approvals.onDidChange.on(() => void this.closeAnswered());
	}

	/** Shows what a waiting call would change; nothing where it does not wait or changes no file. */
	async show(requestId: string): Promise<void> {
		const question = this.approvals.question(requestId);
		const { act } = question?.request ?? {};
		if (act?.kind !== 'write' && act?.kind !== 'edit') return;
		const uri = (side: 'before' | 'after') =>
			vscode.Uri.from({
				scheme: SCHEME,
				path: `/${act.path}`,
				query: JSON.stringify({ requestId, side }),
			});
		const title = `${act.path} (${act.before === undefined ? 'new file' : 'proposed change'})`;
		await vscode.commands.executeCommand('vscode.diff', uri('before'), uri('after'), title, {
			preview: true,
		});
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		const { requestId, side } = addressOf(uri);
		const act = this.approvals.question(requestId)?.request.act;
		if (act?.kind !== 'write' && act?.kind !== 'edit') return 'This was answered.\n';
		return side === 'after' ? act.after : (act.before ?? '');
	}

	dispose(): void {
		this.registration.dispose();
		this.stopListening();
	}

	/** A proposal that was answered is none any more. */
	private async closeAnswered(): Promise<void> {
		const answered = vscode.window.tabGroups.all
			.flatMap(({ tabs }) => tabs)
			.filter(({ input }) => {
				if (!(input instanceof vscode.TabInputTextDiff)) return false;
				const { modified } = input;
				return (
					modified.scheme === SCHEME && !this.approvals.question(addressOf(modified).requestId)
				);
			});
		if (answered.length === 0) return;
		try {
			await vscode.window.tabGroups.close(answered, true);
		} catch (error) {
			this.log.warn(`A proposed change could not be closed: ${errorText(error)}`);
		}
	}
}

function addressOf({ query }: vscode.Uri): { requestId: string; side: string } {
	try {
		const { requestId, side } = JSON.parse(query) as Record<string, unknown>;
		return { requestId: String(requestId), side: String(side) };
	} catch {
		// Someone else's address of our scheme: nothing waits for it.
		return { requestId: '', side: '' };
	}
}
