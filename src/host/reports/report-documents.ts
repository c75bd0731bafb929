/**
 * Read-only pages about a session, under the scheme `espalier-report`: the preview of a compaction and
 * the account of the context. They say what holds now: each is written anew when the session goes on,
 * when another one is shown, and when the window has been reloaded.
 */
import * as vscode from 'vscode';
import type { AgentSession } from '../../session/agent-session.ts';
import { compactionBudget } from '../../session/compaction/budget.ts';
import { explainContext } from '../../session/explain-context.ts';
import { originalPlace } from '../../session/original-place.ts';
import { readRecentPath } from '../../session/recent-path.ts';
import type { SessionSettings } from '../../session/session-parts.ts';
import type { SystemPrompt } from '../../session/system-prompt.ts';
import { nextTask } from '../../util/async.ts';
import type { Emitter, Unsubscribe } from '../../util/emitter.ts';
import { errorText, UserError } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { COMMANDS } from '../command-ids.ts';
import { registerCommand } from '../report-error.ts';
import { localDate } from '../tree/tooltip.ts';
import { compactionPreview } from './compaction-preview.ts';
import { contextReport } from './context-report.ts';

const REPORT_SCHEME = 'espalier-report';

/** Changes within this time, in ms, are answered together. */
const REFRESH_DELAY = 500;
/** Entries that an account of the context lists; the account is made in one go, and read by a person. */
const MAX_ENTRIES = 1000;

/** By the name of the page, which is also the name of its tab. */
const REPORTS = {
	'Compaction preview': async (session) => {
		const plan = await session.compact({ dryRun: true });
		return compactionPreview(plan, session.manager.tree);
	},
	'Context explained': explainedContext,
} satisfies Record<string, (session: AgentSession, ports: ReportPorts) => Promise<string>>;

type ReportName = keyof typeof REPORTS;

/** What the pages need from the host. */
export interface ReportPorts {
	/** The session shown; undefined where none is open. */
	session(): AgentSession | undefined;
	onDidChangeSession: Emitter<AgentSession | undefined>;
	settings(): SessionSettings;
	/** Estimated tokens of each part of what every request carries besides its messages. */
	promptTokens(session: AgentSession): Promise<SystemPrompt['tokens']>;
	onDidChangeSettings(listener: () => void): Unsubscribe;
}

/** Registers the pages and the commands that open them. */
export function registerReports(
	context: vscode.ExtensionContext,
	ports: ReportPorts,
	log: Logger,
): void {
	const changed = new vscode.EventEmitter<vscode.Uri>();
	let timer: ReturnType<typeof setTimeout> | undefined;
	// Not restarted by further events: a page must not stand still for as long as answers stream in.
	const refresh = () => (timer ??= setTimeout(refreshNow, REFRESH_DELAY));
	const refreshNow = () => {
		timer = undefined;
		for (const { uri } of vscode.workspace.textDocuments)
			if (uri.scheme === REPORT_SCHEME) changed.fire(uri);
	};
	let unsubscribe: Unsubscribe | undefined;
	ports.onDidChangeSession.on((session) => {
		unsubscribe?.();
		unsubscribe = session?.manager.events.on(refresh);
		refresh();
	});
	ports.onDidChangeSettings(refresh);
	context.subscriptions.push(
		changed,
		{ dispose: () => clearTimeout(timer) },
		vscode.workspace.registerTextDocumentContentProvider(REPORT_SCHEME, {
			onDidChange: changed.event,
			provideTextDocumentContent: (uri) => reportText(uri, ports),
		}),
	);
	const open = async (name: ReportName) => {
		const session = ports.session();
		if (!session) throw new UserError('no-session', 'No session is open.');
		const uri = reportUri(name, session);
		// Where the page is open already, what it rests on may have changed without an event.
		changed.fire(uri);
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document, { preview: true });
	};
	registerCommand(context, log, COMMANDS.previewCompaction, () => open('Compaction preview'));
	registerCommand(context, log, COMMANDS.explainContext, () => open('Context explained'));
}

function reportUri(name: ReportName, { manager }: AgentSession): vscode.Uri {
	// Ids are another tool's: as query they cannot change the path.
	const query = JSON.stringify({ session: manager.id });
	return vscode.Uri.from({ scheme: REPORT_SCHEME, path: `/${name}.md`, query });
}

async function reportText(uri: vscode.Uri, ports: ReportPorts): Promise<string> {
	const name = uri.path.slice(1, -'.md'.length);
	const session = ports.session();
	if (!session || uri.query !== reportUri('Compaction preview', session).query)
		return `# ${name}\n\nThe session that this page is about is not open now.\n`;
	try {
		if (isReportName(name)) return await REPORTS[name](session, ports);
		return 'There is no such page.\n';
	} catch (error) {
		return `# ${name}\n\n${reasonText(error)}\n`;
	}
}

/** What a page says instead of its content; that nothing was changed goes without saying here. */
function reasonText(error: unknown): string {
	if (!(error instanceof UserError)) return errorText(error);
	return [error.message, error.hint].filter(Boolean).join('\n\n');
}

function isReportName(name: string): name is ReportName {
	return Object.hasOwn(REPORTS, name);
}

async function explainedContext(session: AgentSession, ports: ReportPorts): Promise<string> {
	const { manager } = session;
	const { tree, leafId } = manager;
	const { compaction, contextWindow } = ports.settings();
	const recent = await readRecentPath(tree, leafId, MAX_ENTRIES);
	const usage = await session.contextUsage();
	const promptTokens = await ports.promptTokens(session);
	const overheadTokens = Object.values(promptTokens).reduce((sum, tokens) => sum + tokens, 0);
	const { roomTokens } = compactionBudget({ ...compaction, contextWindow, overheadTokens });
	await nextTask();
	const coverage = explainContext(recent.path, {
		room: roomTokens,
		originalOf: (id) => originalPlace(manager, id),
	});
	await nextTask();
	return contextReport({ ...recent, ...usage, coverage, promptTokens, date: localDate });
}
