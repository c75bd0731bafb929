/**
 * One chat page's counterpart: answers its messages and keeps it up to date. Pages come and go; all
 * that matters is held here, in the session and in the drafts.
 */
import type { ChatItem, LivePart } from '../../protocol/chat-item.ts';
import {
	PAGE_ITEMS,
	PANEL_VERSION,
	type ActionId,
	type ChatStatus,
	type HostMessage,
	type HostMessageBody,
	type QueuedItem,
	type ViewMessageBody,
} from '../../protocol/panel.ts';
import { personCommand, type PersonCommand } from '../../protocol/person-command.ts';
import { parseViewMessage } from '../../protocol/panel-parsers.ts';
import type { AgentSessionEvent, ToolEvent } from '../../session/agent-events.ts';
import type { ContextUsage } from '../../session/context-usage.ts';
import type { QueuedPrompt } from '../../session/prompt-queue.ts';
import type { SessionEvent } from '../../session/session-manager.ts';
import type { Unsubscribe } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import type { ChatHost, ChatSession } from './chat-host.ts';
import { actionsFor, NO_COMMAND, NO_MODEL } from './chat-notices.ts';
import { appendedItems, chatPage } from './chat-page.ts';
import type { Question } from '../agent/approvals.ts';
import type { Drafts } from './drafts.ts';
import { LiveAnswer } from './live-answer.ts';
import { LiveRuns } from './live-runs.ts';
import { TurnNews } from './turn-news.ts';

/** The page as the controller knows it. */
export interface ChatSurface {
	post(message: HostMessage): void;
	/** Loads the page anew. */
	reload(): void;
	/** Asks the person's leave and opens a web address outside. */
	openLink(url: string): void;
}

/** What the page is to be sent anew. */
type Due = Record<'snapshot' | 'runs' | 'status', boolean>;

/** One frame of about 30 per second: what streams in between is sent together. */
const FRAME_MS = 30;

export class ChatController {
	private readonly host: ChatHost;
	private readonly drafts: Drafts;
	private readonly logger: Logger;
	private readonly surface: ChatSurface;
	private readonly frameMs: number;
	private readonly stopListening: Unsubscribe[];
	private session: ChatSession | undefined;
	private stopSession: Unsubscribe = () => {};
	/** A page that is hidden or has not said `ready` is sent nothing. */
	private listening = false;
	private seq = 0;
	/** The leaf up to which the page was told. */
	private shownLeaf: string | null = null;
	private readonly live = new LiveAnswer();
	private readonly runs = new LiveRuns();
	private readonly news = new TurnNews();
	/** The last revision of the composer's text that the page has told, whatever the session. */
	private draftRevision = 0;
	private readonly inFlight = new Set<string>();
	/** What the next frame will carry. */
	private due: Due = { snapshot: false, runs: false, status: false };
	private frame: ReturnType<typeof setTimeout> | undefined;
	/** What the context's size was when it was counted last; undefined for a session not counted yet. */
	private usage: ContextUsage | undefined;
	/** True where the session has changed since; it is counted anew when a status is sent. */
	private usageIsOld = true;
	private counting = false;

	constructor(
		host: ChatHost,
		drafts: Drafts,
		logger: Logger,
		surface: ChatSurface,
		frameMs = FRAME_MS,
	) {
		this.host = host;
		this.drafts = drafts;
		this.logger = logger;
		this.surface = surface;
		this.frameMs = frameMs;
		this.stopListening = [
			host.onDidChange(() => this.hostChanged()),
			host.approvals.onDidChange(() => this.questionsChanged()),
		];
		this.attach();
	}

	/** Takes a message from the page; malformed ones are logged and dropped. */
	receive(raw: unknown): void {
		const parsed = parseViewMessage(raw);
		if (!parsed.ok) {
			this.logger.warn(`Chat: dropped a message from the page (${parsed.reason}).`);
			return;
		}
		this.handle(parsed.value);
	}

	/** A page that comes back is sent everything; whether it was kept or loaded anew does not matter. */
	setVisible(visible: boolean): void {
		this.listening = visible;
		if (visible) this.sendSnapshot();
		else this.drafts.flush();
	}

	/** Puts a text into the composer, to be edited and sent; what stands there is kept below it. */
	insertText(text: string): void {
		if (!text) return;
		this.drafts.insert(this.sessionId, text);
		this.send({ type: 'setEditor', text });
	}

