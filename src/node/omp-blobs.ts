/** oh-my-pi's store of blobs: files named by the SHA-256 of their bytes. Only ever read. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '../session/blobs.ts';
import { ompAgentFolders } from './session-folders.ts';

/** Larger ones are left out: no model takes them. */
const LARGEST_BYTES = 32 << 20;

export function ompBlobs(home = homedir(), env: NodeJS.ProcessEnv = process.env): BlobStore {
	const read = async (sha256: string): Promise<Buffer | undefined> => {
		for (const agent of ompAgentFolders(home, env)) {
			const path = join(agent, 'blobs', sha256);
			const found = await stat(path).catch(() => undefined);
			if (!found?.isFile() || found.size > LARGEST_BYTES) continue;
			const bytes = await readFile(path).catch(() => undefined);
			if (bytes && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
		}
		return undefined;
	};
	return {
		base64: async (sha256) => (await read(sha256))?.toString('base64'),
		text: async (sha256) => (await read(sha256))?.toString('utf8'),
	};
}
