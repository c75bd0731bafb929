// Child processes: run one to its end, or end a whole process group.
import { spawn, spawnSync } from 'node:child_process';

/**
 * Runs a command to its end and resolves with its exit code; a signal counts as failure. Rejects where
 * it takes longer than `timeout` milliseconds, having ended it.
 */
export function run(command, args, { timeout, ...options } = {}) {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: 'inherit', ...options });
		const settled = limit(child, `${command} ${args[0]}`, timeout, reject);
		child.once('error', reject);
		child.once('exit', (code) => {
			settled();
			resolve(code ?? 1);
		});
	});
}

/** As `run`, and resolves with everything that the command printed as well. */
export function capture(command, args, { timeout, ...options } = {}) {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
		const settled = limit(child, `${command} ${args[0]}`, timeout, reject);
		const chunks = [];
		child.stdout.on('data', (chunk) => chunks.push(chunk));
		child.stderr.on('data', (chunk) => chunks.push(chunk));
		child.once('error', reject);
		child.once('close', (code) => {
			settled();
			resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') });
		});
	});
}

/**
 * Ends a child that takes longer than `timeout` milliseconds: politely, so that it ends what it has
 * started, then by force, since a busy loop hears no signal. Returns what to call when it has ended.
 */
function limit(child, what, timeout, expired) {
	if (timeout === undefined) {
		return () => {};
	}
	let force;
	const polite = setTimeout(() => {
		child.kill('SIGTERM');
		force = setTimeout(() => child.kill('SIGKILL'), 10_000);
		expired(new Error(`${what} was ended: it took longer than ${Math.round(timeout / 1000)} s`));
	}, timeout);
	return () => {
		clearTimeout(polite);
		clearTimeout(force);
	};
}

/** Signals a detached child together with everything it has started. */
export function signalGroup(child, signal) {
	if (child.pid === undefined) {
		return;
	}
	if (process.platform === 'win32') {
		spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
		return;
	}
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		// The group is gone already: that is what was asked for.
		if (error.code !== 'ESRCH') {
			throw error;
		}
	}
}

/** Ends a detached child's process group: politely first, by force after five seconds. */
export async function endGroup(child) {
	if (child.exitCode === null && child.signalCode === null) {
		const exited = new Promise((resolve) => child.once('exit', resolve));
		signalGroup(child, 'SIGTERM');
		const force = setTimeout(() => signalGroup(child, 'SIGKILL'), 5000);
		await exited;
		clearTimeout(force);
	}
	// Whatever the leader left behind still belongs to its group.
	signalGroup(child, 'SIGKILL');
}

/** Lets a signal that nobody handles end this process in order, so that its exit work is done. */
export function exitOnSignals() {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		if (process.listenerCount(signal) === 0) {
			process.once(signal, () => process.exit(1));
		}
	}
}

/**
 * Polls until `probe` returns something truthy, and returns that; throws `what` after the deadline.
 * For conditions outside this process, which nothing announces.
 */
export async function waitFor(what, probe, { timeout, interval = 100 }) {
	const end = Date.now() + timeout;
	for (;;) {
		const found = await probe();
		if (found) {
			return found;
		}
		if (Date.now() > end) {
			throw new Error(`${what} (waited ${Math.round(timeout / 1000)} s)`);
		}
		await new Promise((resolve) => setTimeout(resolve, interval));
	}
}
