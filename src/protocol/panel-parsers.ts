/** Checks every panel message on arrival, in both directions; nothing here throws. */
import type {
	AssistantPart,
	ChatItem,
	FileLists,
	LivePart,
	ShownText,
	ToolResultView,
} from './chat-item.ts';
import { APPROVAL_DECISIONS, type LiveRun, type QuestionView, type Tail } from './live-run.ts';
import {
	ACTION_IDS,
	ACTIVITIES,
	PANEL_VERSION,
	type ChatNotice,
	type ChatStatus,
	type HostMessage,
	type HostMessageBody,
	type QueuedItem,
	type ViewMessage,
	type ViewMessageBody,
} from './panel.ts';
import {
	array,
	attempt,
	boolean,
	count,
	literal,
	nullable,
	object,
	string,
	tagged,
	type Parsed,
	type Parser,
} from './parse.ts';

/** Links that a page may ask to open: nothing that runs a command or reads a file. */
const WEB_URL = /^https?:\/\/[^\s]{1,4096}$/i;

/** True for the addresses that may be opened outside: http and https. */
export function isWebUrl(url: string): boolean {
	return WEB_URL.test(url);
}

const webUrl: Parser<string> = (value, path) => {
	const url = string(value, path);
	if (!isWebUrl(url)) throw new Error(`${path}: not a web address`);
	return url;
};

const action = literal(...ACTION_IDS);
const shown = object<ShownText>({ text: string, cut: count });
const files = object<FileLists>({ read: array(string), modified: array(string), more: count });
const result = object<ToolResultView>({
	entryId: string,
	outcome: literal('done', 'failed', 'refused'),
	text: shown,
	images: count,
});
const part = tagged<'type', AssistantPart>('type', {
	text: object({ type: literal('text'), text: shown }),
	thinking: object({ type: literal('thinking'), text: shown }),
	tool: object({
		type: literal('tool'),
		callId: string,
		name: string,
		summary: string,
		arguments: shown,
		result: nullable(result),
	}),
});
const livePart = object<LivePart>({ type: literal('text', 'thinking'), text: string });

const item = tagged<'kind', ChatItem>('kind', {
	user: object({ kind: literal('user'), id: string, text: shown, images: count }),
	assistant: object({
		kind: literal('assistant'),
		id: string,
		parts: array(part),
		status: literal('complete', 'cut', 'error', 'aborted'),
		error: nullable(string),
		model: string,
	}),
	compaction: object({
		kind: literal('compaction'),
		id: string,
		shortSummary: nullable(string),
		summary: shown,
		tokensBefore: nullable(count),
		tokensAfter: nullable(count),
		files,
		summarizer: nullable(string),
	}),
	branchSummary: object({
		kind: literal('branchSummary'),
		id: string,
		fromId: nullable(string),
		summary: shown,
		coveredEntries: nullable(count),
		files,
		summarizer: nullable(string),
	}),
	bash: object({
		kind: literal('bash'),
		id: string,
		command: string,
		output: shown,
		outcome: nullable(string),
		inContext: boolean,
	}),
	note: object({ kind: literal('note'), id: string, label: string, text: shown }),
	looseResult: object({ kind: literal('looseResult'), id: string, name: string, result }),
});

const tail = object<Tail>({ text: string, cut: count });
const question = object<QuestionView>({
	requestId: string,
	tool: string,
	kind: literal('run', 'create', 'change', 'other'),
	text: string,
	folder: nullable(string),
	lasting: boolean,
});
const run = tagged<'kind', LiveRun>('kind', {
	tool: object({
		kind: literal('tool'),
		id: string,
		callId: string,
		question: nullable(question),
		output: tail,
	}),
	command: object({
		kind: literal('command'),
		id: string,
		command: string,
		inContext: boolean,
		output: tail,
	}),
});

const notice = object<ChatNotice>({
	severity: literal('info', 'error'),
	message: string,
	kept: nullable(string),
	hint: nullable(string),
	actions: array(action),
});
const status = object<ChatStatus>({
	activity: literal(...ACTIVITIES),
	model: nullable(string),
	contextTokens: nullable(count),
	contextIsExact: boolean,
	contextWindow: count,
	progress: nullable(
		object<{ text: string; until: number | null }>({ text: string, until: nullable(count) }),
	),
	queued: array(object<QueuedItem>({ id: string, text: string, steers: boolean })),
	notices: array(notice),
	failure: nullable(notice),
});

const hostBody = tagged<'type', HostMessageBody>('type', {
	snapshot: object({
		type: literal('snapshot'),
		session: nullable(object<{ id: string; title: string }>({ id: string, title: string })),
		items: array(item),
		earlier: count,
		live: nullable(array(livePart)),
		runs: array(run),
		status,
		draft: string,
		draftRevision: count,
		inFlight: array(string),
	}),
	appended: object({ type: literal('appended'), items: array(item) }),
	delta: object({ type: literal('delta'), parts: array(livePart) }),
	runs: object({ type: literal('runs'), runs: array(run) }),
	output: object({
		type: literal('output'),
		outputs: array(object<{ id: string; output: Tail }>({ id: string, output: tail })),
	}),
	status: object({ type: literal('status'), status, title: string }),
	earlier: object({
		type: literal('earlier'),
		beforeId: string,
		items: array(item),
		earlier: count,
	}),
	setEditor: object({ type: literal('setEditor'), text: string }),
	promptAccepted: object({ type: literal('promptAccepted'), requestId: string, text: string }),
	promptRejected: object({
		type: literal('promptRejected'),
		requestId: string,
		message: string,
		actions: array(action),
	}),
});

const viewBody = tagged<'type', ViewMessageBody>('type', {
	ready: object({ type: literal('ready') }),
	resync: object({ type: literal('resync') }),
	prompt: object({
		type: literal('prompt'),
		requestId: string,
		sessionId: nullable(string),
		text: string,
	}),
	stop: object({ type: literal('stop') }),
	draft: object({
		type: literal('draft'),
		sessionId: nullable(string),
		text: string,
		revision: count,
	}),
	loadEarlier: object({ type: literal('loadEarlier'), beforeId: string }),
	action: object({ type: literal('action'), id: action }),
	openEntry: object({ type: literal('openEntry'), id: string }),
	approval: object({
		type: literal('approval'),
		requestId: string,
		decision: literal(...APPROVAL_DECISIONS),
		reason: string,
	}),
	showChange: object({ type: literal('showChange'), requestId: string }),
	queued: object({ type: literal('queued'), id: string, act: literal('edit', 'steer') }),
	openLink: object({ type: literal('openLink'), url: webUrl }),
	reload: object({ type: literal('reload') }),
	problem: object({ type: literal('problem'), message: string }),
});

const version = object({ version: literal(PANEL_VERSION) });
const numbered = object({ version: literal(PANEL_VERSION), seq: count });

/** Checks a message from the host. */
export function parseHostMessage(value: unknown): Parsed<HostMessage> {
	return attempt((raw, path) => ({ ...hostBody(raw, path), ...numbered(raw, path) }), value);
}

/** Checks a message from the page. */
export function parseViewMessage(value: unknown): Parsed<ViewMessage> {
	return attempt((raw, path) => ({ ...viewBody(raw, path), ...version(raw, path) }), value);
}
