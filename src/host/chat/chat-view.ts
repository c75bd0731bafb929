/** The chat in VS Code's side bar: connects the view's page with a ChatController. */
import * as vscode from 'vscode';
import { Emitter } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { ChatController } from './chat-controller.ts';
import type { ChatHost, DraftStore } from './chat-host.ts';
import { chatHtml } from './chat-html.ts';
import { Drafts } from './drafts.ts';

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
	private readonly root: vscode.Uri;
	private readonly host: ChatHost;
	private readonly drafts: Drafts;
	private readonly logger: Logger;
	/** Fires when the page is shown or hidden. */
	readonly onDidChangeVisibility: Emitter<void>;
	private controller: ChatController | undefined;
	private view: vscode.WebviewView | undefined;
	private badge: vscode.ViewBadge | undefined;

	constructor(extensionUri: vscode.Uri, host: ChatHost, draftStore: DraftStore, logger: Logger) {
		this.root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
		this.host = host;
		this.drafts = new Drafts(draftStore);
		this.logger = logger;
		this.onDidChangeVisibility = new Emitter((error) => logger.error(String(error)));
	}

	/** Whether a person can see the page now. */
	get visible(): boolean {
		return this.view?.visible ?? false;
	}

	/** Puts a number on the view's icon; 0 takes it away. */
	setBadge(value: number, tooltip: string): void {
		this.badge = value > 0 ? { value, tooltip } : undefined;
		if (this.view) this.view.badge = this.badge;
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		const { webview } = view;
		webview.options = { enableScripts: true, localResourceRoots: [this.root] };
		const load = () => {
			webview.html = this.html(webview);
		};
		this.controller?.dispose();
		const controller = new ChatController(this.host, this.drafts, this.logger, {
			post: (message) => void webview.postMessage(message),
			reload: load,
			openLink: (url) => this.openLink(url),
		});
		this.controller = controller;
		this.view = view;
		view.badge = this.badge;
		const listeners = [
			webview.onDidReceiveMessage((message: unknown) => controller.receive(message)),
			view.onDidChangeVisibility(() => {
				controller.setVisible(view.visible);
				this.onDidChangeVisibility.emit();
			}),
		];
		view.onDidDispose(() => {
			for (const listener of listeners) listener.dispose();
			controller.dispose();
			if (this.view === view) this.view = undefined;
			if (this.controller === controller) this.controller = undefined;
			this.onDidChangeVisibility.emit();
		});
		load();
		this.onDidChangeVisibility.emit();
	}

	/** Puts a text into the composer, to be edited and sent; what stands there is kept below it. */
	insertText(text: string): void {
		if (this.controller) this.controller.insertText(text);
		else if (text) this.drafts.insert(this.host.session?.manager.id ?? null, text);
	}

	/** Takes what stands unsent in another session's composer into that of the session on show. */
	takeDraft(fromSessionId: string): void {
		const text = this.drafts.get(fromSessionId);
		this.drafts.set(fromSessionId, '');
		this.insertText(text);
	}

	dispose(): void {
		this.controller?.dispose();
		this.drafts.flush();
	}

	/** VS Code asks the person before it opens an address that is not trusted yet. */
	private openLink(url: string): void {
		vscode.env.openExternal(vscode.Uri.parse(url, true)).then(undefined, (error: unknown) => {
			this.logger.warn(`Chat: a link could not be opened: ${errorText(error)}`);
		});
	}

	private html(webview: vscode.Webview): string {
		const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.root, file));
		return chatHtml({
			script: uri('main.js').toString(),
			style: uri('main.css').toString(),
			cspSource: webview.cspSource,
			nonce: crypto.randomUUID().replaceAll('-', ''),
		});
	}
}
