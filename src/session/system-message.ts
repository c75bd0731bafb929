/**
 * pi's system messages: each changes the prompt, its sections or its tools from there on. A compaction
 * restates their sum, since what it summarizes may hold some of them (upstream facts, section 2).
 */
import type { SystemMessage } from '../agent/messages.ts';
import type { AgentMessage } from './messages.ts';

interface NamedTool {
	name: string;
}

/** The one system message that stands for all of these; undefined where there is none. */
export function mergedSystemMessage(
	messages: readonly AgentMessage[],
	timestamp: number,
): SystemMessage | undefined {
	const all = messages.filter((message) => message.role === 'system');
	if (all.length === 0) return undefined;
	const sections = new Map<string, unknown>();
	const tools = new Map<string, NamedTool>();
	for (const message of all) {
		for (const [name, value] of Object.entries(message.sections ?? {})) {
			if (value === null) sections.delete(name);
			else sections.set(name, value);
		}
		for (const { name } of namedTools(message.toolsRemoved)) tools.delete(name);
		for (const tool of namedTools(message.toolsAdded)) tools.set(tool.name, tool);
	}
	return {
		role: 'system',
		content: all.map(textOf).filter(Boolean).join('\n\n'),
		...(sections.size > 0 ? { sections: Object.fromEntries(sections) } : {}),
		...(tools.size > 0 ? { toolsAdded: [...tools.values()] } : {}),
		timestamp,
	};
}

function textOf({ content }: SystemMessage): string {
	if (typeof content === 'string') return content;
	return content.map((part) => part.text).join('\n');
}

/** Files are not validated: anything may stand here. */
function namedTools(tools: unknown): NamedTool[] {
	return Array.isArray(tools)
		? tools.filter(
				(tool: unknown): tool is NamedTool =>
					typeof tool === 'object' && tool !== null && 'name' in tool,
			)
		: [];
}
