/**
 * A session at work: prompts, compaction and navigation on one SessionManager, one at a time. Prompts
 * that come meanwhile are queued and sent afterwards.
 */
import { streamAnswer } from '../agent/loop.ts';
import type { AssistantMessage } from '../agent/messages.ts';
import { ModelError, type Model } from '../agent/model.ts';
import type { RetryPolicy } from '../agent/retry.ts';
import { untilAborted } from '../util/async.ts';
import { Emitter } from '../util/emitter.ts';
import { errorText, isAbort, UserError } from '../util/errors.ts';
import type {
	Activity,
	AgentSessionEvent,
	CompactionOutcome,
	CompactOptions,
	NavigateOptions,
	NavigateResult,
} from './agent-events.ts';
import { withBlobs, type BlobStore } from './blobs.ts';
import {
	generateBranchSummary,
	collectEntriesForBranchSummary,
} from './compaction/branch-summarization.ts';
import { compactionBudget } from './compaction/budget.ts';
import { compact, prepareCompaction } from './compaction/compaction.ts';
import { createModelSummarizer } from './compaction/model-summarizer.ts';
import type { Summarizer } from './compaction/summarizer.ts';
import { countContextTokens } from './context-tokens.ts';
import { requireReadable } from './entry-parse.ts';
import { navigationTarget } from './navigation.ts';
import { buildRequest } from './request-builder.ts';
import type { SessionManager } from './session-manager.ts';

export interface SessionSettings {
	compaction: { reserveTokens: number; keepRecentTokens: number };
	branchSummary: { enabled: boolean; reserveTokens: number };
	/** Tokens of the model's window. */
	contextWindow: number;
}

export interface AgentSessionOptions {
	/** The connected model; undefined where none is. Asked anew for each request. */
	model: () => Promise<Model | undefined>;
	/** The models asked for summaries before the connected one, in order; none where absent. */
	summaryModels?: () => Promise<readonly Model[]>;
	/** How requests that failed for a passing reason are tried again; not at all where absent. */
	retry?: () => RetryPolicy;
	offline: Summarizer;
	settings: () => SessionSettings;
	systemPrompt?: string;
	/** Where the images of oh-my-pi's sessions lie. */
	blobs?: BlobStore;
	/** Receives what a listener of `events` throws. */
	onListenerError?: (error: unknown) => void;
}

/** The one thing that a session is doing. */
interface Operation {
	activity: Exclude<Activity, 'idle'>;
	controller: AbortController;
	/** Resolves once the operation has settled, whatever its outcome. */
	settled: Promise<void>;
	settle: () => void;
	/** A turn that was cut short while its answer came: only such a one is taken up again. */
	interrupted: boolean;
	/** Lets other windows work on the session again. */
	release: () => Promise<void>;
}

export class AgentSession {
	readonly manager: SessionManager;
	readonly events: Emitter<AgentSessionEvent>;
	private readonly options: AgentSessionOptions;
	private current: Operation | undefined;
	private readonly queue: string[] = [];
	/** Set by a failed or stopped turn: the queue waits for a turn that succeeds, or for a new prompt. */
	private paused = false;
	private disposed = false;
	/** Answers that could not be saved, by the entry that they follow; kept until they are. */
	private readonly unsaved = new Map<string | null, AssistantMessage>();

	constructor(manager: SessionManager, options: AgentSessionOptions) {
		this.manager = manager;
		this.options = options;
		this.events = new Emitter(options.onListenerError);
	}

	get activity(): Activity {
		return this.current?.activity ?? 'idle';
	}

	/** Prompts that wait, oldest first. */
	get queued(): readonly string[] {
		return this.queue;
	}

	/**
	 * Sends a prompt. Resolves once it is on disk, or queued behind what is running; the answer streams
	 * on through `events`.
	 * @throws UserError('no-model') or the storage's error: then nothing was changed
	 */
	async prompt(text: string): Promise<void> {
		if (!this.current && this.queue.length === 0) return this.send(text);
		this.queue.push(text);
		this.events.emit({ type: 'queueChanged', queued: this.queued });
		if (this.current) return;
		this.paused = false;
		await this.sendNextQueued();
	}

