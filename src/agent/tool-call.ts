/** One call of a tool: checked, allowed, run and stopped. Whatever goes wrong becomes its outcome. */
import { untilAborted } from '../util/async.ts';
import { errorText } from '../util/errors.ts';
import { clipMiddle } from '../util/clip-text.ts';
import { checkArguments } from './argument-schema.ts';
import type { ToolCall } from './messages.ts';
import type { ApprovalPort, Tool, ToolAct, ToolArguments, ToolOutcome } from './tool.ts';

export interface ToolListener {
	toolOutput(call: ToolCall, text: string): void;
}

export interface ToolParts {
	tools: readonly Tool[];
	/** Nothing that writes or runs is allowed where absent. */
	approval?: ApprovalPort | undefined;
	listener: ToolListener;
}

/** How long a tool that is stopped may take to end and to tell what it has, in ms. */
const STOPPING_MS = 5_000;
/** A bound for tools that do not clip their output themselves, in characters: it is stored for ever. */
const LONGEST_TEXT = 200_000;
/** Where providers put arguments that are no JSON object. */
const RAW_ARGUMENTS = '_raw';
const SHOWN_RAW = 200;

/** Runs a call. Never throws. */
export async function runToolCall(
	call: ToolCall,
	parts: ToolParts,
	signal: AbortSignal,
): Promise<ToolOutcome> {
	try {
		return clipped(await checkedCall(call, parts, signal));
	} catch (error) {
		if (signal.aborted) return failed('Stopped: the turn was stopped before this call was done.');
		return failed(errorText(error));
	}
}

async function checkedCall(
	call: ToolCall,
	{ tools, approval, listener }: ToolParts,
	signal: AbortSignal,
): Promise<ToolOutcome> {
	const tool = tools.find(({ name }) => name === call.name);
	if (!tool) {
		const names = tools.map(({ name }) => name).join(', ');
		return failed(`There is no tool "${call.name}". The tools are: ${names}.`);
	}
	const checked = argumentsOf(call, tool);
	if ('problem' in checked) return failed(checked.problem);
	const args = checked.arguments;
	const act = await untilAborted(
		tool.describe?.(args, signal) ?? Promise.resolve(undefined),
		signal,
	);
	const refusal = await refusalOf(call, tool, act ?? { kind: 'other', arguments: args }, {
		approval,
		signal,
	});
	if (refusal !== undefined) return failed(`Not allowed: ${refusal}`);
	return timedRun(tool, args, { act, signal, onOutput: (text) => listener.toolOutput(call, text) });
}

function argumentsOf(
	{ arguments: given }: ToolCall,
	{ name, parameters }: Tool,
): { arguments: ToolArguments } | { problem: string } {
	const raw = given[RAW_ARGUMENTS];
	if (typeof raw === 'string' && !(RAW_ARGUMENTS in parameters.properties)) {
		const begin = raw.slice(0, SHOWN_RAW);
		return {
			problem: `The arguments of this call are not one JSON object, so it was not run. They begin: ${begin}`,
		};
	}
	const checked = checkArguments(parameters, given);
	if ('arguments' in checked) return checked;
	return { problem: `The arguments do not fit ${name}: ${checked.problems.join('; ')}.` };
}

/** Why a call may not run; undefined where it may. */
async function refusalOf(
	{ id }: ToolCall,
	{ name, access }: Tool,
	act: ToolAct,
	{ approval, signal }: { approval: ApprovalPort | undefined; signal: AbortSignal },
): Promise<string | undefined> {
	if (access === 'read') return undefined;
	if (!approval) return 'nobody is there to allow it.';
	const request = { toolCallId: id, toolName: name, access, act };
	const answer = await untilAborted(approval.ask(request, signal), signal);
	return answer === 'allow' ? undefined : answer.refused;
}

/** Runs a tool within its time; one that is deaf to its signal is left behind. */
async function timedRun(
	tool: Tool,
	args: ToolArguments,
	run: {
		act: ToolAct | undefined;
		signal: AbortSignal;
		onOutput: (text: string) => void;
	},
): Promise<ToolOutcome> {
	const { timeoutMs } = tool;
	const signal =
		timeoutMs === undefined
			? run.signal
			: AbortSignal.any([run.signal, AbortSignal.timeout(timeoutMs)]);
	try {
		return await untilStopped(tool.run(args, { ...run, signal }), signal);
	} catch (error) {
		if (run.signal.aborted || !signal.aborted) throw error;
		return failed(`${tool.name} was stopped: it took longer than ${(timeoutMs ?? 0) / 1000} s.`);
	}
}

/** The outcome, waited for a little longer when the signal has fired: it tells what was done. */
function untilStopped<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
	const grace = new AbortController();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const begin = () => (timer = setTimeout(() => grace.abort(), STOPPING_MS));
	if (signal.aborted) begin();
	else signal.addEventListener('abort', begin, { once: true });
	return untilAborted(outcome, grace.signal).finally(() => {
		clearTimeout(timer);
		signal.removeEventListener('abort', begin);
	});
}

function clipped(outcome: ToolOutcome): ToolOutcome {
	const content = outcome.content.map((part) =>
		part.type === 'text' ? { ...part, text: clipMiddle(part.text, LONGEST_TEXT) } : part,
	);
	return { ...outcome, content };
}

function failed(text: string): ToolOutcome {
	return { content: [{ type: 'text', text }], isError: true };
}