	dispose(): void {
		this.listening = false;
		clearTimeout(this.frame);
		for (const stop of this.stopListening) stop();
		this.stopSession();
		this.drafts.flush();
	}

	private get sessionId(): string | null {
		return this.session?.manager.id ?? null;
	}

	private handle(message: ViewMessageBody): void {
		switch (message.type) {
			case 'ready':
				this.draftRevision = 0;
				this.listening = true;
				return this.sendSnapshot();
			case 'resync':
				this.logger.info('Chat: the page missed a message and is sent everything again.');
				return this.sendSnapshot();
			case 'prompt':
				void this.prompt(message);
				return;
			case 'stop':
				return this.stop();
			case 'draft':
				// A page that comes back repeats its last words, in case they were not heard.
				if (message.revision <= this.draftRevision) return;
				this.draftRevision = message.revision;
				return this.drafts.set(message.sessionId, message.text);
			case 'loadEarlier':
				return this.sendEarlier(message.beforeId);
			case 'action':
				return this.host.runAction(message.id);
			case 'openEntry':
				return this.host.showEntry(message.id);
			case 'approval':
				return this.answer(message);
			case 'showChange':
				return this.host.approvals.showChange(message.requestId);
			case 'queued':
				return this.changeQueued(message);
			case 'openLink':
				return this.surface.openLink(message.url);
			case 'reload':
				this.listening = false;
				return this.surface.reload();
			case 'problem':
				return this.logger.error(`Chat page: ${message.message}`);
		}
	}

	/** Takes an answer to a question of the session on show; an old or forged one does nothing. */
	private answer(message: Extract<ViewMessageBody, { type: 'approval' }>): void {
		const { requestId, decision, reason } = message;
		const { approvals } = this.host;
		const isAsked = this.questions().some((question) => question.requestId === requestId);
		const given = decision === 'refuse' ? { refuse: reason } : { allow: decision };
		if (isAsked && approvals.answer(requestId, given)) return;
		this.logger.info('Chat: an answer came to no question that waits.');
		this.later('runs');
	}

	private async prompt(message: Extract<ViewMessageBody, { type: 'prompt' }>): Promise<void> {
		const { requestId, text } = message;
		const session = this.session;
		const reject = (reason: string, actions: ActionId[]) =>
			this.send({ type: 'promptRejected', requestId, message: reason, actions });
		if (!session) return reject('No session is open.', ['newSession', 'openSession']);
		const sessionId = session.manager.id;
		if (message.sessionId !== sessionId)
			return reject('Another session came on show before this was sent. Nothing was sent.', []);
		const personal = personCommand(text);
		if (personal) return this.runCommand(session, requestId, text, personal);
		const command = /^\/compact(?:\s+(?<focus>[\s\S]*))?$/.exec(text.trim());
		if (command) {
			this.host.runAction('compact', command.groups?.focus?.trim() || undefined);
			return this.accept(sessionId, requestId, text);
		}
		if (this.host.modelLabel() === undefined)
			return reject(NO_MODEL.message, [...NO_MODEL.actions]);
		this.inFlight.add(requestId);
		try {
			await session.prompt(text);
			this.inFlight.delete(requestId);
			this.accept(sessionId, requestId, text);
		} catch (error) {
			this.inFlight.delete(requestId);
			this.logger.warn(`Chat: a prompt was not taken: ${errorText(error)}`);
			// Nothing was sent, so trying again is sending the text that is still there.
			reject(
				errorText(error),
				actionsFor(error).filter((id) => id !== 'retry'),
			);
		}
	}

	/**
	 * Runs a person's command. Its end may be far away, so that the text is taken when it begins, and given
	 * back where it could not be run.
	 */
	private async runCommand(
		session: ChatSession,
		requestId: string,
		text: string,
		{ command, excludeFromContext }: PersonCommand,
	): Promise<void> {
		if (!command)
			return this.send({ type: 'promptRejected', requestId, message: NO_COMMAND, actions: [] });
		const begins = session.activity === 'idle';
		if (begins) {
			this.runs.startCommand(command, !excludeFromContext);
			// Told at once: most commands end before the next frame, and what was live stays open.
			this.due.runs = true;
			this.sendRuns();
			this.accept(session.manager.id, requestId, text);
		}
		try {
			await session.runCommand(command, { excludeFromContext });
		} catch (error) {
			this.logger.warn(`Chat: a command was not run: ${errorText(error)}`);
			if (this.session !== session) return this.drafts.insert(session.manager.id, text);
			if (begins) this.giveBack(text);
			const actions = actionsFor(error).filter((id) => id !== 'retry');
			this.send({ type: 'promptRejected', requestId, message: errorText(error), actions });
		}
	}

