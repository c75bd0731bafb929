/** Owns reading one user message: what is asked, in the user's words, and what is only a nudge. */
import { takeLists } from './lists.ts';
import type { ListFact } from './outline.ts';
import { ownWords } from './pasted.ts';
import { clip, headAndTail, plainLine, sentencesOf } from './text.ts';

/** Characters kept of a request; rendering clips it further. */
const REQUEST_CHARS = 700;
const GO_ON =
	/^(?:please )?(?:continue|go on|go ahead|proceed|keep going|carry on|resume|weiter|続けて(?:ください)?|继续)[.! ]*$/i;
const BARE_COMMAND = /^\/\w*$/;
const SMALL_TALK =
	/^(?:thanks?(?: you)?|thx|great|nice|cool|perfect|ok(?:ay)?|hi|hello|hey)[.! ]*$/i;

const ANSWER =
	/^(?:yes|yeah|yep|no|nope|ok(?:ay)?|sure|both|all|either|neither|option|the|first|second|third|minor|major|go|do)\b/i;

export interface UserRequest {
	/** One clean line, at most 700 characters. */
	text: string;
	/** The user's own sentences, clean, unclipped, for the search for rules and decisions. */
	sentences: string[];
	lists: ListFact[];
}

/** What a user message means for the flow of the session. */
type UserMove = 'request' | 'goOn' | 'nothing';

/** Tells a request from a nudge to go on, and from a message that asks nothing. */
export function moveOf(text: string): UserMove {
	const trimmed = text.trim();
	if (trimmed.length > 60) return 'request';
	if (GO_ON.test(trimmed)) return 'goOn';
	return trimmed === '' || BARE_COMMAND.test(trimmed) || SMALL_TALK.test(trimmed)
		? 'nothing'
		: 'request';
}

/** True for answers that mean little without the question before them: "yes, all of it", "f0c674". */
export function isShortReply(text: string): boolean {
	const words = text.split(' ').length;
	return (
		text.length < 32 && !text.endsWith('?') && (words <= 2 || (words <= 6 && ANSWER.test(text)))
	);
}

/** Reads a request. `text` may be of any length; its beginning and end are looked at. */
export function readRequest(text: string): UserRequest {
	const own = ownWords(headAndTail(text, 60_000, 4_000));
	const { prose, lists } = takeLists(own.lines);
	const lines = prose.map(plainLine).filter((line) => line !== '');
	const sentences = lines
		.filter((line) => !line.startsWith('(list of '))
		.flatMap((line) => sentencesOf(line.slice(0, 4000)))
		.slice(0, 300);
	const errors = own.errors.length > 0 ? [`[pasted: ${own.errors.join(' | ')}]`] : [];
	const joined = lines.map((line, index) =>
		index < lines.length - 1 && /[\p{L}\p{N})"'`]$/u.test(line) ? `${line};` : line,
	);
	// Where all of it was pasted, the beginning of the paste is the request.
	const whole = [...joined, ...errors].join(' ') || plainLine(text.slice(0, REQUEST_CHARS * 4));
	return {
		text: clip(whole, REQUEST_CHARS),
		sentences,
		lists,
	};
}
