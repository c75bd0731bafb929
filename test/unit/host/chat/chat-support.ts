/** A chat controller with a session that does what a test says, and the page's messages as they were posted. */
import assert from 'node:assert/strict';
import { Approvals, type ApprovalDecision } from '../../../../src/host/agent/approvals.ts';
import { ChatController } from '../../../../src/host/chat/chat-controller.ts';
import type { ChatHost, ChatSession } from '../../../../src/host/chat/chat-host.ts';
import { Drafts } from '../../../../src/host/chat/drafts.ts';
import {
	PANEL_VERSION,
	type HostMessage,
	type ViewMessageBody,
} from '../../../../src/protocol/panel.ts';
import type { QueuedPrompt } from '../../../../src/session/prompt-queue.ts';
import { parseHostMessage } from '../../../../src/protocol/panel-parsers.ts';
import type {
	Activity,
	AgentSessionEvent,
	ToolEvent,
} from '../../../../src/session/agent-events.ts';
import { SessionManager } from '../../../../src/session/session-manager.ts';
import { Emitter } from '../../../../src/util/emitter.ts';
import { silentLogger } from '../../../../src/util/logger.ts';

const FRAME_MS = 2;
/** Resolves when a frame has been sent. */
export const frame = () => new Promise((resolve) => setTimeout(resolve, FRAME_MS * 5));

export class FakeSession implements ChatSession {
	readonly manager = SessionManager.inMemory();
	readonly events = new Emitter<AgentSessionEvent>();
	readonly toolEvents = new Emitter<ToolEvent>();
	activity: Activity = 'idle';
	queued: readonly QueuedPrompt[] = [];
	editQueued = () => false;
	removeQueued = () => undefined;
	stopped: string[] = [];
	failWith: Error | undefined;

	async prompt(text: string): Promise<void> {
		if (this.failWith) throw this.failWith;
		await this.say(text);
	}
	/** The commands that were begun, with what ends them. */
	readonly commands: { command: string; options: unknown; end: (error?: Error) => void }[] = [];
	async runCommand(command: string, options: unknown): Promise<void> {
		if (this.failWith) throw this.failWith;
		this.become('streaming');
		try {
			await new Promise<void>((resolve, reject) => {
				const end = (error?: Error) => (error ? reject(error) : resolve());
				this.commands.push({ command, options, end });
			});
		} finally {
			this.become('idle');
		}
	}
	abort(): Promise<void> {
		this.stopped.push('turn');
		return Promise.resolve();
	}
	abortCompaction(): void {
		this.stopped.push('compaction');
	}
	contextUsage() {
		const known = { messageTokens: 10, exact: true, basis: 'reported' as const, percent: 10.4 };
		return Promise.resolve({ tokens: 10.4, contextWindow: 100, ...known });
	}
	say(text: string) {
		return this.manager.appendMessage({ role: 'user', content: text, timestamp: 1 });
	}
	answer(text: string) {
		return this.manager.appendMessage({
			role: 'assistant',
			content: [{ type: 'text', text }],
			stopReason: 'stop',
			model: 'm',
		} as never);
	}
	become(activity: Activity): void {
		this.activity = activity;
		this.events.emit({ type: 'activityChanged', activity });
	}
}

/** @param shared what another controller works on already */
export function setUpChat(shared: { session?: FakeSession; approvals?: Approvals } = {}) {
	const changes = new Emitter<void>();
	const acted: string[] = [];
	const warned: string[] = [];
	const saved = new Map<string, string>();
	const session = shared.session ?? new FakeSession();
	const approvals =
		shared.approvals ??
		new Approvals({
			memory: { get: () => undefined, update: () => Promise.resolve() },
			isTrusted: () => true,
			log: silentLogger,
		});
	const host = {
		approvals: {
			pending: (id: string) => approvals.pending(id),
			answer: (id: string, decision: ApprovalDecision) => approvals.answer(id, decision),
			onDidChange: approvals.onDidChange.on,
			showChange: (id: string) => void acted.push(`change:${id}`),
		},
		session: session as FakeSession | undefined,
		title: 'Title',
		model: 'gpt' as string | undefined,
		modelLabel: () => host.model,
		notice: () => undefined,
		onDidChange: changes.on,
		runAction: (id: string, argument?: string) => void acted.push([id, argument].join(':')),
		showEntry: (id: string) => void acted.push(`show:${id}`),
	};
	const posted: HostMessage[] = [];
	const drafts = new Drafts({
		get: (id) => saved.get(id),
		set: (id, text) => void saved.set(id, text),
	});
	const controller = new ChatController(
		host satisfies ChatHost,
		drafts,
		{ ...silentLogger, warn: (text) => void warned.push(text) },
		{
			post: (message) => {
				const copy = structuredClone(message);
				assert.deepEqual(parseHostMessage(copy), { ok: true, value: copy });
				posted.push(copy);
			},
			reload: () => void acted.push('reload'),
			openLink: (url) => void acted.push(`link:${url}`),
		},
		FRAME_MS,
	);
	const receive = (body: ViewMessageBody) =>
		controller.receive({ ...body, version: PANEL_VERSION });
	/** A status comes once more when the context has been counted. */
	const types = () =>
		posted
			.map(({ type }) => type)
			.filter((type, i, all) => type !== 'status' || all[i - 1] !== type);
	const lastSnapshot = () => posted.findLast(({ type }) => type === 'snapshot');
	return {
		acted,
		approvals,
		changes,
		controller,
		drafts,
		host,
		lastSnapshot,
		posted,
		receive,
		saved,
		session,
		types,
		warned,
	};
}

export type ChatContext = ReturnType<typeof setUpChat>;
