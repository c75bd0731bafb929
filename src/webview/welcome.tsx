/** What an empty panel says. */
import { plural } from './format.ts';
import { Actions } from './actions.tsx';
import { useSlice } from './store.ts';

export function Welcome() {
	const loaded = useSlice((state) => state.seq !== null);
	const hasSession = useSlice((state) => state.session !== null);
	if (!loaded) return null;
	if (hasSession)
		return <p class="welcome quiet">This conversation is empty. What you write below begins it.</p>;
	return (
		<div class="welcome">
			<p>No session is open.</p>
			<Actions ids={['newSession', 'openSession']} />
		</div>
	);
}

/** Prompts that wait for their turn. */
export function Queue() {
	const queued = useSlice((state) => state.status.queued);
	if (queued.length === 0) return null;
	return (
		<section class="queue" aria-label="Queued prompts">
			<p class="quiet">{`${plural(queued.length, 'prompt')} queued, sent when the session is idle`}</p>
			<ul>
				{queued.map((text, index) => (
					<li key={index}>{text}</li>
				))}
			</ul>
		</section>
	);
}
