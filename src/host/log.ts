/** The log: one channel, named after the product. */
import * as vscode from 'vscode';
import type { Logger } from '../util/logger.ts';

/** Creates the channel; it is disposed with the extension. */
export function createLog(context: vscode.ExtensionContext): Logger & { show(): void } {
	const channel = vscode.window.createOutputChannel('Espalier', { log: true });
	context.subscriptions.push(channel);
	return {
		debug: (message) => channel.debug(message),
		info: (message) => channel.info(message),
		warn: (message) => channel.warn(message),
		error: (message) => channel.error(message),
		show: () => channel.show(true),
	};
}
