/**
 * A session at work: prompts, compaction and navigation on one SessionManager, one at a time. Prompts
 * that come meanwhile are queued and sent afterwards.
 */
import type { Model } from '../agent/model.ts';
import { NO_RETRIES, type RetryPolicy } from '../agent/retry.ts';
import type { HookRunner } from '../extensibility/hooks/types.ts';
import { untilAborted } from '../util/async.ts';
import { Emitter } from '../util/emitter.ts';
import { isAbort, UserError } from '../util/errors.ts';
import type {
	Activity,
	AgentSessionEvent,
	CompactionOutcome,
	CompactionPlan,
	CompactOptions,
	NavigateOptions,
	NavigateResult,
	ToolEvent,
	TurnPhase,
} from './agent-events.ts';
import type { AgentSetup } from './agent-setup.ts';
import { AutoCompaction } from './auto-compaction.ts';
import { AutoGuard, type GuardStore } from './auto-guard.ts';
import type { BlobStore } from './blobs.ts';
import { requireCommands, runPersonsCommand, type RunCommandOptions } from './command-run.ts';
import { chosenModelOnPath } from './chosen-model.ts';
import { CompactionControl } from './compaction-control.ts';
import { compactionBudget } from './compaction/budget.ts';
import { createModelSummarizer } from './compaction/model-summarizer.ts';
import type { Summarizer } from './compaction/summarizer.ts';
import { readContextUsage, type ContextUsage } from './context-usage.ts';
import type { CompactionEntry } from './entries.ts';
import { navigationTarget } from './navigation.ts';
import { NavigationControl } from './navigation-control.ts';
import type { ModelName } from './observations.ts';
import type { PrunePlan } from './compaction/pruning.ts';
import { anySignal, busyError, type Operation } from './operation.ts';
import { PromptQueue, type QueuedPrompt } from './prompt-queue.ts';
import { pruneSession, unpruneSession } from './prune-session.ts';
import type { RestoredOutputs } from './pruned-outputs.ts';
import type { SessionManager } from './session-manager.ts';
import {
	compactionSettings,
	type Candidates,
	type SessionParts,
	type SessionSettings,
	type SummarizerChoice,
} from './session-parts.ts';
import { overheadTokens, runSessionTurn } from './session-turn.ts';
import { TokenCounts } from './token-counts.ts';
import { toUserError } from './turn-error.ts';
import { isUnfinished, UnsavedAnswers } from './unsaved-answers.ts';

export interface AgentSessionOptions {
	/** The connected model; undefined where none is. Asked anew for each request. */
	model: () => Promise<Model | undefined>;
	/** The models asked for summaries before the connected one, in order; none where absent. */
	summaryModels?: () => Promise<readonly Model[]>;
	/** How requests that failed for a passing reason are tried again; not at all where absent. */
	retry?: () => RetryPolicy;
	offline: Summarizer;
	settings: () => SessionSettings;
	/** Finds out the window that `settings` names; awaited before it decides anything. Never fails. */
	findWindow?: () => Promise<void>;
	/** What the agent works with now; nothing where absent. Never fails. */
	setup?: () => Promise<AgentSetup>;
	/** Where other code takes part; nobody does where absent. */
	hooks?: HookRunner;
	/** Counts tokens; by the estimate where absent. */
	counts?: TokenCounts;
	/** Keeps what limits automatic compaction over a reload; it is forgotten where absent. */
	guard?: GuardStore;
	/** Where the images of oh-my-pi's sessions lie. */
	blobs?: BlobStore;
	/** Receives what a listener of `events` throws. */
	onListenerError?: (error: unknown) => void;
}

/** Tells the model to go on after a compaction that followed its turn (spec: threshold). */
const CONTINUE_TYPE = 'espalier.continue';
const CONTINUE_TEXT = 'Continue if you have next steps.';

const NO_HOOKS: HookRunner = { run: () => Promise.resolve({ answers: [], failures: [] }) };

