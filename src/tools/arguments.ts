/** Arguments that were held against a schema, read with their types. */
import type { ToolArguments } from '../agent/tool.ts';

export function textArgument(args: ToolArguments, name: string): string {
	const value = args[name];
	return typeof value === 'string' ? value : '';
}

export function numberArgument(args: ToolArguments, name: string): number | undefined {
	const value = args[name];
	return typeof value === 'number' ? value : undefined;
}

/** The folder or file that a search is about; the workspace where none is named. */
export function pathArgument(args: ToolArguments): string {
	return textArgument(args, 'path') || '.';
}
