/** What an empty panel says. */
import { plural } from './format.ts';
import { Actions } from './actions.tsx';
import { useSlice, useStore } from './store.ts';

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
	const { post } = useStore();
	const queued = useSlice((state) => state.status.queued);
	const answering = useSlice((state) => state.status.activity === 'streaming');
	if (queued.length === 0) return null;
	return (
		<section class="queue" aria-label="Queued prompts">
			<p class="quiet">{`${plural(queued.length, 'prompt')} queued, sent when the session is idle`}</p>
			<ul>
				{queued.map(({ id, text, steers }) => (
					<li key={id}>
						<span class="queued-text">{text}</span>
						{steers ? (
							<span class="quiet">goes with the next request</span>
						) : (
							answering && (
								<button
									type="button"
									class="link"
									title="Goes to the model with the next request of this turn"
									onClick={() => post({ type: 'queued', id, act: 'steer' })}
								>
									Send now
								</button>
							)
						)}
						<button
							type="button"
							class="link"
							title="Takes it out of the queue, into the composer"
							onClick={() => post({ type: 'queued', id, act: 'edit' })}
						>
							Edit
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}