export class AgentSession {
	readonly manager: SessionManager;
	readonly events: Emitter<AgentSessionEvent>;
	readonly toolEvents: Emitter<ToolEvent>;
	private readonly options: AgentSessionOptions;
	private current: Operation | undefined;
	private readonly queue: PromptQueue;
	/** Set by a failed or stopped turn: the queue waits for a turn that succeeds, or for a new prompt. */
	private paused = false;
	private disposed = false;
	/** Chosen for an empty session: it is written with the first prompt, which creates the file. */
	private modelToWrite: ModelName | undefined;
	private readonly counts: TokenCounts;
	private readonly unsaved: UnsavedAnswers;
	private readonly parts: SessionParts;
	private readonly compaction: CompactionControl;
	private readonly navigation: NavigationControl;
	private readonly guard: AutoGuard;
	private readonly auto: AutoCompaction;
	/** A compaction followed the last turn: the model is told to go on once the queue is empty. */
	private continueDue = false;

	constructor(manager: SessionManager, options: AgentSessionOptions) {
		this.manager = manager;
		this.options = options;
		this.events = new Emitter(options.onListenerError);
		this.toolEvents = new Emitter(options.onListenerError);
		this.counts = options.counts ?? new TokenCounts();
		this.unsaved = new UnsavedAnswers(manager);
		this.parts = {
			manager,
			hooks: options.hooks ?? NO_HOOKS,
			settings: options.settings,
			findWindow: options.findWindow ?? (() => Promise.resolve()),
			summarizers: (choice) => this.summarizers(choice),
			counter: () => this.counts.counterFor(manager.tree, manager.leafId),
			tell: (event) => this.events.emit(event),
			overhead: async (counter) => overheadTokens(await this.setup(), counter),
		};
		this.compaction = new CompactionControl(this.parts);
		this.navigation = new NavigationControl(this.parts);
		this.queue = new PromptQueue((queued) => this.events.emit({ type: 'queueChanged', queued }));
		this.guard = new AutoGuard(options.guard);
		this.auto = new AutoCompaction({
			session: this.parts,
			compaction: this.compaction,
			guard: this.guard,
			usage: () => this.contextUsage(),
			whileCompacting: (run) => this.during('compacting', run),
		});
	}

	get activity(): Activity {
		return this.current?.activity ?? 'idle';
	}

	/** What a turn is doing; undefined while none runs. */
	get phase(): TurnPhase | undefined {
		return this.current?.activity === 'streaming' ? this.current.phase : undefined;
	}

	/** Prompts that wait, oldest first. */
	get queued(): readonly QueuedPrompt[] {
		return this.queue.items;
	}

	/**
	 * Changes a prompt that waits: its text, or whether it steers the running turn.
	 * @returns false where it does not wait any more
	 */
	editQueued(id: string, change: Partial<Omit<QueuedPrompt, 'id'>>): boolean {
		return this.queue.edit(id, change);
	}

	/** Takes a prompt out of the queue. @returns it, or undefined where it does not wait any more */
	removeQueued(id: string): QueuedPrompt | undefined {
		return this.queue.remove(id);
	}

	/**
	 * Sends a prompt. Resolves once it is on disk, or queued behind what is running; the answer streams
	 * on through `events`.
	 * @param kind where a turn is running: `steer` goes with its next request, `followUp` after it
	 * @throws UserError('no-model') or the storage's error: then nothing was changed
	 */
	async prompt(text: string, kind: QueuedPrompt['kind'] = 'followUp'): Promise<void> {
		if (!this.current && this.queue.items.length === 0) return this.send(text);
		this.queue.add(text, kind);
		if (this.current) return;
		this.paused = false;
		await this.sendNextQueued();
	}

	private send(text: string): Promise<void> {
		return this.startTurn(async () => {
			await this.saveUnsaved();
			await this.writeModel();
			await this.appendPrompt(text);
		});
	}

	/** Begins a turn with what `write` adds to the session. @throws where it could not be begun */
	private async startTurn(write: () => Promise<unknown>): Promise<void> {
		const operation = this.begin('streaming');
		let model: Model;
		try {
			model = await this.requireModel(operation);
			operation.release = await this.manager.hold();
			await write();
		} catch (error) {
			await this.end(operation, 'nothing');
			throw error;
		}
		void this.runTurn(operation, model);
	}

	private async appendPrompt(text: string): Promise<void> {
		await this.manager.appendMessage({ role: 'user', content: text, timestamp: Date.now() });
		this.auto.acted();
	}

