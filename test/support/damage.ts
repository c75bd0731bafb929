/** Arbitrary damage to the lines of a session file, and what of it is left as it was. */
import fc from 'fast-check';
import type { SessionEntry } from '../../src/session/entries.ts';

/** A line of a damaged file. */
interface DamagedLine {
	bytes: Buffer;
	/** The entry of a line that nothing has touched. */
	entry?: SessionEntry;
}

type Damage = (lines: DamagedLine[]) => void;

const KNOWN_TYPES = [
	...['message', 'model_change', 'thinking_level_change', 'compaction', 'branch_summary'],
	...['custom_message', 'context_edit', 'label', 'session_info', 'reset_boundary', 'hologram'],
];
const ROLES = ['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'system', 'odd'];

/** Values of any shape, where a field promises another. */
export const junkValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; part: unknown }>(
	(tie) => ({
		value: fc.oneof(
			{ maxDepth: 2 },
			fc.constantFrom(null, 0, -1, true, '', 'text', [], {}),
			fc.array(tie('part'), { maxLength: 3 }),
			fc.record(
				{ role: fc.constantFrom(...ROLES, 7, null), content: tie('value'), sections: tie('value') },
				{ requiredKeys: [] },
			),
			fc.record({ toolsAdded: tie('value'), toolsRemoved: tie('value') }),
		),
		part: fc.oneof(
			{ maxDepth: 2 },
			fc.constantFrom(null, 'text', 7, {}, { type: 'text' }, { type: 'toolCall', id: 3 }),
			fc.record({ type: fc.constantFrom('text', 'image', 'thinking', 3), text: tie('value') }),
			tie('value'),
		),
	}),
).value;

/** Entries whose fields hold anything; `ids` are those of other entries. */
export function hostileEntry(ids: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
	const anyId = fc.constantFrom(...ids);
	const value = fc.oneof({ weight: 3, arbitrary: junkValue }, anyId);
	const message = fc.record(
		{
			...{ role: fc.constantFrom(...ROLES), content: value, command: value, output: value },
			...{ toolCallId: value, toolName: value, provider: value, model: value, usage: value },
			...{ timestamp: value, stopReason: value, customType: value, summary: value },
			...{ sections: value, toolsAdded: value, toolsRemoved: value },
		},
		{ requiredKeys: ['role'] },
	);
	return fc.record(
		{
			type: fc.constantFrom(...KNOWN_TYPES),
			id: fc.stringMatching(/^junk[0-9]{4}$/),
			parentId: fc.oneof({ weight: 3, arbitrary: anyId }, value),
			...{ timestamp: value, message: fc.oneof({ weight: 3, arbitrary: message }, value) },
			...{ summary: fc.oneof(fc.string(), value), targetId: fc.oneof(anyId, value) },
			...{ label: value, name: value, replacement: value, content: value, customType: value },
			...{ display: value, provider: value, modelId: value, model: value, thinkingLevel: value },
			...{ firstKeptEntryId: value, tokensBefore: value, fromId: value },
			...{ details: value, usage: value },
		},
		{ requiredKeys: ['type', 'id', 'parentId'] },
	);
}

/** Damages the lines of these entries; says which entries must still be there. */
export function damagedFile(
	header: string,
	entries: readonly SessionEntry[],
): fc.Arbitrary<{ bytes: Buffer; untouched: SessionEntry[] }> {
	const hostile = hostileEntry(entries.map(({ id }) => id)).map((value) => JSON.stringify(value));
	const junk = fc.oneof(
		hostile,
		fc.json({ maxDepth: 2 }).filter((text) => !text.includes('"id":')),
		fc.string({ unit: 'binary' }),
		fc.constantFrom('', '{"type":"mess', '}{', 'null', '[]', '\uFEFF', '{"type":"label","id":""}'),
	);
	const newBytes = fc.oneof(
		fc.uint8Array({ minLength: 1, maxLength: 6 }),
		fc.constantFrom('"', '}', '{', '\\', '\n', '\r\n', ',"id":7', '\0').map(bytesOfText),
		fc.integer({ min: 1, max: 4096 }).map((length) => new Uint8Array(length)),
	);
	const damage = fc.oneof(
		fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 6 }), newBytes).map(splice),
		fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 40 }), fc.constant([])).map(splice),
		fc.tuple(fc.nat(), fc.boolean(), junk).map(junkLine),
		fc.nat().map(joinLines),
	);
	return fc.array(damage, { minLength: 1, maxLength: 6 }).map((damages) => {
		const lines: DamagedLine[] = entries.map((entry) => ({
			...{ bytes: Buffer.from(JSON.stringify(entry)), entry },
		}));
		for (const apply of damages) apply(lines);
		const file = [Buffer.from(header), ...lines.map(({ bytes }) => bytes)];
		return {
			bytes: Buffer.concat(file.flatMap((bytes) => [bytes, Buffer.from('\n')])),
			untouched: lines.flatMap(({ entry }) => entry ?? []),
			[fc.toStringMethod]: () => file.map(String).join('\n'),
		};
	});
}

function bytesOfText(text: string): Uint8Array {
	return Buffer.from(text);
}

/** Puts bytes in the place of some of a line's. */
function splice([index, offset, removed, added]: [
	number,
	number,
	number,
	ArrayLike<number>,
]): Damage {
	return (lines) => {
		const line = lines[index % lines.length];
		if (!line) return;
		const at = offset % (line.bytes.length + 1);
		const rest = line.bytes.subarray(Math.min(line.bytes.length, at + removed));
		line.bytes = Buffer.concat([line.bytes.subarray(0, at), Buffer.from(added), rest]);
		delete line.entry;
	};
}

function junkLine([index, instead, text]: [number, boolean, string]): Damage {
	return (lines) => {
		const line = { bytes: Buffer.from(text) };
		lines.splice(index % (lines.length + 1), instead ? 1 : 0, line);
	};
}

/** Loses the line end between two lines. */
function joinLines(index: number): Damage {
	return (lines) => {
		const at = index % lines.length;
		const [first, second] = [lines[at], lines[at + 1]];
		if (!first || !second) return;
		lines.splice(at, 2, { bytes: Buffer.concat([first.bytes, second.bytes]) });
	};
}
