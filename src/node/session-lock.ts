/**
 * The lock of a session file: a claim beside it that says which process works on the session. Each claim
 * has a name of its own, and whoever makes one then looks for others: of two that come at once, at least
 * one sees the other. One whose process is dead, or has not touched it for a while, counts for nothing,
 * and can be removed by anybody, since no other will ever have its name.
 */
import { readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../util/errors.ts';

/** How often, in ms, a holder says that it is alive. */
const TOUCH_EVERY = 10_000;
/** A claim of another machine that was not touched for so long, in ms, has expired. */
const EXPIRES_AFTER = 60_000;
/** One of this machine may have slept; a process that was given the same number has not. */
const EXPIRES_HERE_AFTER = 12 * 3_600_000;
/** What it takes at most, in ms, from making a claim to writing into it. */
const WRITTEN_AFTER = 2_000;
/** Two that come at once both step back; so often, after a random time of at most so many ms. */
const ATTEMPTS = 8;
const STEP_BACK = 20;
const EXTENSION = '.lock';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Holder {
	pid: number;
	host: string;
}

/** True for the name of a claim on the session file of this name. */
export function isLockName(name: string, session: string): boolean {
	if (!name.startsWith(`${session}.`) || !name.endsWith(EXTENSION)) return false;
	return UUID.test(name.slice(session.length + 1, -EXTENSION.length));
}

/**
 * Locks a session file. In a folder where nothing can be made there is no lock: appends check the file
 * all the same.
 * @returns releases the lock; never throws
 * @throws UserError('locked') where a living process holds it
 */
export async function lockSession(named: string): Promise<() => Promise<void>> {
	const path = await realPath(named);
	const own: Holder = { pid: process.pid, host: hostname() };
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const claim = `${path}.${crypto.randomUUID()}${EXTENSION}`;
		try {
			await writeFile(claim, JSON.stringify(own), { flag: 'wx' });
		} catch {
			return () => Promise.resolve();
		}
		if (!(await hasLiveClaim(path, claim))) return keep(claim);
		await rm(claim, { force: true });
		await new Promise((resolve) => setTimeout(resolve, Math.random() * STEP_BACK));
	}
	throw locked(path);
}

/**
 * Refuses where a living process works on the session.
 * @throws UserError('locked')
 */
export async function refuseLocked(path: string): Promise<void> {
	if (await hasLiveClaim(await realPath(path))) throw locked(path);
}

/** A session may be open under several names; a new one has none yet. */
function realPath(path: string): Promise<string> {
	return realpath(path).catch(() => path);
}

function keep(claim: string): () => Promise<void> {
	const timer = setInterval(() => {
		const now = new Date();
		utimes(claim, now, now).catch(() => undefined);
	}, TOUCH_EVERY);
	timer.unref();
	return async () => {
		clearInterval(timer);
		await rm(claim, { force: true }).catch(() => undefined);
	};
}

/** Looks for claims of others, and removes those that count for nothing. */
async function hasLiveClaim(path: string, own?: string): Promise<boolean> {
	const folder = dirname(path);
	const names = await readdir(folder).catch(() => []);
	let found = false;
	for (const name of names) {
		const claim = join(folder, name);
		if (claim === own || !isLockName(name, basename(path))) continue;
		if (await isLive(claim)) found = true;
		else await rm(claim, { force: true }).catch(() => undefined);
	}
	return found;
}

async function isLive(claim: string): Promise<boolean> {
	try {
		const age = Date.now() - (await stat(claim)).mtimeMs;
		const holder = parseHolder(await readFile(claim, 'utf8'));
		if (!holder) return age <= WRITTEN_AFTER;
		if (holder.host !== hostname()) return age <= EXPIRES_AFTER;
		// A claim from before this machine was started last is nobody's, whoever has its number now.
		const sinceStart = uptime() * 1000;
		return isAlive(holder.pid) && age <= Math.min(EXPIRES_HERE_AFTER, sinceStart);
	} catch {
		return false;
	}
}

function parseHolder(text: string): Holder | undefined {
	try {
		const { pid, host } = JSON.parse(text) as Partial<Holder>;
		return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
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