	/** What belongs into the session before a turn's next request. */
	private async beforeRequest(signal: AbortSignal): Promise<void> {
		for (let next = this.queue.steering; next; next = this.queue.steering) {
			// Taken out first: nobody can take back what is being saved.
			this.queue.remove(next.id);
			try {
				await this.appendPrompt(next.text);
			} catch (error) {
				this.queue.putBack(next);
				throw error;
			}
		}
		await this.auto.relieve(signal);
	}

	/** The model that the session names here: chosen by a person, in whatever tool. */
	get chosenModel(): ModelName | undefined {
		return this.modelToWrite ?? chosenModelOnPath(this.manager.tree, this.manager.leafId);
	}

	/**
	 * Records which model is to answer from here on; an empty session records it with its first prompt.
	 * @throws UserError('busy') while a compaction or a navigation counts on the leaf, or the storage's
	 * error: nothing is recorded then
	 */
	async chooseModel(model: ModelName): Promise<void> {
		if (this.current && this.current.activity !== 'streaming')
			this.refuseIfBusy('change the model');
		if (this.manager.tree.size === 0) this.modelToWrite = model;
		else await this.manager.appendModelChange(model);
	}

	private async writeModel(): Promise<void> {
		if (!this.modelToWrite) return;
		await this.manager.appendModelChange(this.modelToWrite);
		this.modelToWrite = undefined;
	}

	/**
	 * Asks for an answer without a new prompt: after a failed turn, or one that a compaction interrupted.
	 * An answer that had come but could not be saved is saved instead.
	 * @throws UserError('no-model'), UserError('busy') or the storage's error
	 */
	async continue(): Promise<void> {
		this.refuseIfBusy('ask again');
		this.auto.acted();
		await this.resume();
	}

	private async resume(): Promise<void> {
		const operation = this.begin('streaming');
		try {
			const saved = await this.saveUnsaved();
			const { tools = [] } = await this.setup();
			if (saved && !(tools.length > 0 && isUnfinished(saved))) return await this.end(operation);
			const model = await this.requireModel(operation);
			operation.release = await this.manager.hold();
			void this.runTurn(operation, model);
		} catch (error) {
			await this.end(operation, 'nothing');
			throw error;
		}
	}

	/**
	 * Runs a person's command and stores it with its output when it has ended; `abort` ends it. Where the
	 * output cannot be saved that is told as a failed turn, and `continue` saves it: the command has run.
	 * @throws UserError('no-commands'), UserError('busy'), or why it could not be started: it has not run
	 */
	async runCommand(command: string, options: RunCommandOptions = {}): Promise<void> {
		this.refuseIfBusy('run a command');
		const operation = this.begin('streaming', true);
		try {
			const commands = requireCommands((await this.setup()).commands);
			operation.release = await this.manager.hold();
			await this.saveUnsaved();
			const message = await runPersonsCommand(commands, command, options, {
				signal: operation.controller.signal,
				onOutput: (delta) => this.toolEvents.emit({ type: 'commandOutput', delta }),
			});
			await this.unsaved.save(message).catch((error: unknown) => this.reportFailure(error));
		} finally {
			await this.end(operation);
		}
	}

	/** Ends the running turn or command; what came is recorded as such. Resolves when it has settled. */
	async abort(): Promise<void> {
		if (this.current?.activity !== 'streaming') return;
		this.current.controller.abort();
		await this.current.settled;
	}

	/**
	 * Summarizes older history of the current branch into a new compaction entry. A running turn is
	 * aborted first and resumed once afterwards; automatic compaction may run again. With `dryRun` it only
	 * says what would be done.
	 * @throws UserError where there is nothing to compact, no usable summary came back, or a compaction or
	 * navigation is running; an AbortError when cancelled. The session is unchanged then.
	 */
	compact(options: CompactOptions & { dryRun: true }): Promise<CompactionPlan>;
	compact(options?: CompactOptions): Promise<CompactionOutcome>;
	async compact(
		options: CompactOptions & { dryRun?: boolean } = {},
	): Promise<CompactionOutcome | CompactionPlan> {
		if (options.dryRun) return this.compaction.plan(options);
		if (this.current?.activity !== 'streaming' || this.current.isCommand)
			this.refuseIfBusy('compact');
		this.auto.acted();
		const interrupted = this.current;
		// The new operation is in place before the old one settles: nothing can slip in between.
		const operation = this.begin('compacting');
		interrupted?.controller.abort();
		await interrupted?.settled;
		try {
			operation.release = await this.manager.hold();
			await this.saveUnsaved();
			return await this.compaction.run(options, anySignal(operation, options.signal));
		} finally {
			await this.end(operation, interrupted?.interrupted ? 'resume' : 'queue');
		}
	}

