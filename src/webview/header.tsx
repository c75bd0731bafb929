/** The line at the top: which session, how full its context is, which model answers. */
import { contextEstimate } from './format.ts';
import { useSlice } from './store.ts';

export function Header() {
	const session = useSlice((state) => state.session);
	const model = useSlice((state) => state.status.model);
	const tokens = useSlice((state) => state.status.contextTokens);
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
				<span>{tokens !== null && contextEstimate(tokens, contextWindow)}</span>
				<span class="model">{model ?? 'no model'}</span>
			</p>
		</header>
	);
}
