/** The edit tool: one text in a file replaced by another, exactly; all else stays byte for byte. */
import { textOutcome, type Tool, type ToolArguments } from '../agent/tool.ts';
import { textArgument } from './arguments.ts';
import { confine, type ConfinedPath } from './confine.ts';
import { nearMisses } from './near-misses.ts';
import { decodeText, encodeText } from './text-file.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** How many places are named where a text is found more than once. */
const NAMED_PLACES = 10;
/** Bytes. */
const LARGEST_FILE = 10_000_000;

export interface Replacement {
	oldText: string;
	newText: string;
	replaceAll: boolean;
}

export function editTool(files: WorkspaceFiles): Tool {
	return {
		name: 'edit',
		description:
			'Replaces a text in a file. oldText must be exactly what stands there, with its indentation, and stand there once, else replaceAll is needed. Line ends are kept as the file has them.',
		parameters: {
			type: 'object',
			properties: {
				path: { type: 'string', minLength: 1, description: 'The file.' },
				oldText: { type: 'string', minLength: 1, description: 'What stands there now.' },
				newText: { type: 'string', description: 'What shall stand there.' },
				replaceAll: { type: 'boolean', description: 'Replace it wherever it stands.' },
			},
			required: ['path', 'oldText', 'newText'],
			additionalProperties: false,
		},
		access: 'write',
		async describe(args) {
			const { path, before, after } = await plannedEdit(files, args);
			return { kind: 'edit', path: path.shown, before, after };
		},
		async run(args, { act }) {
			const { path, before, after, bom, count } = await plannedEdit(files, args);
			if (act?.kind === 'edit' && (act.path !== path.shown || act.before !== before))
				throw new Error(`${path.shown} was changed meanwhile: read it and edit again.`);
			await files.writeFile(path.real, encodeText(bom + after));
			return textOutcome(
				`Edited ${path.shown}: ${count} ${count === 1 ? 'place' : 'places'} replaced.`,
			);
		},
	};
}

async function plannedEdit(files: WorkspaceFiles, args: ToolArguments) {
	const path = await confine(files, textArgument(args, 'path'), 'write');
	const info = await files.stat(path.real);
	if (!info) throw new Error(`${path.shown} is not there. To make a file use write.`);
	if (info.kind !== 'file') throw new Error(`${path.shown} is no file.`);
	if (info.size > LARGEST_FILE) throw new Error(`${path.shown} is too large to be edited.`);
	const { text, bom } = decodeText(await files.readFile(path.real), path.shown);
	const replacement = {
		oldText: textArgument(args, 'oldText'),
		newText: textArgument(args, 'newText'),
		replaceAll: args.replaceAll === true,
	};
	return { path, before: text, bom, ...(await replaceIn(path, text, replacement)) };
}

/**
 * The text after a replacement, and how often something was replaced. A line end in `oldText` stands for
 * whichever line end the file has there, and `newText` gets that one.
 * @throws Error that says why nothing can be replaced, and what comes close
 */
export async function replaceIn(
	{ shown }: Pick<ConfinedPath, 'shown'>,
	text: string,
	{ oldText, newText, replaceAll }: Replacement,
): Promise<{ after: string; count: number }> {
	const found = [...text.matchAll(anyLineEnd(oldText))];
	if (found.length === 0)
		throw new Error(
			`oldText was not found in ${shown}; nothing was changed.${await nearMisses(text, oldText)}`,
		);
	if (found.length > 1 && !replaceAll)
		throw new Error(
			`oldText stands ${found.length} times in ${shown} (lines ${places(text, found)}); nothing was changed. ` +
				'Give more of the lines around it, or set replaceAll.',
		);
	const fileEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
	let after = '';
	let end = 0;
	for (const match of found) {
		const lineEnd = /\r?\n/.exec(match[0])?.[0] ?? fileEnd;
		after += text.slice(end, match.index) + newText.replace(/\r?\n/g, lineEnd);
		end = match.index + match[0].length;
	}
	after += text.slice(end);
	if (after === text) throw new Error('newText is what stands there already; nothing was changed.');
	return { after, count: found.length };
}

function anyLineEnd(text: string): RegExp {
	const lines = text.split(/\r?\n/).map((line) => line.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
	return new RegExp(lines.join('\\r?\\n'), 'g');
}

function places(text: string, found: readonly RegExpExecArray[]): string {
	let line = 1;
	let at = 0;
	const numbers = found.slice(0, NAMED_PLACES).map(({ index }) => {
		for (; at < index; at++) if (text.charCodeAt(at) === 10) line++;
		return line;
	});
	return numbers.join(', ') + (found.length > NAMED_PLACES ? ', …' : '');
}