	/**
	 * Takes a compaction of the current branch back (the newest one where none is named): the leaf moves
	 * to the entry before it, and what came after stays a branch.
	 * @throws UserError where there is no such compaction on the branch, or the session is busy
	 */
	undoCompaction(compactionId?: string): CompactionEntry {
		this.refuseIfBusy('undo a compaction');
		const undone = this.compaction.undo(compactionId);
		this.guard.undid();
		return undone;
	}

	/** Cancels a running compaction, asked for or not; a turn that it belongs to goes on without it. */
	abortCompaction(): void {
		this.auto.abort();
		if (this.current?.activity === 'compacting') this.current.controller.abort();
	}

	/**
	 * Moves the leaf (spec: navigation targets), after summarizing what is left where that was asked.
	 * @throws UserError where the target is unknown, the session is busy or the summary failed: the leaf
	 * is unmoved then. Cancelling gives `{ cancelled: true, aborted: true }`.
	 */
	async navigateTree(targetId: string, options: NavigateOptions = {}): Promise<NavigateResult> {
		this.refuseIfBusy('move to another entry');
		const target = navigationTarget(this.manager, targetId);
		if (targetId === this.manager.leafId) return { cancelled: false };
		const operation = this.begin('navigating');
		this.auto.acted();
		try {
			const signal = anySignal(operation, options.signal);
			return await this.navigation.navigate(targetId, target, options, signal, async () => {
				operation.release = await this.manager.hold();
			});
		} finally {
			await this.end(operation);
		}
	}

	/**
	 * Puts notices in place of old tool outputs of the current branch, where that saves enough; the
	 * originals are kept.
	 * @throws UserError where the session is busy or nothing can be written: nothing is pruned then
	 */
	prune(): Promise<PrunePlan> {
		return this.changeOutputs('prune', async () =>
			pruneSession(this.manager, undefined, await this.parts.counter()),
		);
	}

	/**
	 * Brings pruned outputs back: those of the entries named, else all that can be.
	 * @throws UserError as `prune`: nothing is restored then
	 */
	unprune(entryIds?: readonly string[]): Promise<RestoredOutputs> {
		return this.changeOutputs('restore outputs', () => unpruneSession(this.manager, entryIds));
	}

