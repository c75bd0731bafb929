/**
 * The session that this window shows: opened, created, restored after a reload. What belongs to the
 * window and not to the session file (its leaf, which file it was) is kept in workspace state.
 */
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { copySession, forkSession } from '../node/copy-session.ts';
import { FileSessionStorage } from '../node/file-session-storage.ts';
import { PruneOverlayFiles } from '../node/prune-overlay-files.ts';
import { renameSession } from '../node/session-files.ts';
import { ARCHIVE_FOLDER } from '../node/session-folders.ts';
import { AgentSession, type AgentSessionOptions } from '../session/agent-session.ts';
import { SESSION_VERSION } from '../session/entries.ts';
import { SessionManager, type SavedLeaf } from '../session/session-manager.ts';
import { Emitter } from '../util/emitter.ts';
import { errorText, UserError } from '../util/errors.ts';
import type { Logger } from '../util/logger.ts';
import { showError } from './report-error.ts';
import { watchFile } from './sessions/watch-folders.ts';

const LAST_SESSION = 'lastSession';
const leafKey = (location: string) => `leaf:${location}`;
const warnedKey = (location: string) => `warned:${location}`;

export class SessionHost implements vscode.Disposable {
	/** Fires when another session is shown. */
	readonly onDidChangeSession = new Emitter<AgentSession | undefined>();
	private shown: AgentSession | undefined;
	private unsubscribe = () => {};
	private watcher: vscode.Disposable | undefined;
	private readonly context: vscode.ExtensionContext;
	private readonly agentOptions: (manager: SessionManager) => AgentSessionOptions;
	private readonly log: Logger & { show(): void };

	constructor(
		context: vscode.ExtensionContext,
		agentOptions: (manager: SessionManager) => AgentSessionOptions,
		log: Logger & { show(): void },
	) {
		this.context = context;
		this.agentOptions = agentOptions;
		this.log = log;
	}

	get session(): AgentSession | undefined {
		return this.shown;
	}

	/** The folder of our own session files. */
	get folder(): vscode.Uri {
		const base = this.context.storageUri ?? this.context.globalStorageUri;
		return vscode.Uri.joinPath(base, 'sessions');
	}

	/**
	 * Shows what this window showed before it was closed, or an empty new session. A session that cannot
	 * be opened is never replaced by an empty one: nothing is shown then, and why is said.
	 */
	async restore(preferred: string | undefined): Promise<void> {
		const last = preferred ?? this.context.workspaceState.get<string>(LAST_SESSION);
		if (last === undefined || !(await exists(last))) return this.startNew();
		try {
			await this.open(last);
		} catch (error) {
			void showError(error, this.log);
		}
	}

	/** Starts a session; its file comes into being with its first prompt. */
	async startNew(): Promise<void> {
		const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
		const { id, path } = this.newPlace();
		await this.show(SessionManager.create(this.storage(path), { id, cwd }));
	}

	/**
	 * Opens a session file. A version 3 file is opened as it is; an older one is opened as a version 3
	 * copy in our folder, and stays as it was.
	 * @throws UserError where the file is not a session; what is shown stays
	 */
	async open(path: string): Promise<void> {
		let manager = await this.load(path);
		if (manager.fileVersion < SESSION_VERSION) manager = await this.loadMigrated(manager);
		await this.show(manager);
		this.warnOnce(manager);
	}

	/**
	 * Goes on in a new session of our own that holds the path to an entry (the current leaf by default).
	 * The session on show stays as it is, and can be opened again.
	 * @throws UserError where there is no entry to fork from, or the new file cannot be written
	 */
	async fork(entryId?: string): Promise<void> {
		const source = this.shown?.manager;
		const leafId = entryId ?? source?.leafId;
		if (!source || !leafId)
			throw new UserError(
				'nothing-to-fork',
				'There is nothing to fork: the conversation is empty.',
			);
		const { id, path } = this.newPlace();
		await vscode.workspace.fs.createDirectory(this.folder);
		await forkSession(source, leafId, path, id);
		await this.show(await this.load(path));
	}

	/** True for the file of the session on show. */
	isShown(path: string): boolean {
		return this.shown?.manager.location === path;
	}

