/** What is at work now: calls of tools and a person's command, with what they print and ask. */

/** The end of a text that goes on; `cut` characters before it are left out. */
export interface Tail {
	text: string;
	cut: number;
}

/** A call that waits for the person's approval, with all that they must see. */
export interface QuestionView {
	requestId: string;
	tool: string;
	kind: 'run' | 'create' | 'change' | 'other';
	/** All of the command, the file's path, or all of the arguments. */
	text: string;
	/** Where a command runs. */
	folder: string | null;
	/** It can be allowed for longer than once. */
	lasting: boolean;
}

export type LiveRun =
	/** A call of the newest answer. */
	| {
			kind: 'tool';
			/** Made by the host; no two are alike. */
			id: string;
			callId: string;
			question: QuestionView | null;
			output: Tail;
	  }
	/** A command of the person's. */
	| { kind: 'command'; id: string; command: string; inContext: boolean; output: Tail };

export const APPROVAL_DECISIONS = ['once', 'session', 'workspace', 'refuse'] as const;
export type ApprovalChoice = (typeof APPROVAL_DECISIONS)[number];

/** The longest tail, and what is left of one that has become longer, in characters. */
const LONGEST_TAIL = 20_000;
const KEPT_TAIL = 15_000;

export const NO_OUTPUT: Tail = { text: '', cut: 0 };

/** A tail with what came after it. */
export function withOutput(tail: Tail, more: Tail): Tail {
	// What is missing in between is missing before what came last.
	const joined =
		more.cut > 0
			? { text: more.text, cut: tail.cut + tail.text.length + more.cut }
			: { text: tail.text + more.text, cut: tail.cut };
	if (joined.text.length <= LONGEST_TAIL) return joined;
	let start = joined.text.length - KEPT_TAIL;
	const code = joined.text.charCodeAt(start);
	// A surrogate pair is never halved.
	if (code >= 0xdc00 && code <= 0xdfff) start++;
	return { text: joined.text.slice(start), cut: joined.cut + start };
}
