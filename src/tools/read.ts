/** The read tool: a text file, or a part of it, as it is; images as images. */
import { textOutcome, type Tool, type ToolOutcome } from '../agent/tool.ts';
import { numberArgument, textArgument } from './arguments.ts';
import { confine, type ConfinedPath } from './confine.ts';
import { base64, decodeText, imageType, someLines } from './text-file.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** What one call gives at most. */
const MOST_LINES = 2_000;
const MOST_CHARACTERS = 50_000;
/** Bytes. */
const LARGEST_FILE = 10_000_000;
const LARGEST_IMAGE = 4_000_000;

export function readTool(files: WorkspaceFiles): Tool {
	return {
		name: 'read',
		description:
			`Reads a text file or an image. Of a text at most ${MOST_LINES} lines or ${MOST_CHARACTERS} ` +
			'characters come back, with the line to go on from. Lines are not numbered.',
		parameters: {
			type: 'object',
			properties: {
				path: { type: 'string', minLength: 1, description: 'The file.' },
				offset: { type: 'integer', minimum: 1, description: 'The first line, from 1.' },
				limit: { type: 'integer', minimum: 1, description: 'How many lines at most.' },
			},
			required: ['path'],
			additionalProperties: false,
		},
		access: 'read',
		timeoutMs: 60_000,
		async run(args) {
			const path = await confine(files, textArgument(args, 'path'), 'read');
			const info = await files.stat(path.real);
			if (!info) throw new Error(`${path.shown} is not there.`);
			if (info.kind === 'folder') throw new Error(`${path.shown} is a folder: use ls.`);
			if (info.kind !== 'file') throw new Error(`${path.shown} is no ordinary file.`);
			if (info.size > LARGEST_FILE)
				throw new Error(
					`${path.shown} has ${info.size} bytes; at most ${LARGEST_FILE} are read. Use grep, or bash with head or sed.`,
				);
			const bytes = await files.readFile(path.real);
			const mimeType = imageType(bytes);
			if (mimeType) return imageOutcome(path, bytes, mimeType);
			return linesOutcome(path, decodeText(bytes, path.shown).text, {
				offset: numberArgument(args, 'offset') ?? 1,
				limit: numberArgument(args, 'limit') ?? MOST_LINES,
			});
		},
	};
}

function imageOutcome({ shown }: ConfinedPath, bytes: Uint8Array, mimeType: string): ToolOutcome {
	if (bytes.length > LARGEST_IMAGE)
		throw new Error(
			`${shown} is an image of ${bytes.length} bytes; at most ${LARGEST_IMAGE} are sent.`,
		);
	return {
		content: [
			{ type: 'text', text: `${shown} (${mimeType})` },
			{ type: 'image', data: base64(bytes), mimeType },
		],
		isError: false,
	};
}

async function linesOutcome(
	{ shown }: ConfinedPath,
	text: string,
	{ offset, limit }: { offset: number; limit: number },
): Promise<ToolOutcome> {
	const { lines: wanted, total } = await someLines(text, offset, Math.min(limit, MOST_LINES));
	if (total === 0) return textOutcome(`(${shown} is empty.)`);
	if (offset > total)
		throw new Error(`${shown} has ${total} lines; offset ${offset} is behind its end.`);
	let characters = 0;
	const fitting = wanted.findIndex((line) => (characters += line.length + 1) > MOST_CHARACTERS);
	const given = fitting < 0 ? wanted : wanted.slice(0, fitting);
	if (given.length === 0) return longLineOutcome(shown, wanted[0] ?? '', offset);
	const last = offset + given.length - 1;
	const body = given.join('\n');
	if (last === total) return textOutcome(body);
	return textOutcome(
		`${body}\n\n[Lines ${offset} to ${last} of ${total}. To go on: offset ${last + 1}.]`,
	);
}

function longLineOutcome(shown: string, line: string, number: number): ToolOutcome {
	return textOutcome(
		`${line.slice(0, MOST_CHARACTERS)}\n\n[Line ${number} of ${shown} has ${line.length} characters; ` +
			`these are the first ${MOST_CHARACTERS}. Use grep or bash for the rest; to go on behind it: offset ${number + 1}.]`,
	);
}
