/** Answers that could not be saved, by the entry that they follow; kept until they are. */
import type { AssistantMessage } from '../agent/messages.ts';
import { UserError } from '../util/errors.ts';
import type { SessionManager } from './session-manager.ts';
import { toUserError } from './turn-error.ts';

export class UnsavedAnswers {
	private readonly manager: SessionManager;
	private readonly answers = new Map<string | null, AssistantMessage>();

	constructor(manager: SessionManager) {
		this.manager = manager;
	}

	/**
	 * Saves an answer at the leaf.
	 * @throws UserError where it could not be; it is kept then
	 */
	async save(answer: AssistantMessage): Promise<void> {
		const { leafId } = this.manager;
		try {
			await this.manager.appendMessage(answer);
		} catch (error) {
			this.answers.set(leafId, answer);
			throw answerNotSaved(error);
		}
	}

	/** Saves the answer that belongs here. @returns false where there is none */
	async saveAgain(): Promise<boolean> {
		const { tree, leafId } = this.manager;
		let belongsTo = leafId;
		// A name or a label given meanwhile stands between the two.
		while (belongsTo !== null && !this.answers.has(belongsTo) && isAside(tree.typeOf(belongsTo)))
			belongsTo = tree.parentOf(belongsTo);
		// One whose prompt is no longer in the file is saved wherever the session goes on.
		if (!this.answers.has(belongsTo))
			belongsTo = [...this.answers.keys()].find((id) => id !== null && !tree.has(id)) ?? null;
		const answer = this.answers.get(belongsTo);
		if (!answer) return false;
		await this.manager.appendMessage(answer);
		this.answers.delete(belongsTo);
		return true;
	}
}

function isAside(type: string | undefined): boolean {
	return type === 'label' || type === 'session_info';
}

function answerNotSaved(error: unknown): UserError {
	const { reason, message, hint } = toUserError(error);
	return new UserError(reason, `The answer could not be saved: ${message}`, {
		kept: 'It is kept while this window is open.',
		hint: `${hint ?? 'Then'} "Try again" saves it.`,
		cause: error,
	});
}
