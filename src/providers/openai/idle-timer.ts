/** Notices that a server has fallen silent: runs only while somebody waits for it. */

export interface IdleTimer {
	/** True once the time ran out. */
	readonly expired: boolean;
	/** Starts the time anew. */
	start(): void;
	stop(): void;
}

/** Calls `onExpired` when `timeoutMs` pass between a `start` and the next `start` or `stop`. */
export function createIdleTimer(timeoutMs: number, onExpired: () => void): IdleTimer {
	let timer: ReturnType<typeof setTimeout> | undefined;
	let expired = false;
	return {
		get expired() {
			return expired;
		},
		start() {
			clearTimeout(timer);
			timer = setTimeout(() => {
				expired = true;
				onExpired();
			}, timeoutMs);
		},
		stop() {
			clearTimeout(timer);
		},
	};
}