	private async send(text: string): Promise<void> {
		const operation = this.begin('streaming');
		let model: Model;
		try {
			model = await this.requireModel(operation);
			operation.release = await this.manager.hold();
			await this.saveUnsaved();
			await this.manager.appendMessage({ role: 'user', content: text, timestamp: Date.now() });
		} catch (error) {
			await this.end(operation, 'nothing');
			throw error;
		}
		void this.runTurn(operation, model);
	}

	/**
	 * Asks for an answer without a new prompt: after a failed turn, or one that a compaction interrupted.
	 * An answer that had come but could not be saved is saved instead.
	 * @throws UserError('no-model'), UserError('busy') or the storage's error
	 */
	async continue(): Promise<void> {
		this.refuseIfBusy('ask again');
		const operation = this.begin('streaming');
		try {
			if (await this.saveUnsaved()) return await this.end(operation);
			const model = await this.requireModel(operation);
			operation.release = await this.manager.hold();
			void this.runTurn(operation, model);
		} catch (error) {
			await this.end(operation, 'nothing');
			throw error;
		}
	}

	/** Ends the running turn; what came is recorded as aborted. Resolves when it has settled. */
	async abort(): Promise<void> {
		if (this.current?.activity !== 'streaming') return;
		this.current.controller.abort();
		await this.current.settled;
	}

