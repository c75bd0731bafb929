/** The buttons through which the page asks the host to act. */
import type { ActionId } from '../protocol/panel.ts';
import { useStore } from './store.ts';

const LABELS: Record<ActionId, string> = {
	chooseModel: 'Choose model…',
	connectModel: 'Connect a model',
	compact: 'Compact session',
	compactOffline: 'Use offline summary',
	newSession: 'New session',
	openSession: 'Open session…',
	fork: 'Fork session',
	retry: 'Try again',
};

/** A row of action buttons; the first is the one most people want. */
export function Actions({ ids }: { ids: readonly ActionId[] }) {
	const { post } = useStore();
	if (ids.length === 0) return null;
	return (
		<div class="actions">
			{ids.map((id, index) => (
				<button
					key={id}
					type="button"
					class={index === 0 ? 'button' : 'button secondary'}
					onClick={() => post({ type: 'action', id })}
				>
					{LABELS[id]}
				</button>
			))}
		</div>
	);
}
