/** Where the person writes. Typing draws this component anew and no other. */
import { useEffect, useRef } from 'preact/hooks';
import { personCommand } from '../protocol/person-command.ts';
import { Actions } from './actions.tsx';
import { EnterKey } from './enter-key.ts';
import { useSlice, useStore } from './store.ts';

/** Told apart from those of earlier pages, whose answers may still be on their way. */
const pageId = Math.random().toString(36).slice(2);
let requests = 0;

export function Composer() {
	const { dispatch, post } = useStore();
	const composer = useSlice((state) => state.composer);
	const activity = useSlice((state) => state.status.activity);
	const field = useRef<HTMLTextAreaElement>(null);
	const enter = useRef<EnterKey>(null);
	enter.current ??= new EnterKey();

	useEffect(() => {
		if (composer.focusRequests > 0) field.current?.focus();
	}, [composer.focusRequests]);

	const submit = () => dispatch({ type: 'submit', requestId: `${pageId}-${++requests}` });
	const { text, pending, rejection } = composer;
	const command = personCommand(text);
	const stoppable = activity === 'streaming' || activity === 'compacting';
	return (
		<form
			class="composer"
			aria-label="Message"
			onSubmit={(event) => {
				event.preventDefault();
				submit();
			}}
		>
			{rejection && (
				<div class="notice error" role="alert">
					<p class="notice-message">{rejection.message}</p>
					<Actions ids={rejection.actions} />
				</div>
			)}
			<div class="field">
				<textarea
					ref={field}
					class={command ? 'command' : undefined}
					aria-describedby={command ? 'command-hint' : undefined}
					rows={2}
					aria-label="Message"
					placeholder="Write a message…"
					value={text}
					onInput={(event) => dispatch({ type: 'typed', text: event.currentTarget.value })}
					onCompositionEnd={(event) => enter.current?.compositionEnded(event.timeStamp)}
					onKeyDown={(event) => {
						if (!enter.current?.sends(event)) return;
						event.preventDefault();
						submit();
					}}
				/>
				{command && (
					<p class="command-hint" id="command-hint">
						{command.excludeFromContext
							? 'Runs as a command; the model is not told'
							: 'Runs as a command, and tells the model'}
					</p>
				)}
				<div class="buttons">
					<span class="quiet hint" aria-hidden="true">
						{pending
							? 'Sending…'
							: command
								? 'Enter runs; a space before “!” sends it as text'
								: 'Enter sends, Shift+Enter adds a line'}
					</span>
					{stoppable && (
						<button type="button" class="button secondary" onClick={() => post({ type: 'stop' })}>
							Stop
						</button>
					)}
					<button type="submit" class="button" disabled={!text.trim() || pending !== null}>
						{command ? 'Run' : activity === 'idle' ? 'Send' : 'Queue'}
					</button>
				</div>
			</div>
		</form>
	);
}
