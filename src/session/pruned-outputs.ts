/**
 * What is pruned in a session, and how that is kept: in our own files the lines are rewritten and their
 * originals kept beside the file; for others it is kept elsewhere what the context shows instead.
 */
import type { ToolResultMessage } from '../agent/messages.ts';
import { createYielder } from '../util/async.ts';
import { errorText, UserError } from '../util/errors.ts';
import type { SessionEntry } from './entries.ts';
import type { OriginalLine, OriginalLines } from './original-lines.ts';
import { MemoryPruneOverlay, type PruneOverlay, type Prunes } from './prune-overlay.ts';
import {
	isPrunedMessage,
	isSameLine,
	noticed,
	originalMessage,
	prunedLine,
	restoredLine,
	toolResultOf,
} from './pruned-message.ts';
import type { SessionFile } from './session-file.ts';
import type { LineEdit } from './session-storage.ts';

/** Bytes of originals that are written together. */
const PORTION_BYTES = 8 << 20;

/** An output, and what the model is to see in its place. */
export interface OutputToPrune {
	entryId: string;
	notice: string;
}

export interface RestoredOutputs {
	/** The entries whose outputs are shown to the model again. */
	restored: string[];
	/** Pruned entries whose originals are not kept: they stay as they are. */
	missing: string[];
}

export class PrunedOutputs {
	private file: SessionFile;
	private readonly overlay: PruneOverlay;
	/** What the overlay says. */
	private overlaid: Prunes = new Map();

	constructor(file: SessionFile) {
		this.file = file;
		this.overlay = file.pruning.overlay ?? new MemoryPruneOverlay();
		this.showIn(file);
	}

	/** Goes on with the file that was read anew. */
	showIn(file: SessionFile): void {
		this.file = file;
		file.tree.shownInContext = (entry) => this.shown(entry);
	}

	/** Takes in what was saved; where that is damaged, nothing counts as pruned, and a warning says so. */
	async load(): Promise<void> {
		try {
			this.overlaid = await this.loadOverlay();
		} catch (error) {
			this.file.warnings.push({
				kind: 'damaged-prunes',
				message: `What was pruned in this session is not known any more: ${errorText(error)}`,
			});
		}
	}

	/** True where the model sees a notice instead of the entry's output. */
	has(entryId: string): boolean {
		const result = toolResultOf(this.file.tree.get(entryId));
		return result !== undefined && (this.overlaid.has(entryId) || isPrunedMessage(result));
	}

	/** The message that a pruned entry held; undefined where it is not pruned, or no original is kept. */
	originalOf(entryId: string): ToolResultMessage | undefined {
		const result = toolResultOf(this.file.tree.get(entryId));
		if (!result) return undefined;
		if (!isPrunedMessage(result)) return this.overlaid.has(entryId) ? result : undefined;
		const original = this.file.pruning.originals?.get(entryId);
		return original && originalMessage(original, entryId, result);
	}

	/**
	 * Prunes outputs; those that are pruned already, or whose lines cannot be written anew, stay as they
	 * are.
	 * @throws ChangedElsewhere where the file has to be read again first: nothing is pruned then
	 * @throws UserError where one cannot be pruned, or nothing can be written: nothing is pruned then
	 */
	async prune(outputs: readonly OutputToPrune[]): Promise<void> {
		const prunedAt = Date.now();
		const wrong = outputs.find(({ entryId }) => this.file.tree.roleOf(entryId) !== 'toolResult');
		if (wrong) throw notPrunable(wrong.entryId);
		const { rewrite, originals } = this.file.pruning;
		if (rewrite && originals) return this.rewritePruned(outputs, prunedAt, originals);
		const prunes = new Map(await this.savedNow());
		const pause = createYielder();
		for (const { entryId, notice } of outputs) {
			await pause();
			if (!this.has(entryId)) prunes.set(entryId, { notice, prunedAt });
		}
		await this.saveOverlay(prunes);
	}