	/**
	 * Summarizes older history of the current branch into a new compaction entry. A running turn is
	 * aborted first and resumed once afterwards.
	 * @throws UserError where there is nothing to compact, no usable summary came back, or a compaction or
	 * navigation is running; an AbortError when cancelled. The session is unchanged then.
	 */
	async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
		if (this.current && this.current.activity !== 'streaming') this.refuseIfBusy('compact');
		const interrupted = this.current;
		// The new operation is in place before the old one settles: nothing can slip in between.
		const operation = this.begin('compacting');
		interrupted?.controller.abort();
		await interrupted?.settled;
		try {
			operation.release = await this.manager.hold();
			await this.saveUnsaved();
			return await this.runCompaction(operation, options);
		} finally {
			await this.end(operation, interrupted?.interrupted ? 'resume' : 'queue');
		}
	}

	/** Cancels a running compaction. */
	abortCompaction(): void {
		if (this.current?.activity === 'compacting') this.current.controller.abort();
	}

	/**
	 * Moves the leaf (spec: navigation targets), after summarizing what is left where that was asked.
	 * @throws UserError where the target is unknown, the session is busy or the summary failed: the leaf
	 * is unmoved then. Cancelling gives `{ cancelled: true, aborted: true }`.
	 */
	async navigateTree(targetId: string, options: NavigateOptions = {}): Promise<NavigateResult> {
		this.refuseIfBusy('move to another entry');
		const { leafId, editorText } = navigationTarget(this.manager, targetId);
		if (targetId === this.manager.leafId) return { cancelled: false };
		const operation = this.begin('navigating');
		try {
			const summary = await this.summarizeLeftBranch(operation, leafId, options);
			anySignal(operation, options.signal).throwIfAborted();
			const summaryEntry = summary && (await this.manager.branchWithSummary(leafId, summary));
			if (!summaryEntry) this.manager.branch(leafId);
			return {
				cancelled: false,
				...(editorText === undefined ? {} : { editorText }),
				...(summaryEntry ? { summaryEntry } : {}),
			};
		} catch (error) {
			if (isAbort(error)) return { cancelled: true, aborted: true };
			throw error;
		} finally {
			await this.end(operation);
		}
	}

	/** What the meter shows, in tokens: the estimate that compaction decides by. */
	async contextUsage(): Promise<{ tokens: number; contextWindow: number }> {
		const { messages } = await this.manager.readContext();
		return {
			tokens: await countContextTokens(messages),
			contextWindow: this.options.settings().contextWindow,
		};
	}

	/** Resolves when nothing is running. */
	async whenIdle(): Promise<void> {
		while (this.current) await this.current.settled;
	}

	/** Ends whatever is running; queued prompts stay with the caller (see `queued`). */
	dispose(): void {
		this.disposed = true;
		this.current?.controller.abort();
	}

	private async runTurn(operation: Operation, model: Model): Promise<void> {
		let failed = false;
		try {
			const { systemPrompt, blobs } = this.options;
			const context = (await this.manager.readContext()).messages;
			const { messages } = buildRequest(blobs ? await withBlobs(context, blobs) : context);
			const answer = await streamAnswer(
				model,
				{ messages, ...(systemPrompt ? { systemPrompt } : {}) },
				{
					text: (delta) => this.events.emit({ type: 'textDelta', delta }),
					thinking: (delta) => this.events.emit({ type: 'thinkingDelta', delta }),
				},
				operation.controller.signal,
			);
			await this.save(answer.message);
			operation.interrupted = answer.message.stopReason === 'aborted';
			if (answer.error) throw answer.error;
		} catch (error) {
			failed = true;
			this.reportFailure(error);
		} finally {
			// Queued prompts would fail too, or were meant to follow the answer that was stopped.
			this.paused = failed || operation.interrupted;
			await this.end(operation);
		}
	}

	private async save(answer: AssistantMessage): Promise<void> {
		const { leafId } = this.manager;
		try {
			await this.manager.appendMessage(answer);
		} catch (error) {
			this.unsaved.set(leafId, answer);
			throw answerNotSaved(error);
		}
	}

	/** Saves the answer that belongs here. @returns false where there is none */
	private async saveUnsaved(): Promise<boolean> {
		const { tree, leafId } = this.manager;
		let belongsTo = leafId;
		// A name or a label given meanwhile stands between the two.
		while (belongsTo !== null && !this.unsaved.has(belongsTo) && isAside(tree.typeOf(belongsTo)))
			belongsTo = tree.parentOf(belongsTo);
		// One whose prompt is no longer in the file is saved wherever the session goes on.
		if (!this.unsaved.has(belongsTo))
			belongsTo = [...this.unsaved.keys()].find((id) => id !== null && !tree.has(id)) ?? null;
		const answer = this.unsaved.get(belongsTo);
		if (!answer) return false;
		await this.manager.appendMessage(answer);
		this.unsaved.delete(belongsTo);
		this.paused = false;
		return true;
	}

	private async runCompaction(
		operation: Operation,
		options: CompactOptions,
	): Promise<CompactionOutcome> {
		const path = await this.manager.tree.readContextPathTo(this.manager.leafId);
		const preparation = prepareCompaction(path, this.compactionSettings());
		if (!preparation) throw nothingToCompact(path.at(-1)?.type === 'compaction');
		const signal = anySignal(operation, options.signal);
		const summarizer = await untilAborted(this.summarizer(options.summarizer), signal);
		const { instructions } = options;
		const making = compact(preparation, summarizer, { instructions, signal });
		const result = await untilAborted(making, signal);
		this.requireLeaf(path.at(-1)?.id ?? null);
		const entry = await this.manager.appendCompaction({ ...result, fromExtension: false });
		return {
			entry,
			tokensBefore: result.tokensBefore,
			tokensAfter: result.tokensAfter,
			summarizedMessages:
				preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length,
			keptMessages: preparation.keptMessages.length,
			summarizer: summarizer.name,
		};
	}

	private async summarizeLeftBranch(
		operation: Operation,
		newLeafId: string | null,
		options: NavigateOptions,
	) {
		const settings = this.options.settings();
		if (!(options.summarize ?? settings.branchSummary.enabled)) return undefined;
		const fromId = this.manager.leafId;
		const { entries } = collectEntriesForBranchSummary(this.manager.tree, fromId, newLeafId);
		for (const entry of entries) requireReadable(entry);
		if (fromId === null || entries.length === 0) return undefined;
		operation.release = await this.manager.hold();
		const signal = anySignal(operation, options.signal);
		const summarizer = await untilAborted(this.summarizer(options.summarizer), signal);
		const budget = compactionBudget({
			...this.compactionSettings(),
			reserveTokens: settings.branchSummary.reserveTokens,
		});
		const window = summarizer.contextWindow;
		const making = generateBranchSummary(entries, summarizer, {
			tokenBudget: window === undefined ? undefined : window - budget.reserveTokens,
			summaryTokens: budget.summaryTokens,
			instructions: options.customInstructions,
			replaceInstructions: options.replaceInstructions,
			signal,
		});
		const result = await untilAborted(making, signal);
		this.requireLeaf(fromId);
		return result && { ...result, fromId, fromExtension: false };
	}

	private compactionSettings() {
		const { compaction, contextWindow } = this.options.settings();
		return { ...compaction, contextWindow };
	}

	private async summarizer(choice: 'auto' | 'offline' = 'auto'): Promise<Summarizer> {
		const model = choice === 'offline' ? undefined : await this.options.model();
		return model ? createModelSummarizer(model) : this.options.offline;
	}

	private async requireModel({ controller }: Operation): Promise<Model> {
		const model = await untilAborted(this.options.model(), controller.signal);
		if (model) return model;
		throw new UserError('no-model', 'No model is connected.', {
			kept: 'Your text is still in the input.',
			hint: 'Connect a model to chat; compaction and branch summaries work without one.',
		});
	}

	/** A summary is stored only where it was prepared (spec: run-time behaviour). */
	private requireLeaf(leafId: string | null): void {
		if (this.manager.leafId !== leafId)
			throw new UserError('leaf-moved', 'The session moved on while the summary was being made.', {
				kept: 'The summary was not stored; the session is unchanged.',
				hint: 'Try again.',
			});
	}

	private refuseIfBusy(what: string): void {
		if (!this.current) return;
		const doing = {
			streaming: 'an answer is coming in',
			compacting: 'a compaction is running',
			navigating: 'the session is moving to another entry',
		}[this.current.activity];
		throw new UserError('busy', `Cannot ${what} now: ${doing}.`, {
			kept: 'Nothing was changed.',
			hint: 'Stop it or wait for it, then try again.',
		});
	}

	private begin(activity: Operation['activity']): Operation {
		let settle = () => {};
		const settled = new Promise<void>((resolve) => (settle = resolve));
		if (this.disposed)
			throw new UserError('closed', 'This session was closed.', { kept: 'Nothing was changed.' });
		const controller = new AbortController();
		const operation = {
			activity,
			controller,
			settled,
			settle,
			interrupted: false,
			release: () => Promise.resolve(),
		};
		this.current = operation;
		this.events.emit({ type: 'activityChanged', activity });
		return operation;
	}

	/** Ends an operation and goes on with an interrupted turn, with the queue, or with nothing. */
	private async end(
		operation: Operation,
		next: 'resume' | 'queue' | 'nothing' = 'queue',
	): Promise<void> {
		await operation.release();
		operation.settle();
		if (this.current !== operation) return;
		this.current = undefined;
		this.events.emit({ type: 'activityChanged', activity: 'idle' });
		// A listener may have started something; it will go on with the queue.
		if (this.disposed || this.current || next === 'nothing') return;
		if (this.paused && next === 'queue') return;
		if (next === 'resume') this.continue().catch((error: unknown) => this.reportFailure(error));
		else void this.sendNextQueued();
	}

	private async sendNextQueued(): Promise<void> {
		const next = this.queue.shift();
		if (next === undefined) return;
		this.events.emit({ type: 'queueChanged', queued: this.queued });
		try {
			await this.send(next);
		} catch (error) {
			this.queue.unshift(next);
			this.paused = true;
			this.events.emit({ type: 'queueChanged', queued: this.queued });
			this.reportFailure(error);
		}
	}

	private reportFailure(error: unknown): void {
		this.events.emit({ type: 'turnFailed', error: toUserError(error) });
	}
}

