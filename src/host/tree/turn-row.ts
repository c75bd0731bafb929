/** Rows of turns: a user message with its steps folded below, or a turn that goes on after a fork. */
import { stepLook } from './step-row.ts';
import {
	counted,
	entryFlags,
	joined,
	labelText,
	placedIcon,
	placeText,
	type RowLook,
	type RowSubject,
} from './row-look.ts';

export function turnLook(subject: RowSubject): RowLook {
	const { facts, entry, label } = subject;
	const steps = facts.children > 0 && counted(facts.children, 'step');
	const branches = facts.branches > 0 && counted(facts.branches, 'other branch', 'other branches');
	const place = facts.place === 'holdsCurrent' ? 'current turn' : placeText(facts.place);
	if (facts.continued) {
		const head = stepLook(subject);
		return {
			...head,
			description: joined([place, label, 'turn continued', steps]),
			spoken: joined(
				[head.spoken, 'turn continued', steps, branches && `${branches} follow`],
				', ',
			),
			collapsible: facts.children > 0,
			flags: entryFlags(subject, 'turn'),
		};
	}
	const text = labelText(entry) || '(empty message)';
	return {
		label: text,
		description: joined([place, label, steps]),
		...placedIcon(facts.place, 'comment'),
		flags: entryFlags(subject, 'turn'),
		spoken: joined(
			[
				`You: ${text}`,
				label && `labelled ${label}`,
				place,
				steps,
				branches && `${branches} follow`,
			],
			', ',
		),
		collapsible: facts.children > 0,
	};
}