	/** Puts a command that did not run back; as prose where other text would become part of it. */
	private giveBack(text: string): void {
		this.runs.end();
		this.later('runs');
		this.insertText(this.drafts.get(this.sessionId) ? ` ${text}` : text);
	}

	private changeQueued({ id, act }: { id: string; act: 'edit' | 'steer' }): void {
		if (act === 'steer') this.session?.editQueued(id, { kind: 'steer' });
		else {
			const taken = this.session?.removeQueued(id);
			if (taken) this.insertText(taken.text);
		}
	}

	private accept(sessionId: string, requestId: string, text: string): void {
		this.drafts.sent(sessionId, text);
		this.send({ type: 'promptAccepted', requestId, text });
	}

	private stop(): void {
		if (this.session?.activity === 'compacting') this.session.abortCompaction();
		else
			this.session?.abort().catch((error: unknown) => {
				this.logger.error(`Chat: stopping failed: ${errorText(error)}`);
			});
	}

	/** Title, model and notice arrive as a status; another session as a snapshot. */
	private hostChanged(): void {
		if (this.host.session !== this.session) this.attach();
		else {
			this.usageIsOld = true;
			this.later('status');
		}
	}

	private attach(): void {
		this.stopSession();
		this.stopSession = () => {};
		this.session = this.host.session;
		const { session } = this;
		this.live.reset(session?.activity === 'streaming');
		this.runs.clear();
		this.runs.setQuestions(this.questions());
		this.news.clear();
		this.usage = undefined;
		this.usageIsOld = true;
		if (session) {
			this.drafts.open(session.manager.id, session, texts(session.queued));
			const stops = [
				session.manager.events.on((event) => this.sessionChanged(session, event)),
				session.events.on((event) => this.agentEvent(session, event)),
				session.toolEvents.on((event) => this.toolEvent(event)),
			];
			this.stopSession = () => stops.forEach((stop) => stop());
		}
		this.later('snapshot');
	}

	private sessionChanged(session: ChatSession, event: SessionEvent): void {
		this.usageIsOld = true;
		if (event.type === 'changedElsewhere' || event.type === 'outputsChanged')
			return this.later('snapshot');
		if (event.type === 'leafChanged') {
			if (event.leafId === this.shownLeaf) return;
			this.news.failure = null;
			return this.later('snapshot');
		}
		const { entry } = event;
		if (entry.type === 'message' && entry.message.role === 'assistant') {
			// The whole answer is in the session now, so the pieces of it are done with.
			this.flushDelta();
			this.live.reset(session.activity === 'streaming');
		}
		if (entry.type === 'message' && entry.message.role === 'bashExecution') {
			this.runs.end();
			this.later('runs');
		}
		if (!this.listening || this.due.snapshot || entry.parentId !== this.shownLeaf)
			return this.later('snapshot');
		this.shownLeaf = entry.id;
		const items = appendedItems(session.manager.tree, entry);
		if (items.length > 0) this.sendInOrder({ type: 'appended', items });
		this.later('status');
	}

	private agentEvent(session: ChatSession, event: AgentSessionEvent): void {
		this.news.take(event, Date.now());
		switch (event.type) {
			case 'textDelta':
				return this.addDelta({ type: 'text', text: event.delta });
			case 'thinkingDelta':
				return this.addDelta({ type: 'thinking', text: event.delta });
			case 'activityChanged':
				this.flushDelta();
				if (event.activity !== 'streaming') {
					this.live.reset(false);
					if (!this.runs.isEmpty) this.later('runs');
					this.runs.clear();
				} else if (!this.live.parts) this.live.reset(true);
				return this.later('status');
			case 'queueChanged':
				this.drafts.setQueued(session.manager.id, texts(event.queued));
				return this.later('status');
			default:
				return this.later('status');
		}
	}

	private toolEvent(event: ToolEvent): void {
		switch (event.type) {
			case 'toolStarted':
				this.runs.startCall(event.toolCallId);
				return this.later('runs');
			case 'toolEnded':
				this.runs.end(event.toolCallId);
				return this.later('runs');
			case 'toolOutput':
				this.runs.addOutput(event.toolCallId, event.delta);
				break;
			case 'commandOutput':
				this.runs.addOutput(undefined, event.delta);
		}
		if (this.listening) this.schedule();
	}

