/** The extension's entry: starts the services; VS Code disposes what they registered. */
import type * as vscode from 'vscode';
import { startServices } from './host/services.ts';

export function activate(context: vscode.ExtensionContext): Promise<void> {
	return startServices(context);
}
