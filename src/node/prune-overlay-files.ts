/** What is pruned in foreign sessions: one small file for each, in a folder of ours. */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PruneOverlay, Prunes } from '../session/prune-overlay.ts';
import type { Pruned } from '../session/pruned-message.ts';
import { UserError } from '../util/errors.ts';
import { writeError } from './write-error.ts';

const VERSION = 1;

export class PruneOverlayFiles implements PruneOverlay {
	private readonly folder: string;

	/** @param folder is made when something is saved first */
	constructor(folder: string) {
		this.folder = folder;
	}

	async load(sessionId: string, location: string): Promise<Prunes> {
		const path = this.pathOf(sessionId, location);
		let text: string;
		try {
			text = await readFile(path, 'utf8');
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
			throw damaged(path, error);
		}
		const prunes = parsePrunes(text, sessionId);
		if (!prunes) throw damaged(path);
		return prunes;
	}

	async save(sessionId: string, location: string, prunes: Prunes): Promise<void> {
		const path = this.pathOf(sessionId, location);
		const draft = `${path}.${crypto.randomUUID()}.tmp`;
		const pruned = [...prunes].map(([entryId, { notice, prunedAt }]) => ({
			entryId,
			notice,
			prunedAt,
		}));
		try {
			await mkdir(this.folder, { recursive: true });
			await this.setDamagedAside(sessionId, location, path);
			if (prunes.size === 0) return await rm(path, { force: true });
			const file = await open(draft, 'wx', 0o600);
			try {
				await file.writeFile(
					JSON.stringify({ version: VERSION, session: sessionId, file: location, pruned }),
				);
				await file.sync();
			} finally {
				await file.close();
			}
			await rename(draft, path);
		} catch (error) {
			throw writeError(error, path);
		} finally {
			await rm(draft, { force: true }).catch(() => undefined);
		}
	}

	private async setDamagedAside(sessionId: string, location: string, path: string): Promise<void> {
		const isSound = await this.load(sessionId, location).then(
			() => true,
			() => false,
		);
		if (!isSound) await rename(path, `${path}.${crypto.randomUUID()}.damaged`);
	}

	private pathOf(sessionId: string, location: string): string {
		const key = createHash('sha256')
			.update(JSON.stringify([sessionId, location]))
			.digest('hex');
		return join(this.folder, `${key.slice(0, 32)}.json`);
	}
}

function parsePrunes(text: string, sessionId: string): Prunes | undefined {
	try {
		const value = JSON.parse(text) as Record<string, unknown>;
		if (value.version !== VERSION || value.session !== sessionId) return undefined;
		const { pruned } = value;
		if (!Array.isArray(pruned)) return undefined;
		const prunes = new Map<string, Pruned>();
		for (const each of pruned as Record<string, unknown>[]) {
			const { entryId, notice, prunedAt } = each;
			if (typeof entryId !== 'string' || typeof notice !== 'string') return undefined;
			if (typeof prunedAt !== 'number') return undefined;
			prunes.set(entryId, { notice, prunedAt });
		}
		return prunes;
	} catch {
		return undefined;
	}
}

function damaged(path: string, cause?: unknown): UserError {
	return new UserError('damaged', `${path} is damaged or cannot be read.`, {
		kept: 'The session is untouched; its outputs are sent in full.',
		hint: 'Prune again where that is too much.',
		cause,
	});
}
