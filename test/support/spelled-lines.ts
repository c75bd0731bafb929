/** Arbitrary well-formed lines of a session file: the same entries, spelled in every way JSON has. */
import fc from 'fast-check';

/** Stands in texts for bytes that are no UTF-8. */
const BROKEN = '\uE000';
const BROKEN_BYTES = [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]];

/** How a line is written. */
interface Spelling {
	/** Between any two tokens. */
	gap: string;
	before: string;
	after: string;
	/** Which characters are written as escapes. */
	escapes: 'needed' | 'some' | 'all';
	names: string[];
	messageNames: string[];
}

interface Line {
	kind: string;
	id: string;
	parent: number;
	text: string;
	role: string;
	nested: [string, string];
	spelling: Spelling;
}

type Members = Record<string, string>;

/** The order in which pi and we write. */
const NAMES = ['nestedBefore', 'type', 'id', 'parentId', 'timestamp', 'body', 'nestedAfter'];
const USUAL = [...NAMES.slice(1), 'nestedBefore'];
const MESSAGE_NAMES = ['role', 'content', 'id', 'type'];

const text = fc.oneof(
	fc.string({ maxLength: 12 }),
	fc.string({ unit: 'grapheme', maxLength: 8 }),
	fc.constantFrom(
		'","id":"x',
		'{"type":"session"}',
		'\\"',
		'}',
		'\u2028',
		'\n',
		'ü',
		'😀',
		'\ud800',
	),
	fc.constantFrom(`a${BROKEN}b`, BROKEN),
);
const id = fc.oneof(
	{ weight: 4, arbitrary: fc.stringMatching(/^[0-9a-f]{8}$/) },
	{ weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 3 }) },
	{ weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }) },
	fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '0', '-1'),
	fc.constantFrom('a"b', 'a\\', '\u0000', 'a\nb', '\ud800', '日本語', 'é', `x${BROKEN}`, '{', '}'),
	fc.integer({ min: 120, max: 136 }).map((length) => 'i'.repeat(length)),
);
const kind = fc.oneof(
	{ weight: 4, arbitrary: fc.constant('message') },
	fc.constantFrom(
		'model_change',
		'label',
		'custom',
		'session_info',
		'compaction',
		'custom_message',
	),
	fc.constantFrom('hologram', '__proto__', 'constructor', 'größe', '', 't'.repeat(130), 'message '),
);
const nested = fc.constantFrom(
	'{"id":"x","type":"message","parentId":"y","message":{"role":"user"}}',
	'{"__proto__":{"id":1},"constructor":null}',
	'[[{"type":"label"}],"\\"type\\":\\"label\\""]',
	'1e-7',
	'null',
	'"\\ud83d\\ude00\\/"',
);
const spelling: fc.Arbitrary<Spelling> = fc.record({
	gap: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\t', ' \r ')),
	before: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\t\r')),
	after: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\r', '\t')),
	escapes: fc.constantFrom('needed', 'needed', 'some', 'all'),
	names: fc.oneof(fc.constant(USUAL), fc.shuffledSubarray(NAMES, { minLength: NAMES.length })),
	messageNames: fc.oneof(
		fc.constant(MESSAGE_NAMES),
		fc.shuffledSubarray(MESSAGE_NAMES, { minLength: MESSAGE_NAMES.length }),
	),
});
const line: fc.Arbitrary<Line | 'blank'> = fc.oneof(
	{
		weight: 12,
		arbitrary: fc.record({
			kind,
			id,
			// Most entries follow the one before.
			parent: fc.oneof(fc.constant(0), fc.nat({ max: 12 })),
			text,
			role: fc.oneof(fc.constantFrom('user', 'assistant', 'toolResult', 'custom', ''), text),
			nested: fc.tuple(nested, nested),
			spelling,
		}),
	},
	fc.constant('blank' as const),
);