	private questions(): Question[] {
		return this.session ? this.host.approvals.pending(this.session.manager.id) : [];
	}

	private questionsChanged(): void {
		this.runs.setQuestions(this.questions());
		this.later('runs');
	}

	private addDelta(part: LivePart): void {
		this.live.add(part);
		if (this.listening) this.schedule();
	}

	private later(what: keyof Due): void {
		this.due[what] = true;
		this.schedule();
	}

	private schedule(): void {
		this.frame ??= setTimeout(() => {
			this.frame = undefined;
			if (this.due.snapshot) return this.sendSnapshot();
			this.flushDelta();
			this.sendRuns();
			if (this.due.status) this.sendStatus();
		}, this.frameMs);
	}

	private flushDelta(): void {
		const parts = this.live.takeUnsent();
		if (parts.length > 0) this.send({ type: 'delta', parts });
	}

	/** What is at work, or only what it has printed. */
	private sendRuns(): void {
		if (!this.listening) return;
		const { runs: isDue } = this.due;
		this.due.runs = false;
		if (isDue) return this.send({ type: 'runs', runs: this.runs.take() });
		const outputs = this.runs.takeOutput();
		if (outputs.length > 0) this.send({ type: 'output', outputs });
	}

	private sendInOrder(message: HostMessageBody): void {
		this.flushDelta();
		this.send(message);
	}

	private sendStatus(): void {
		this.due.status = false;
		if (this.listening)
			this.send({ type: 'status', status: this.status(), title: this.host.title });
	}

	/** Everything a page needs; whatever was due is part of it. */
	private sendSnapshot(): void {
		if (!this.listening) return;
		this.due = { snapshot: false, runs: false, status: false };
		this.live.takeUnsent();
		const manager = this.session?.manager;
		this.shownLeaf = manager?.leafId ?? null;
		const page = manager
			? chatPage(manager.tree, manager.leafId, PAGE_ITEMS)
			: { items: [] as ChatItem[], earlier: 0 };
		this.send({
			type: 'snapshot',
			session: manager ? { id: manager.id, title: this.host.title } : null,
			...page,
			live: this.live.parts?.map((part) => ({ ...part })) ?? null,
			runs: this.runs.take(),
			status: this.status(),
			draft: this.drafts.get(this.sessionId),
			draftRevision: this.draftRevision,
			inFlight: [...this.inFlight],
		});
	}

	private sendEarlier(beforeId: string): void {
		const tree = this.session?.manager.tree;
		// An id of a session that is no longer on show: the page is being sent another snapshot.
		if (!tree?.get(beforeId)) return;
		const page = chatPage(tree, tree.parentOf(beforeId), PAGE_ITEMS);
		this.sendInOrder({ type: 'earlier', beforeId, ...page });
	}

	private status(): ChatStatus {
		const { session } = this;
		const model = this.host.modelLabel() ?? null;
		const notice = this.host.notice();
		if (session && this.usageIsOld && !this.counting) void this.count(session);
		return {
			activity: session?.activity ?? 'idle',
			model,
			contextTokens: this.usage ? Math.round(this.usage.tokens) : null,
			contextIsExact: this.usage?.exact ?? false,
			contextWindow: Math.round(this.usage?.contextWindow ?? 0),
			progress: this.news.progress,
			queued: (session?.queued ?? []).map(queuedItem),
			notices: [...(model === null ? [NO_MODEL] : []), ...(notice ? [notice] : [])],
			failure: this.news.failure,
		};
	}

	/** Counts the context's size, and tells the page when that is done. */
	private async count(session: ChatSession): Promise<void> {
		this.counting = true;
		this.usageIsOld = false;
		try {
			const usage = await session.contextUsage();
			if (this.session === session) this.usage = usage;
		} catch (error) {
			this.logger.error(`Chat: the context could not be counted: ${errorText(error)}`);
		}
		this.counting = false;
		if (this.listening) this.later('status');
	}

	private send(message: HostMessageBody): void {
		if (!this.listening) return;
		this.seq++;
		this.surface.post({ ...message, version: PANEL_VERSION, seq: this.seq });
	}
}

function queuedItem({ id, text, kind }: QueuedPrompt): QueuedItem {
	return { id, text, steers: kind === 'steer' };
}

function texts(queued: readonly QueuedPrompt[]): string[] {
	return queued.map(({ text }) => text);
}