function anySignal(operation: Operation, other: AbortSignal | undefined): AbortSignal {
	const own = operation.controller.signal;
	return other ? AbortSignal.any([own, other]) : own;
}

function nothingToCompact(already: boolean): UserError {
	return already
		? new UserError('already-compacted', 'The session has just been compacted.', {
				kept: 'Nothing was changed.',
			})
		: new UserError('too-small', 'There is nothing to compact: all of it fits in what is kept.', {
				kept: 'Nothing was changed.',
				hint: 'Lower "espalier.compaction.keepRecentTokens" to keep less.',
			});
}

function isAside(type: string | undefined): boolean {
	return type === 'label' || type === 'session_info';
}

function answerNotSaved(error: unknown): UserError {
	const { reason, message, hint } = toUserError(error);
	return new UserError(reason, `The answer could not be saved: ${message}`, {
		kept: 'It is kept while this window is open.',
		hint: `${hint ?? 'Then'} "Try again" saves it.`,
		cause: error,
	});
}

function toUserError(error: unknown): UserError {
	if (error instanceof UserError) return error;
	if (error instanceof ModelError)
		return new UserError(error.reason, error.message, {
			kept: 'Your message is saved in the session.',
			...(error.hint ? { hint: error.hint } : {}),
			cause: error,
		});
	return new UserError('failed', errorText(error), { cause: error });
}
