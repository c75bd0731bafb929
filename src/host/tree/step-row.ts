/** Rows of steps: assistant messages, tool results, commands and metadata. */
import type { SessionEntry } from '../../session/entries.ts';
import { calledTools, firstLine } from '../../session/entry-text.ts';
import { modelOfChange } from '../../session/context.ts';
import type { AgentMessage } from '../../session/messages.ts';
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

/** A step's own words: what kind it is, what it says, and details for the description. */
interface StepText {
	/** For a screen reader, before the label. */
	kind: string;
	label: string;
	detail?: string;
	icon: string;
}

export function stepLook(subject: RowSubject): RowLook {
	const { facts, entry, label } = subject;
	const text = stepText(entry);
	const place = facts.place === 'holdsCurrent' ? 'current step' : placeText(facts.place);
	const results = facts.children > 0 && counted(facts.children, 'result');
	return {
		label: text.label,
		description: joined([place, label, text.detail]),
		...placedIcon(facts.place, text.icon),
		flags: entryFlags(subject, 'step'),
		spoken: joined(
			[
				text.kind === text.label ? text.kind : `${text.kind}: ${text.label}`,
				text.detail,
				label && `labelled ${label}`,
				place,
				results,
			],
			', ',
		),
		collapsible: facts.children > 0,
	};
}

function stepText(entry: SessionEntry): StepText {
	switch (entry.type) {
		case 'message':
			return messageStep(entry, entry.message);
		case 'custom_message':
			return {
				kind: `Message of ${entry.customType}`,
				label: labelText(entry) || '(empty message)',
				detail: entry.customType,
				icon: 'note',
			};
		case 'model_change': {
			const model = modelOfChange(entry);
			const name = model ? `${model.provider}/${model.modelId}` : (entry.model ?? 'unknown');
			return { kind: 'Model', label: `Model: ${name}`, icon: 'arrow-swap' };
		}
		case 'thinking_level_change':
			return {
				kind: 'Thinking',
				label: `Thinking: ${entry.thinkingLevel ?? 'off'}`,
				icon: 'lightbulb',
			};
		case 'label':
			return {
				kind: 'Label',
				label: entry.label ? `Label: ${firstLine(entry.label, 60)}` : 'Label removed',
				icon: 'tag',
			};
		case 'session_info':
			return { kind: 'Name', label: `Name: ${firstLine(entry.name ?? '', 60)}`, icon: 'edit' };
		case 'context_edit':
			return {
				kind: 'Context edit',
				label: entry.replacement
					? 'Entry replaced in the context'
					: 'Entry left out of the context',
				icon: 'edit',
			};
		case 'reset_boundary':
			return { kind: 'Reset', label: 'The context starts anew here', icon: 'clear-all' };
		default: {
			const { type, customType } = entry as { type: string; customType?: string };
			const name = firstLine(String(customType ?? type), 60);
			return { kind: 'Entry', label: name, detail: 'not part of the context', icon: 'symbol-misc' };
		}
	}
}

function messageStep(entry: SessionEntry, message: AgentMessage | undefined): StepText {
	const text = labelText(entry);
	switch (message?.role) {
		case 'assistant': {
			const calls = calledTools(entry);
			const names = [...new Set(calls.map(({ name }) => name))].join(', ');
			const failed = message.stopReason === 'error' || message.stopReason === 'aborted';
			const outcome = message.stopReason === 'error' ? 'failed' : 'stopped';
			const only = calls.length === 1 ? joined([calls[0]?.name, calls[0]?.subject], ' ') : names;
			return {
				kind: 'Assistant',
				label: text || only || (failed ? `Answer ${outcome}` : '(no text)'),
				detail: joined([failed && outcome, text !== '' && names]),
				icon: failed ? 'warning' : 'sparkle',
			};
		}
		case 'toolResult':
			return {
				kind: 'Result',
				label: message.toolName || 'tool',
				detail: joined([message.isError && 'error', text]),
				icon: message.isError ? 'error' : 'tools',
			};
		case 'bashExecution':
			return {
				kind: 'Command',
				label: firstLine(message.command ?? '', 100) || '(empty command)',
				detail: joined([
					message.cancelled && 'cancelled',
					Boolean(message.exitCode) && `exit code ${message.exitCode}`,
					message.excludeFromContext && 'not in the context',
				]),
				icon: 'terminal',
			};
		case 'system':
			return { kind: 'System', label: text || 'System message', icon: 'settings-gear' };
		default:
			return {
				kind: 'Message',
				label: text || firstLine(String(message?.role ?? 'message'), 60),
				icon: 'note',
			};
	}
}
