/** The question before a new server gets anything, and where the answers are kept: on this machine. */
import * as vscode from 'vscode';
import { OriginConsent } from './origin-consent.ts';

const KEY = 'espalier.confirmedOrigins';
const SEND = 'Send';

export function createOriginConsent({ globalState }: vscode.ExtensionContext): OriginConsent {
	return new OriginConsent({
		load: () => globalState.get(KEY),
		save: (confirmed) => globalState.update(KEY, confirmed),
		async ask(origin, purpose) {
			const what = purpose === 'model' ? 'Your conversation' : 'What is to be summarized';
			const answer = await vscode.window.showWarningMessage(
				`Send your conversation to ${origin}?`,
				{
					modal: true,
					detail: `The settings name this server now. ${what}, and the key stored for it, will be sent there. You are asked once.`,
				},
				SEND,
			);
			return answer === SEND;
		},
	});
}
