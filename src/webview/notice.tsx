/** Something a person should know: what happened, what was kept, what to do. */
import type { ChatNotice } from '../protocol/panel.ts';
import { Actions } from './actions.tsx';

export function Notice({ notice }: { notice: ChatNotice }) {
	const { severity, message, kept, hint, actions } = notice;
	return (
		<div class={`notice ${severity}`} role={severity === 'error' ? 'alert' : undefined}>
			<p class="notice-message">{message}</p>
			{kept && <p>{kept}</p>}
			{hint && <p>{hint}</p>}
			<Actions ids={actions} />
		</div>
	);
}
