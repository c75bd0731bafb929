/** What a running turn does beside answering, counting down where it waits. */
import { useEffect, useState } from 'preact/hooks';
import type { ChatStatus } from '../protocol/panel.ts';

const TICK_MS = 250;

export function Progress({ progress }: { progress: NonNullable<ChatStatus['progress']> }) {
	const { text, until } = progress;
	const [now, setNow] = useState(Date.now());
	useEffect(() => {
		if (until === null) return undefined;
		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), TICK_MS);
		return () => clearInterval(timer);
	}, [until]);
	const seconds = until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
	return (
		<p class="working">
			<span class="pulse" aria-hidden="true" />
			{until === null ? text : `${text} in ${seconds} s…`}
		</p>
	);
}
