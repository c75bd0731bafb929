/** The extension's entry: starts the services; VS Code disposes what they registered. */
import type * as vscode from 'vscode';
import type { EspalierApi } from './host/api.ts';
import { startServices } from './host/services.ts';

export function activate(context: vscode.ExtensionContext): Promise<EspalierApi> {
	return startServices(context);
}