	/**
	 * Brings outputs back: those named, else all that can be.
	 * @throws ChangedElsewhere where the file has to be read again first: nothing is restored then
	 * @throws UserError where it cannot be written: nothing is restored then
	 */
	async restore(entryIds?: readonly string[]): Promise<RestoredOutputs> {
		const { rewrite, originals } = this.file.pruning;
		const wanted = entryIds ?? [...this.overlaid.keys(), ...(originals?.ids() ?? [])];
		const outcome: RestoredOutputs = { restored: [], missing: [] };
		const changes = new Map<string, LineEdit['change']>();
		const pause = createYielder();
		for (const id of new Set(wanted)) {
			await pause();
			if (!this.has(id)) continue;
			const isInFile = isPrunedIn(this.file, id);
			const canRestore = !isInFile || (rewrite && this.originalOf(id));
			if (isInFile && canRestore) changes.set(id, (line) => this.restored(id, line));
			(canRestore ? outcome.restored : outcome.missing).push(id);
		}
		if (changes.size > 0) await this.file.changeLines(changes);
		if (wanted.some((id) => this.overlaid.has(id))) {
			const kept = new Map(await this.savedNow());
			for (const id of wanted) kept.delete(id);
			await this.saveOverlay(kept);
		}
		return outcome;
	}

	/** The originals are on the disk before a line is replaced, and each is compared with its line then. */
	private async rewritePruned(
		outputs: readonly OutputToPrune[],
		prunedAt: number,
		originals: OriginalLines,
	): Promise<void> {
		const changes = new Map<string, LineEdit['change']>();
		const pause = createYielder();
		let portion: OriginalLine[] = [];
		let bytes = 0;
		for (const { entryId, notice } of outputs) {
			await pause();
			const line = this.file.rawLineOf(entryId);
			if (!line) throw notPrunable(entryId);
			// One that is pruned already, or that cannot be written anew, stays as it is.
			if (!prunedLine(line, { notice, prunedAt })) continue;
			portion.push({ entryId, line });
			bytes += line.length;
			if (bytes >= PORTION_BYTES) {
				await originals.keep(portion);
				portion = [];
				bytes = 0;
			}
			changes.set(entryId, (now) => {
				const pruned =
					isSameLine(originals.get(entryId), now) && prunedLine(now, { notice, prunedAt });
				if (!pruned) throw notPrunable(entryId);
				return pruned;
			});
		}
		await originals.keep(portion);
		if (changes.size > 0) await this.file.changeLines(changes);
	}

	private restored(entryId: string, line: Uint8Array): Uint8Array {
		const original = this.file.pruning.originals?.get(entryId);
		const restored = original && restoredLine(line, original);
		if (restored) return restored;
		throw new UserError('no-original', `The original output of entry ${entryId} cannot be read.`, {
			kept: 'Nothing was changed.',
			hint: 'Look whether the file of originals beside the session is in its place.',
		});
	}

	private shown(entry: SessionEntry): SessionEntry {
		const pruned = this.overlaid.get(entry.id);
		const result = pruned && toolResultOf(entry);
		if (!pruned || !result || isPrunedMessage(result)) return entry;
		return { ...entry, message: noticed(result, pruned) } as SessionEntry;
	}

	private loadOverlay(): Promise<Prunes> {
		return this.overlay.load(this.file.header.id, this.file.location);
	}

	/** Another window may have pruned the same session; what is damaged was reported when it was loaded. */
	private savedNow(): Promise<Prunes> {
		return this.loadOverlay().catch(() => this.overlaid);
	}

	private async saveOverlay(prunes: Prunes): Promise<void> {
		await this.overlay.save(this.file.header.id, this.file.location, prunes);
		this.overlaid = prunes;
	}
}

function isPrunedIn(file: SessionFile, entryId: string): boolean {
	const result = toolResultOf(file.tree.get(entryId));
	return result !== undefined && isPrunedMessage(result);
}

function notPrunable(entryId: string): UserError {
	return new UserError('not-prunable', `The output of entry ${entryId} cannot be pruned.`, {
		kept: 'Nothing was changed.',
		hint: 'It is no tool output, or its line in the file is damaged.',
	});
}
