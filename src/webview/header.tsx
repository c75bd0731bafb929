/** The line at the top: which session, how full its context is, which model answers. */
import { contextMeter } from './format.ts';
import { useSlice, useStore } from './store.ts';

export function Header() {
	const { post } = useStore();
	const session = useSlice((state) => state.session);
	const model = useSlice((state) => state.status.model);
	const tokens = useSlice((state) => state.status.contextTokens);
	const isExact = useSlice((state) => state.status.contextIsExact);
	const contextWindow = useSlice((state) => state.status.contextWindow);
	if (!session)
		return (
			<header class="announcer">
				<h1>Espalier</h1>
			</header>
		);
	return (
		<header class="header">
			<h1 class="title" title={session.title}>
				{session.title}
			</h1>
			<p class="facts">
				<span>{tokens !== null && contextMeter(tokens, contextWindow, isExact)}</span>
				<button
					type="button"
					class="model"
					title="Choose model…"
					aria-label={`Model: ${model ?? 'no model'}. Choose another`}
					onClick={() => post({ type: 'action', id: 'chooseModel' })}
				>
					{model ?? 'no model'}
				</button>
			</p>
		</header>
	);
}