	/** How full the context is: what the meter shows. */
	async contextUsage(): Promise<ContextUsage> {
		const { manager } = this;
		const counter = await this.parts.counter();
		const overhead = overheadTokens(await this.setup(), counter);
		// Not awaited: a meter waits for no server, and is read anew when more is known.
		void this.parts.findWindow();
		const room = this.room(overhead);
		return readContextUsage(manager.tree, manager.leafId, {
			counter,
			contextWindow: this.options.settings().contextWindow,
			overheadTokens: overhead,
			...(room === undefined ? {} : { room }),
		});
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

	private async changeOutputs<T>(what: string, change: () => Promise<T>): Promise<T> {
		this.refuseIfBusy(what);
		const operation = this.begin('pruning');
		try {
			return await change();
		} finally {
			await this.end(operation);
		}
	}

	/** Runs something while a turn's phase is another, and goes back to the one before. */
	private async during<T>(phase: TurnPhase, run: () => Promise<T>): Promise<T> {
		const before = this.phase ?? 'answering';
		this.enter(phase);
		try {
			return await run();
		} finally {
			this.enter(before);
		}
	}

	private enter(phase: TurnPhase): void {
		if (!this.current || this.current.phase === phase) return;
		this.current.phase = phase;
		if (this.phase) this.events.emit({ type: 'phaseChanged', phase });
	}

	private async runTurn(operation: Operation, model: Model): Promise<void> {
		const { signal } = operation.controller;
		let failed = false;
		try {
			const setup = (operation.setup = await this.setup());
			const { ended, error } = await runSessionTurn(
				{
					model,
					manager: this.manager,
					events: this.events,
					toolEvents: this.toolEvents,
					unsaved: this.unsaved,
					setup,
					blobs: this.options.blobs,
					room: (overhead) => this.room(overhead),
					counter: () =>
						this.counts.counterFor(this.manager.tree, this.manager.leafId, { now: true }),
					retry: this.options.retry?.() ?? NO_RETRIES,
					beforeRequest: (fired) => this.beforeRequest(fired),
					recover: (refusal, fired) => this.auto.recover(refusal, fired),
					edited: () => this.guard.edited(),
					enter: (phase) => this.enter(phase),
				},
				signal,
			);
			operation.interrupted = ended === 'aborted';
			if (error) throw error;
			if (ended === 'complete') await this.afterTurn(signal);
		} catch (error) {
			failed = !(signal.aborted && isAbort(error));
			if (failed) this.reportFailure(error);
		} finally {
			this.guard.turnEnded();
			// Queued prompts would fail too, or were meant to follow the answer that was stopped.
			this.paused = failed || operation.interrupted;
			if (this.paused) this.continueDue = false;
			await this.end(operation);
		}
	}

	/** Compacts where the turn has filled the context; the turn itself is complete, whatever comes of it. */
	private async afterTurn(signal: AbortSignal): Promise<void> {
		const compacted = await this.auto.relieve(signal);
		const { autoContinue = true } = this.options.settings().compaction;
		this.continueDue ||= compacted && autoContinue;
	}

	/** Tells the model to go on: no act of the person. */
	private goOn(): Promise<void> {
		this.continueDue = false;
		return this.startTurn(() => this.manager.appendCustomMessage(CONTINUE_TYPE, CONTINUE_TEXT));
	}

	private async saveUnsaved() {
		const saved = await this.unsaved.saveAgain();
		if (saved) this.paused = false;
		return saved;
	}

	/** What the agent works with: in a turn what it began with, else asked anew. */
	private async setup(): Promise<AgentSetup> {
		return this.current?.setup ?? (await this.options.setup?.()) ?? {};
	}

	/** Tokens that messages may take in a request beside `overheadTokens` of prompt and tools. */
	private room(overheadTokens: number): number | undefined {
		return compactionBudget(compactionSettings(this.parts, overheadTokens)).roomTokens;
	}

	/** Who is asked for a summary, in order; the offline summarizer where there is no model at all. */
	private async summarizers(choice: SummarizerChoice = 'auto'): Promise<Candidates> {
		const { offline, summaryModels, model, retry } = this.options;
		if (choice === 'offline') return [offline];
		const active = await model();
		const last = choice === 'recovery' ? [offline] : [];
		const models = [...((await summaryModels?.()) ?? []), ...(active ? [active] : [])];
		const [first, ...rest] = models.map((each) =>
			createModelSummarizer(each, { retry: retry?.() ?? NO_RETRIES, shortSummary: true }),
		);
		return first ? [first, ...rest, ...last] : [offline];
	}

	private async requireModel({ controller }: Operation): Promise<Model> {
		const model = await untilAborted(this.options.model(), controller.signal);
		if (model) return model;
		throw new UserError('no-model', 'No model is connected.', {
			kept: 'Your text is still in the input.',
			hint: 'Connect a model to chat; compaction and branch summaries work without one.',
		});
	}

	private refuseIfBusy(what: string): void {
		if (this.current) throw busyError(this.current, what);
	}

	private begin(activity: Operation['activity'], isCommand = false): Operation {
		let settle = () => {};
		const settled = new Promise<void>((resolve) => (settle = resolve));
		if (this.disposed)
			throw new UserError('closed', 'This session was closed.', { kept: 'Nothing was changed.' });
		const controller = new AbortController();
		const operation: Operation = {
			activity,
			controller,
			isCommand,
			phase: 'answering',
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
		const failed = (error: unknown) => this.reportFailure(error);
		if (next === 'resume') this.resume().catch(failed);
		else if (this.queue.items.length > 0) void this.sendNextQueued();
		else if (this.continueDue) this.goOn().catch(failed);
	}

	private async sendNextQueued(): Promise<void> {
		const next = this.queue.next();
		if (next === undefined) return;
		try {
			await this.send(next.text);
		} catch (error) {
			this.queue.putBack(next);
			this.paused = true;
			this.reportFailure(error);
		}
	}

	private reportFailure(error: unknown): void {
		this.events.emit({ type: 'turnFailed', error: toUserError(error) });
	}
}
