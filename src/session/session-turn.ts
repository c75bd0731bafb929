/** The agent loop on a session: requests are built from it, and messages and events go back to it. */
import type { Model, ModelRequest, ToolDefinition } from '../agent/model.ts';
import type { Tool } from '../agent/tool.ts';
import { runTurn, type TurnEnd, type TurnListener } from '../agent/turn.ts';
import type { Emitter } from '../util/emitter.ts';
import type { TokenCounter } from '../util/tokens.ts';
import type { AgentSetup } from './agent-setup.ts';
import type { AgentSessionEvent, ToolEvent } from './agent-events.ts';
import { withBlobs, type BlobStore } from './blobs.ts';
import { buildRequest } from './request-builder.ts';
import type { SessionManager } from './session-manager.ts';
import type { UnsavedAnswers } from './unsaved-answers.ts';

export interface SessionTurn {
	manager: SessionManager;
	model: Model;
	events: Emitter<AgentSessionEvent>;
	toolEvents: Emitter<ToolEvent>;
	unsaved: UnsavedAnswers;
	setup: AgentSetup;
	blobs?: BlobStore | undefined;
	/** Tokens that messages may take in a request beside the tokens of prompt and tools. */
	room: (overheadTokens: number) => number | undefined;
	counter: () => Promise<TokenCounter>;
}

/**
 * Runs one turn on the session as it stands.
 * @throws UserError where a message could not be saved, or the session not be read
 */
export function runSessionTurn(turn: SessionTurn, signal: AbortSignal): Promise<TurnEnd> {
	const { model, setup, unsaved } = turn;
	return runTurn(
		{
			model,
			tools: setup.tools ?? [],
			approval: setup.approval,
			nextRequest: () => nextRequest(turn),
			append: (message) => unsaved.save(message),
			listener: tellEvents(turn),
		},
		signal,
	);
}

async function nextRequest(turn: SessionTurn): Promise<ModelRequest> {
	const { manager, blobs, setup } = turn;
	const { systemPrompt, tools = [] } = setup;
	const context = (await manager.readContext()).messages;
	const count = await turn.counter();
	const { messages } = buildRequest(blobs ? await withBlobs(context, blobs) : context, {
		room: turn.room(overheadTokens(setup, count)),
		count,
	});
	return {
		messages,
		...(systemPrompt ? { systemPrompt } : {}),
		...(tools.length > 0 ? { tools: toolDefinitions(tools) } : {}),
	};
}

/** What a model is told of the tools. */
export function toolDefinitions(tools: readonly Tool[]): ToolDefinition[] {
	return tools.map(({ name, description, parameters }) => ({
		name,
		description,
		parameters: { ...parameters },
	}));
}

/** Tokens that every request takes besides its messages. */
export function overheadTokens(
	{ systemPrompt, tools = [] }: AgentSetup,
	count: TokenCounter,
): number {
	const definitions = tools.length > 0 ? count(JSON.stringify(toolDefinitions(tools))) : 0;
	return definitions + (systemPrompt ? count(systemPrompt) : 0);
}

function tellEvents({ events, toolEvents }: SessionTurn): TurnListener {
	return {
		text: (delta) => events.emit({ type: 'textDelta', delta }),
		thinking: (delta) => events.emit({ type: 'thinkingDelta', delta }),
		toolStarted: ({ id, name, arguments: args }) =>
			toolEvents.emit({ type: 'toolStarted', toolCallId: id, toolName: name, arguments: args }),
		toolOutput: ({ id }, delta) => toolEvents.emit({ type: 'toolOutput', toolCallId: id, delta }),
		toolEnded: ({ id }, { isError }) =>
			toolEvents.emit({ type: 'toolEnded', toolCallId: id, isError }),
	};
}
