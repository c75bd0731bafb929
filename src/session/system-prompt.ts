/** Our system prompt: how to work, the tools, where the agent is, and the project's own instructions. */
import type { ToolDefinition } from '../agent/model.ts';
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { fillTemplate } from './messages.ts';
import template from '../../prompts/agent/system-prompt.md';

export interface SystemPromptOptions {
	tools: readonly ToolDefinition[];
	/** The workspace's folder, an absolute path. */
	cwd: string;
	/** As Node names it, for example "linux". */
	platform: string;
	/** As the model is to read it, for example "2026-03-14". */
	date: string;
	/** What the project says to agents (its AGENTS.md). */
	agentsMd?: string;
}

export type SystemPromptPart =
	'instructions' | 'tools' | 'environment' | 'agentsMd' | 'toolDefinitions';

export interface SystemPrompt {
	text: string;
	/** Tokens of each part. `toolDefinitions` are sent beside the text, not in it. */
	tokens: Record<SystemPromptPart, number>;
}

/** Builds the prompt. The same options give the same text, so that servers can cache it. */
export function buildSystemPrompt(
	options: SystemPromptOptions,
	count: TokenCounter = estimateTextTokens,
): SystemPrompt {
	const { tools, cwd, platform, date } = options;
	const parts = {
		tools: toolsPart(tools),
		environment: `Where you are:\n- Folder: ${cwd}\n- System: ${platform}\n- Date: ${date}`,
		agentsMd: agentsPart(options.agentsMd),
	};
	const text = fillTemplate(template, parts)
		.replace(/\n{3,}/g, '\n\n')
		.trimEnd();
	return {
		text,
		tokens: {
			instructions: count(fillTemplate(template, { tools: '', environment: '', agentsMd: '' })),
			tools: count(parts.tools),
			environment: count(parts.environment),
			agentsMd: count(parts.agentsMd),
			toolDefinitions: tools.length > 0 ? count(JSON.stringify(tools)) : 0,
		},
	};
}

function toolsPart(tools: readonly ToolDefinition[]): string {
	if (tools.length === 0) return 'You have no tools in this session.';
	const names = tools.map(({ name }) => name).join(', ');
	return `Your tools: ${names}. Paths are relative to the folder below; nothing outside of it can be reached with them.`;
}

function agentsPart(agentsMd: string | undefined): string {
	const text = agentsMd?.trim();
	if (!text) return '';
	const quoted = text.replace(/<(?=\s*\/?\s*project-instructions)/gi, '‹');
	return `What the project asks of agents (AGENTS.md):\n\n<project-instructions>\n${quoted}\n</project-instructions>`;
}