	/**
	 * Names a session, on show or not; an empty name takes the name back. Its leaf stays the one that
	 * this window remembers.
	 * @throws UserError where the name could not be written; the session is as it was
	 */
	async rename(path: string, name: string): Promise<void> {
		if (this.shown && this.isShown(path)) {
			await this.shown.manager.appendName(name);
			return;
		}
		const leaf = await renameSession(path, name, this.savedLeaf(path));
		await this.context.workspaceState.update(leafKey(path), leaf);
	}

	/** Takes what this window remembers of a session file to the file's new place. */
	async moved(from: string, to: string): Promise<void> {
		const { workspaceState } = this.context;
		for (const key of [leafKey, warnedKey]) {
			const remembered = workspaceState.get<unknown>(key(from));
			if (remembered === undefined) continue;
			await workspaceState.update(key(to), remembered);
			await workspaceState.update(key(from), undefined);
		}
	}

	dispose(): void {
		this.unsubscribe();
		this.watcher?.dispose();
		this.shown?.dispose();
	}

	/** pi's way to name a session's file. */
	private newPlace(): { id: string; path: string } {
		const id = crypto.randomUUID();
		const time = new Date().toISOString().replace(/[:.]/g, '-');
		return { id, path: vscode.Uri.joinPath(this.folder, `${time}_${id}.jsonl`).fsPath };
	}

	/** What lies in our folder, or in its archive, is ours; anything else is only appended to. */
	private storage(path: string): FileSessionStorage {
		return new FileSessionStorage(path, {
			own: [this.folder.fsPath, join(this.folder.fsPath, ARCHIVE_FOLDER)].includes(dirname(path)),
			overlay: new PruneOverlayFiles(vscode.Uri.joinPath(this.folder, '..', 'pruned').fsPath),
		});
	}

	private load(path: string): Promise<SessionManager> {
		return SessionManager.open(this.storage(path), this.savedLeaf(path));
	}

	private savedLeaf(path: string): SavedLeaf | undefined {
		return this.context.workspaceState.get<SavedLeaf>(leafKey(path));
	}

	/** The copy is made once: opening the old file again goes on in it. */
	private async loadMigrated(old: SessionManager): Promise<SessionManager> {
		const copyPath = join(
			this.folder.fsPath,
			`${basename(old.location, '.jsonl')}.${old.id}.v3.jsonl`,
		);
		if (!(await exists(copyPath))) {
			await vscode.workspace.fs.createDirectory(this.folder);
			await copySession(old, copyPath, () => Promise.resolve(), old.location);
		}
		const lost = old.warnings.filter(({ kind }) => kind === 'bad-line').length;
		const damaged = lost > 0 ? ` Its ${lost} damaged lines are in the original alone.` : '';
		void vscode.window.showInformationMessage(
			`${basename(old.location)} has an older format (version ${old.fileVersion}). A version 3 copy was opened; the original is untouched.${damaged}`,
		);
		return this.load(copyPath);
	}

	private async show(manager: SessionManager): Promise<void> {
		const previous = this.shown;
		const session = new AgentSession(manager, this.agentOptions(manager));
		this.unsubscribe();
		this.unsubscribe = manager.events.on(() => void this.rememberLeaf(manager));
		this.watcher?.dispose();
		this.watcher = watchFile(manager.location, () => this.pickUp(manager));
		this.shown = session;
		this.onDidChangeSession.emit(session);
		previous?.dispose();
		await this.context.workspaceState.update(LAST_SESSION, manager.location);
	}

	/** Shows what another program has written to the session. */
	private pickUp(manager: SessionManager): void {
		manager.refresh().catch((error: unknown) => {
			this.log.warn(`${manager.location} could not be read again: ${errorText(error)}`);
		});
	}

	private rememberLeaf(manager: SessionManager): Thenable<void> {
		return this.context.workspaceState.update(leafKey(manager.location), manager.savedLeaf);
	}

	/** Tells what was repaired, once for each state of a file; all of it goes to the log. */
	private warnOnce({ warnings, location }: SessionManager): void {
		for (const { message } of warnings) this.log.warn(`${location}: ${message}`);
		const key = warnedKey(location);
		if (warnings.length === this.context.workspaceState.get<number>(key, 0)) return;
		void this.context.workspaceState.update(key, warnings.length);
		if (warnings.length === 0) return;
		const more = warnings.length > 1 ? ` (and ${warnings.length - 1} more)` : '';
		void vscode.window
			.showWarningMessage(
				`${basename(location)}: ${warnings[0]?.message}${more} The file is untouched.`,
				'Show all',
			)
			.then((choice) => choice && this.log.show());
	}
}

function exists(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}