/** Arbitrary session files, as bytes; each is well-formed, but for texts that are no UTF-8. */
export const sessionBytes: fc.Arbitrary<Uint8Array> = fc
	.record({
		mark: fc.constantFrom('', '', '\uFEFF'),
		version: fc.constantFrom(2, 3),
		hasTitle: fc.boolean(),
		lineEnd: fc.constantFrom('', '', '\r'),
		lastEnd: fc.constantFrom('\n', ''),
		lines: fc.array(line, { maxLength: 12 }),
		broken: fc.constantFrom(...BROKEN_BYTES),
	})
	.map(({ mark, version, hasTitle, lineEnd, lastEnd, lines, broken }) => {
		const title = hasTitle ? ['{"type":"title","v":1,"title":"t"}'] : [];
		const header = `{"type":"session","version":${version},"id":"s","timestamp":"","cwd":"/w"}`;
		const all = [...title, header, ...spelledLines(lines)];
		return bytesOf(mark + all.join(`${lineEnd}\n`) + lineEnd + lastEnd, broken);
	});

function spelledLines(lines: readonly (Line | 'blank')[]): string[] {
	const ids: string[] = [];
	return lines.map((each) => {
		if (each === 'blank') return '';
		const spelled = spelledLine(each, ids);
		ids.unshift(each.id);
		return spelled;
	});
}

/** @param ids those of the lines before, newest first */
function spelledLine(each: Line, ids: readonly string[]): string {
	const { spelling } = each;
	const parent = ids[each.parent];
	const members: Members = {
		type: quoted(each.kind, spelling),
		id: quoted(each.id, spelling),
		parentId: parent === undefined ? ['null', '7', ''][each.parent % 3]! : quoted(parent, spelling),
		timestamp: quoted(each.text, spelling),
		nestedBefore: each.nested[0],
		nestedAfter: each.nested[1],
		...body(each),
	};
	const names = spelling.names.map((name) => (name === 'body' ? bodyName(each.kind) : name));
	return spelling.before + spelledObject(members, names, spelling) + spelling.after;
}

function bodyName(type: string): string {
	const bodies: Record<string, string> = { message: 'message', label: 'targetId' };
	return Object.hasOwn(bodies, type) ? bodies[type]! : 'summary';
}

function body({ kind: type, role, text: content, nested: [first], spelling }: Line): Members {
	const name = bodyName(type);
	if (name !== 'message') return { [name]: quoted(content, spelling), firstKeptEntryId: '"x"' };
	const members: Members = {
		role: quoted(role, spelling),
		content: quoted(content, spelling),
		id: quoted('nested', spelling),
		type: first,
	};
	return { message: spelledObject(members, spelling.messageNames, spelling) };
}

/** The members of these names; a name whose value is empty is left out. */
function spelledObject(members: Members, names: readonly string[], spelling: Spelling): string {
	const { gap } = spelling;
	// A compaction without a first kept entry is repaired, which is not what is compared here.
	const all = members.firstKeptEntryId ? [...names, 'firstKeptEntryId'] : names;
	const spelled = all
		.filter((name) => members[name])
		.map((name) => `${quoted(name, spelling)}${gap}:${gap}${members[name]}`);
	return `{${gap}${spelled.join(`${gap},${gap}`)}${gap}}`;
}

function quoted(value: string, { escapes }: Spelling): string {
	if (escapes === 'needed') return JSON.stringify(value);
	const units = value.split('').map((unit, index) => {
		if (unit === BROKEN) return unit;
		const code = unit.charCodeAt(0);
		if (escapes === 'some' && index % 2 === 0 && code < 0xd800)
			return JSON.stringify(unit).slice(1, -1);
		return unit === '/' ? '\\/' : `\\u${code.toString(16).padStart(4, '0')}`;
	});
	return `"${units.join('')}"`;
}

function bytesOf(content: string, broken: readonly number[]): Uint8Array {
	const parts = content.split(BROKEN).map((part) => Buffer.from(part));
	return Buffer.concat(
		parts.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(broken), part])),
	);
}
