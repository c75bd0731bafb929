/** Reads from a refusal's headers how long its server asks to wait. */

/** Numbers above these are points in time since the epoch, in seconds or in ms, and no spans. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e11;

const httpDate = /^[a-z]{3,9},? .*\d{2}:\d{2}:\d{2}/i;

/**
 * The wait that a server asks for, in ms; undefined where it names none. `retry-after-ms` counts
 * before `retry-after` (seconds or a date), and that before `x-ratelimit-reset(-ms)`.
 * @param limited true where the refusal is about a rate: other answers carry the reset of their
 * limit, too, but need not wait for it.
 */
export function retryAfterMs(headers: Headers, limited: boolean): number | undefined {
	// Points in time are the server's: its own clock says how far away they are.
	const date = Date.parse(headers.get('date') ?? '');
	const now = Number.isNaN(date) ? Date.now() : date;
	const span = (name: string, unitMs: number) => {
		const value = numberOf(headers.get(name));
		if (value === undefined) return undefined;
		if (value >= EPOCH_MS) return Math.max(0, value - now);
		if (value >= EPOCH_SECONDS && unitMs === 1000) return Math.max(0, value * 1000 - now);
		return Math.ceil(value * unitMs);
	};
	const asked = span('retry-after-ms', 1) ?? span('retry-after', 1000) ?? until(headers, now);
	if (asked !== undefined || !limited) return asked;
	return span('x-ratelimit-reset-ms', 1) ?? span('x-ratelimit-reset', 1000);
}

function until(headers: Headers, now: number): number | undefined {
	const text = headers.get('retry-after')?.trim() ?? '';
	const time = httpDate.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/** A span or a point in time: a plain number, not below 0. */
function numberOf(text: string | null): number | undefined {
	const plain = text?.trim() ?? '';
	return /^\d{1,15}(?:\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

/** A wait in words: "20 s", "5 min", "3 h". */
export function waitText(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	if (seconds <= 120) return `${seconds} s`;
	const minutes = Math.ceil(seconds / 60);
	return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
