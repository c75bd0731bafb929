/**
 * Answers, and what tools and commands gave, that could not be saved, by the entry that they follow; kept
 * until they are.
 */
import type { AssistantMessage, ToolResultMessage } from '../agent/messages.ts';
import { UserError } from '../util/errors.ts';
import type { BashExecutionMessage } from './messages.ts';
import type { SessionManager } from './session-manager.ts';
import { toUserError } from './turn-error.ts';

type Answer = AssistantMessage | ToolResultMessage | BashExecutionMessage;

const NAMES = {
	assistant: 'answer',
	toolResult: "tool's result",
	bashExecution: "command's output",
};

export class UnsavedAnswers {
	private readonly manager: SessionManager;
	private readonly answers = new Map<string | null, Answer>();

	constructor(manager: SessionManager) {
		this.manager = manager;
	}

	/**
	 * Saves an answer at the leaf.
	 * @throws UserError where it could not be; it is kept then
	 */
	async save(answer: Answer): Promise<void> {
		const { leafId } = this.manager;
		try {
			await this.manager.appendMessage(answer);
		} catch (error) {
			this.answers.set(leafId, answer);
			throw answerNotSaved(answer, error);
		}
	}

	/** Saves the answer that belongs here, and returns it. @returns undefined where there is none */
	async saveAgain(): Promise<Answer | undefined> {
		const { tree, leafId } = this.manager;
		let belongsTo = leafId;
		// A name or a label given meanwhile stands between the two.
		while (belongsTo !== null && !this.answers.has(belongsTo) && isAside(tree.typeOf(belongsTo)))
			belongsTo = tree.parentOf(belongsTo);
		// One whose prompt is no longer in the file is saved wherever the session goes on.
		if (!this.answers.has(belongsTo))
			belongsTo = [...this.answers.keys()].find((id) => id !== null && !tree.has(id)) ?? null;
		const answer = this.answers.get(belongsTo);
		if (!answer) return undefined;
		await this.manager.appendMessage(answer);
		this.answers.delete(belongsTo);
		return answer;
	}
}

/** True where the model was still to be asked after it: what a tool gave, or an answer that calls tools. */
export function isUnfinished(answer: Answer): boolean {
	if (answer.role === 'assistant') return answer.stopReason === 'toolUse';
	return answer.role === 'toolResult';
}

function isAside(type: string | undefined): boolean {
	return type === 'label' || type === 'session_info';
}

function answerNotSaved({ role }: Answer, error: unknown): UserError {
	const { reason, message, hint } = toUserError(error);
	return new UserError(reason, `The ${NAMES[role]} could not be saved: ${message}`, {
		kept: 'It is kept while this window is open.',
		hint: `${hint ?? 'Then'} "Try again" saves it.`,
		cause: error,
	});
}
