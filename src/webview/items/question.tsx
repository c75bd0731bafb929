/** Asks before a tool acts: all that it would do, and the ways to answer. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalChoice, QuestionView } from '../../protocol/live-run.ts';
import { visibleParts, visibleText } from '../../util/visible-text.ts';
import { plural } from '../format.ts';
import { useStore } from '../store.ts';

const TITLES: Record<QuestionView['kind'], string> = {
	run: 'Run this command?',
	create: 'Create this file?',
	change: 'Change this file?',
	other: 'Allow this call?',
};

export function Question({ question }: { question: QuestionView }) {
	const { post } = useStore();
	const [reason, setReason] = useState('');
	const { requestId, kind, tool, folder, lasting } = question;
	const answer = (decision: ApprovalChoice) =>
		post({ type: 'approval', requestId, decision, reason: decision === 'refuse' ? reason : '' });
	const button = (label: string, decision: ApprovalChoice, look = 'button secondary') => (
		<button
			type="button"
			class={look}
			title={decision === 'refuse' ? undefined : coverage(question)}
			onClick={(event) => {
				// The second half of a double click may meet the button of another question.
				if (event.detail > 1) return;
				keepPlace(event);
				answer(decision);
			}}
		>
			{label}
		</button>
	);
	return (
		<div class="question" role="group" aria-label={`${TITLES[kind]} (${tool})`}>
			<p class="question-title">
				{TITLES[kind]}
				{folder !== null && <span class="quiet">{`in ${visibleText(folder)}`}</span>}
			</p>
			<Act question={question} />
			<div class="actions">
				{button('Allow once', 'once', 'button')}
				{lasting && button('Allow for session', 'session')}
				{lasting && button('Allow for workspace', 'workspace')}
			</div>
			<p class="quiet covers">{coverage(question)}</p>
			<form
				class="refusal"
				onSubmit={(event) => {
					event.preventDefault();
					keepPlace(event);
					answer('refuse');
				}}
			>
				<input
					type="text"
					aria-label="Why you refuse, told to the model (optional)"
					placeholder="Reason (optional)"
					value={reason}
					onInput={(event) => setReason(event.currentTarget.value)}
				/>
				{button('Refuse', 'refuse')}
			</form>
		</div>
	);
}

/** The card goes when it is answered; who works by keyboard stays at its tool. */
function keepPlace({ currentTarget: element }: { currentTarget: HTMLElement }): void {
	if (!element.contains(document.activeElement)) return;
	element.closest('.tool-card')?.querySelector('summary')?.focus();
}

function Act({ question }: { question: QuestionView }) {
	const { post } = useStore();
	const { requestId, kind, text } = question;
	const shown = visibleParts(text).map(({ text: piece, hidden }, index) =>
		hidden ? (
			<span key={index} class="hidden-character" title="A character that would not be seen">
				{piece}
			</span>
		) : (
			piece
		),
	);
	const view = useRef<HTMLPreElement>(null);
	const [fits, setFits] = useState(true);
	useLayoutEffect(() => {
		// What does not fit is said, so that nobody misses the end.
		const measure = () => {
			const element = view.current;
			if (element) setFits(element.scrollHeight <= element.clientHeight + 1);
		};
		measure();
		window.addEventListener('resize', measure);
		return () => window.removeEventListener('resize', measure);
	}, [text]);
	return (
		<>
			<pre ref={view} class="output act" tabIndex={0} aria-label="What would be done">
				{shown}
			</pre>
			{!fits && (
				<p class="quiet">{`${plural(text.split('\n').length, 'line')}: scroll to see all`}</p>
			)}
			{(kind === 'create' || kind === 'change') && (
				<p>
					<button
						type="button"
						class="link"
						onClick={() => post({ type: 'showChange', requestId })}
					>
						Show diff
					</button>
				</p>
			)}
		</>
	);
}

/** What allowing it for longer means. */
function coverage({ kind, tool, lasting }: QuestionView): string {
	if (kind === 'other') return 'Asked each time.';
	if (!lasting) return 'Asked each time: files like this one can make things run, or hold secrets.';
	return kind === 'run'
		? 'For session or workspace: exactly this command, in this folder.'
		: `For session or workspace: any file of this folder, by ${tool}.`;
}
