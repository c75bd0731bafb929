// What the helper extension's `activate` returns.
import type * as vscode from 'vscode';

export interface LmRequest {
	/** The model's id. */
	model: string;
	messages: { role: number; content: unknown[] }[];
	/** What it may call. */
	tools: readonly vscode.LanguageModelChatTool[];
}

export type LmScript = (
	request: LmRequest,
	progress: vscode.Progress<vscode.LanguageModelResponsePart>,
	token: vscode.CancellationToken,
) => Promise<void>;

export interface ScriptedModels {
	/** What was asked so far, the oldest first. */
	requests: LmRequest[];
	/** What answers from now on. */
	answerWith(script: LmScript): void;
	/** Offers only the models with these ids. */
	offer(ids: string[]): void;
	/** Forgets requests and script, and offers all models. */
	reset(): void;
}
