/**
 * The lock of a session file: a file beside it that says which process works on the session. One whose
 * process is dead, or has not touched it for a while, counts for nothing.
 */
import { open, readFile, rename, link, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { UserError } from '../util/errors.ts';

/** How often, in ms, a holder says that it is alive. */
const TOUCH_EVERY = 10_000;
/** A lock that was not touched for so long, in ms, has expired: its machine is off, or its disk away. */
const EXPIRES_AFTER = 60_000;
/** What it takes at most, in ms, from making a lock file to writing into it. */
const WRITTEN_AFTER = 5_000;
/** Another process may take an expired lock just before us; then that one is looked at. */
const ATTEMPTS = 5;

interface Holder {
	pid: number;
	host: string;
	token: string;
}

export function lockPath(path: string): string {
	return `${path}.lock`;
}

/**
 * Locks a session file. In a folder where nothing can be made there is no lock: appends check the file
 * all the same.
 * @returns releases the lock; never throws
 * @throws UserError('locked') where a living process holds it
 */
export async function lockSession(path: string): Promise<() => Promise<void>> {
	const lock = lockPath(path);
	const own: Holder = { pid: process.pid, host: hostname(), token: crypto.randomUUID() };
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		try {
			const file = await open(lock, 'wx');
			await file.writeFile(JSON.stringify(own)).finally(() => file.close());
			return keep(lock, own);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return () => Promise.resolve();
		}
		await removeExpired(path, own.token);
	}
	throw locked(path);
}

/**
 * Refuses where a living process works on the session.
 * @throws UserError('locked')
 */
export async function refuseLocked(path: string): Promise<void> {
	const found = await look(lockPath(path));
	if (found && !found.expired) throw locked(path);
}

function keep(lock: string, own: Holder): () => Promise<void> {
	const timer = setInterval(() => {
		const now = new Date();
		utimes(lock, now, now).catch(() => undefined);
	}, TOUCH_EVERY);
	timer.unref();
	return async () => {
		clearInterval(timer);
		// One that had expired, while this machine slept, may be another's by now.
		const found = await look(lock);
		if (found?.holder?.token === own.token) await rm(lock, { force: true }).catch(() => undefined);
	};
}

/** Moves an expired lock out of the way: of several that try, one succeeds. */
async function removeExpired(path: string, token: string): Promise<void> {
	const lock = lockPath(path);
	const found = await look(lock);
	if (!found) return;
	if (!found.expired) throw locked(path);
	const aside = `${lock}.${token}`;
	try {
		await rename(lock, aside);
		const moved = await look(aside);
		// Meanwhile another process may have made its own: that is put back.
		if (moved?.holder?.token !== found.holder?.token) await link(aside, lock);
	} catch {
		// Somebody else was faster; the next attempt looks at what is there then.
	} finally {
		await rm(aside, { force: true }).catch(() => undefined);
	}
}

async function look(lock: string): Promise<{ holder?: Holder; expired: boolean } | undefined> {
	try {
		const age = Date.now() - (await stat(lock)).mtimeMs;
		const holder = parseHolder(await readFile(lock, 'utf8'));
		if (!holder) return { expired: age > WRITTEN_AFTER };
		const dead = holder.host === hostname() && !isAlive(holder.pid);
		return { holder, expired: dead || age > EXPIRES_AFTER };
	} catch {
		return undefined;
	}
}

function parseHolder(text: string): Holder | undefined {
	try {
		const { pid, host, token } = JSON.parse(text) as Partial<Holder>;
		if (typeof pid !== 'number' || typeof host !== 'string' || typeof token !== 'string')
			return undefined;
		return { pid, host, token };
	} catch {
		return undefined;
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// Another user's process may not be asked, but is there.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function locked(path: string): UserError {
	return new UserError('locked', `Another window is working on ${basename(path)}.`, {
		kept: 'Nothing was written.',
		hint: 'Wait until it is done, or fork the session to go on in a new one.',
	});
}
