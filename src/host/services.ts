/** Builds everything that runs in VS Code and connects it: the one place that knows all the parts. */
import * as vscode from 'vscode';
import { compactionMode } from '../config/compaction-mode.ts';
import { retryPolicy } from '../config/retry-policy.ts';
import { ompBlobs } from '../node/omp-blobs.ts';
import { WorkerTokenizer } from '../node/worker-tokenizer.ts';
import { createOfflineSummarizer } from '../providers/offline/offline-summarizer.ts';
import { HookRegistry } from '../extensibility/hooks/registry.ts';
import type { AgentSession, AgentSessionOptions } from '../session/agent-session.ts';
import type { SessionSettings } from '../session/session-parts.ts';
import { TokenCounts } from '../session/token-counts.ts';
import { VisitedLeaves } from '../session/visited-leaves.ts';
import { createChatHost } from './chat/host.ts';
import { ChatView } from './chat/chat-view.ts';
import { COMMANDS, VIEWS } from './command-ids.ts';
import { workspaceDrafts } from './chat/workspace-drafts.ts';
import { createAgentSetup } from './agent/agent-setup.ts';
import { registerApprovalNotices } from './agent/approval-notices.ts';
import { Approvals } from './agent/approvals.ts';
import { ProposalDocuments } from './agent/proposal-documents.ts';
import { revokeAllowedTools } from './agent/revoke-allowed-tools.ts';
import { workspaceGuard } from './agent/workspace-guard.ts';
import { createApi, type EspalierApi } from './api.ts';
import { registerCommands } from './commands.ts';
import { registerEntryDocuments } from './entry-document.ts';
import { createLog } from './log.ts';
import { ActiveModel } from './models/active-model.ts';
import { SERVER_PROVIDER } from './models/choice-rules.ts';
import { ModelConnection } from './models/model-connection.ts';
import { registerModelPicker } from './models/model-picker.ts';
import { registerReports } from './reports/report-documents.ts';
import { registerCommand, showError } from './report-error.ts';
import { SessionHost } from './session-host.ts';
import { HostSettings } from './settings.ts';
import { TreeNavigation } from './tree/navigation.ts';
import { SessionTreeView } from './tree/session-tree-view.ts';
import { workspaceVisitedLeaves } from './tree/workspace-visited-leaves.ts';

/** Names the session file that a start script or a test wants on show, instead of the last one. */
const OPEN_SESSION_VARIABLE = 'ESPALIER_OPEN_SESSION';

/** Starts the extension; resolves with what other extensions get when a session is on show. */
export async function startServices(context: vscode.ExtensionContext): Promise<EspalierApi> {
	const log = createLog(context);
	const settings = new HostSettings(context);
	const connection = new ModelConnection(context, settings, log);
	const active = new ActiveModel({ memory: context.workspaceState, settings, connection, log });
	const tokenizer = new WorkerTokenizer({ log });
	const hooks = new HookRegistry((failure) => log.warn(failure));
	const approvals = new Approvals({
		memory: context.workspaceState,
		isTrusted: () => vscode.workspace.isTrusted,
		log,
	});
	const agentSetup = createAgentSetup({
		outputFolder: vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'outputs')
			.fsPath,
		approval: (sessionId, folder) => approvals.forSession(sessionId, folder),
		log,
	});
	const agentOptions: AgentSessionOptions = {
		model: () => active.model(),
		summaryModels: () => active.summaryModels(),
		retry: () => retryPolicy(settings.current),
		offline: createOfflineSummarizer(),
		blobs: ompBlobs(),
		counts: new TokenCounts({ tokenizer }),
		settings: () => sessionSettings(settings, active),
		findWindow: () => active.findWindow(),
		hooks,
		onListenerError: (error) => log.error(`A view failed: ${String(error)}`),
	};
	const sessions = new SessionHost(
		context,
		(manager) => ({
			...agentOptions,
			setup: () => agentSetup(manager),
			guard: workspaceGuard(context.workspaceState, manager.id),
		}),
		log,
	);
	const proposals = new ProposalDocuments(approvals, log);
	const chatHost = createChatHost({ sessions, settings, active, approvals, proposals, log });
	const chat = new ChatView(
		context.extensionUri,
		chatHost,
		workspaceDrafts(context.workspaceState),
		log,
	);
	const tree = new SessionTreeView(log);
	let visited: VisitedLeaves | undefined;
	const visitedStore = workspaceVisitedLeaves(context.workspaceState);
	const navigation = new TreeNavigation({
		session: () => sessions.session,
		visited: () => visited,
		summarizeByDefault: () => settings.current['branchSummary.enabled'],
		setEditorText: async (text) => {
			await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
			chat.insertText(text);
		},
		treeVisible: () => tree.visible,
		log,
	});
	const showSession = (session: AgentSession | undefined) => {
		active.follow(session);
		tree.setSession(session?.manager);
		visited = session && new VisitedLeaves(visitedStore, session.manager.id);
		if (!session) return;
		const { manager } = session;
		const remember = () => visited?.visit(manager.tree, manager.leafId);
		remember();
		manager.events.on(remember);
	};
	sessions.onDidChangeSession.on(showSession);
	context.subscriptions.push(
		sessions,
		active,
		tokenizer,
		tree,
		navigation,
		chat,
		vscode.window.registerWebviewViewProvider(VIEWS.chat, chat),
		proposals,
		registerApprovalNotices(approvals, chat, log),
		registerEntryDocuments({
			manager: () => sessions.session?.manager,
			managerOf: (id) =>
				sessions.session?.manager.id === id ? sessions.session.manager : undefined,
		}),
	);
	registerReports(
		context,
		{
			session: () => sessions.session,
			onDidChangeSession: sessions.onDidChangeSession,
			settings: () => sessionSettings(settings, active),
			promptTokens: async ({ manager }) => (await agentSetup(manager)).promptTokens,
			onDidChangeSettings: (listener) => {
				const stops = [settings.onDidChange.on(listener), active.onDidChange.on(listener)];
				return () => stops.forEach((stop) => stop());
			},
		},
		log,
	);
	registerCommand(context, log, COMMANDS.revokeAllowedTools, () => revokeAllowedTools(approvals));
	registerModelPicker(context, active, connection, log);
	connection.onDidConnect.on((modelId) => {
		active
			.choose({ provider: SERVER_PROVIDER, modelId })
			.catch((error: unknown) => showError(error, log));
	});
	registerCommands(context, sessions, (from) => chat.takeDraft(from), log);
	await sessions.restore(process.env[OPEN_SESSION_VARIABLE]);
	return createApi(hooks);
}

function sessionSettings({ current }: HostSettings, active: ActiveModel): SessionSettings {
	return {
		compaction: {
			reserveTokens: current['compaction.reserveTokens'],
			keepRecentTokens: current['compaction.keepRecentTokens'],
			mode: compactionMode(current),
			thresholdPercent: current['compaction.thresholdPercent'],
			autoContinue: current['compaction.autoContinue'],
		},
		branchSummary: {
			enabled: current['branchSummary.enabled'],
			reserveTokens: current['branchSummary.reserveTokens'],
		},
		contextWindow: active.contextWindow,
	};
}
