/** Arbitrary well-formed session trees, with every kind of entry that pi knows. */
import fc from 'fast-check';
import type { SessionEntry } from '../../src/session/entries.ts';
import { assistant, toolCall, toolResult } from './session-builder.ts';

/** An entry before it has a place: which earlier entries it names is chosen by number. */
interface Draft {
	/** How many entries back its parent lies; beyond the first one it is a root. */
	back: number;
	/** How many steps up its path the entry lies that it names. */
	up: number;
	/** Another entry of the file that it may name. */
	anywhere: number;
	body: (names: Names) => Record<string, unknown>;
}

interface Names {
	own: string;
	onPath: string;
	anywhere: string;
}

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const parts = fc.array(
	fc.oneof(
		text.map((value) => ({ type: 'text', text: value })),
		fc.constant({ type: 'image', data: 'AAAA', mimeType: 'image/png' }),
	),
	{ maxLength: 2 },
);
const content = fc.oneof(text, parts);
const tools = fc.subarray([{ name: 'x', description: '', parameters: {} }]);
const model = fc.record({ provider: fc.constantFrom('p', 'q'), model: fc.constantFrom('m', 'n') });

const message = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ role: fc.constant('user'), content }) },
	fc.tuple(text, model, fc.boolean()).map(([value, fields, calls]) => ({
		...assistant(value, calls ? [toolCall('c1', 'read', { path: value })] : [], fields),
	})),
	text.map((value) => ({ ...toolResult('c1', value) })),
	fc.record({
		...{ role: fc.constant('bashExecution'), command: text, output: text },
		...{ exitCode: fc.constantFrom(0, 1), cancelled: fc.boolean(), truncated: fc.boolean() },
		excludeFromContext: fc.boolean(),
	}),
	fc.record({
		...{ role: fc.constant('custom'), customType: text, content, display: fc.boolean() },
	}),
	fc.record({
		...{ role: fc.constant('system'), content: text, toolsAdded: tools },
		sections: fc.record({ a: fc.constantFrom('A', null) }),
	}),
);

type Body = Draft['body'];

function plain(arbitrary: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Body> {
	return arbitrary.map((fields) => () => fields);
}

function naming<T>(arbitrary: fc.Arbitrary<T>, make: (names: Names, value: T) => object) {
	return arbitrary.map((value): Body => (names) => ({ ...make(names, value) }));
}

const target = fc.constantFrom<keyof Names>('onPath', 'onPath', 'onPath', 'anywhere');

const compaction = naming(
	fc.record({
		keeps: fc.constantFrom<keyof Names | 'unknown'>(
			...(['onPath', 'onPath', 'onPath', 'anywhere', 'own', 'unknown'] as const),
		),
		summary: text,
		system: fc.option(
			fc.record({ role: fc.constant('system'), content: text, timestamp: fc.nat() }),
		),
		fromHook: fc.boolean(),
	}),
	(names, { keeps, summary, system, fromHook }) => ({
		type: 'compaction',
		summary,
		firstKeptEntryId: keeps === 'unknown' ? 'nowhere' : names[keeps],
		tokensBefore: 100,
		fromHook,
		...(system ? { systemMessage: system } : {}),
	}),
);

const metadata = plain(
	fc.oneof(
		fc.record({
			...{ type: fc.constant('model_change'), provider: fc.constantFrom('p', 'r') },
			modelId: fc.constantFrom('m', 'o'),
		}),
		fc.record({
			type: fc.constant('thinking_level_change'),
			thinkingLevel: fc.constantFrom('off', 'low', 'high'),
		}),
		fc.record({ type: fc.constant('session_info'), name: text }),
		fc.record({ type: fc.constant('custom'), customType: text, data: fc.json() }),
		fc.record({ type: fc.constantFrom('usage', 'hologram'), summary: text, message }),
	),
);

const body: fc.Arbitrary<Body> = fc.oneof(
	{
		weight: 8,
		arbitrary: plain(
			message.map((value) => ({ type: 'message', message: { ...value, timestamp: 1 } })),
		),
	},
	plain(
		fc.record({
			...{ type: fc.constant('custom_message'), customType: text, content },
			...{ display: fc.boolean(), details: fc.constantFrom({ a: 1 }, null) },
		}),
	),
	naming(text, (names, summary) => ({ type: 'branch_summary', fromId: names.anywhere, summary })),
	{ weight: 2, arbitrary: compaction },
	{
		weight: 2,
		arbitrary: naming(
			fc.tuple(target, fc.option(fc.record({ content }))),
			(names, [targetKey, replacement]) => ({
				...{ type: 'context_edit', targetId: names[targetKey], replacement },
			}),
		),
	},
	naming(fc.tuple(target, fc.option(text)), (names, [targetKey, label]) => ({
		...{ type: 'label', targetId: names[targetKey], ...(label === null ? {} : { label }) },
	})),
	{ weight: 2, arbitrary: metadata },
);

const draft: fc.Arbitrary<Draft> = fc.record({
	// Most entries follow the one before; some branch off, some are roots.
	back: fc.oneof(
		{ weight: 8, arbitrary: fc.constant(1) },
		fc.integer({ min: 2, max: 6 }),
		fc.constant(Infinity),
	),
	up: fc.nat({ max: 8 }),
	anywhere: fc.nat(),
	body,
});

/** The entries of a session, parents before children. */
export const treeEntries: fc.Arbitrary<SessionEntry[]> = fc
	.array(draft, { minLength: 1, maxLength: 40, size: 'max' })
	.map((drafts) => withoutEditedCompactions(placed(drafts)));

/** Omitting a compaction's own messages is a test of its own. */
function withoutEditedCompactions(entries: readonly SessionEntry[]): SessionEntry[] {
	const types = new Map(entries.map(({ id, type }) => [id, type]));
	return entries.map((entry) =>
		entry.type === 'context_edit' && types.get(entry.targetId) === 'compaction'
			? { ...entry, targetId: 'nowhere' }
			: entry,
	);
}

function placed(drafts: readonly Draft[]): SessionEntry[] {
	const ids = drafts.map((_, index) => `e${index.toString(16).padStart(7, '0')}`);
	const parents: (number | undefined)[] = [];
	return drafts.map((each, index) => {
		const parent = index - each.back < 0 ? undefined : index - each.back;
		parents.push(parent);
		let onPath = index;
		for (let step = 0; step <= each.up; step++) onPath = parents[onPath] ?? onPath;
		const names = {
			own: ids[index] ?? '',
			onPath: ids[onPath] ?? '',
			anywhere: ids[each.anywhere % ids.length] ?? '',
		};
		const { type, ...fields } = each.body(names);
		return {
			type,
			id: names.own,
			parentId: parent === undefined ? null : ids[parent],
			timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
			...fields,
		} as unknown as SessionEntry;
	});
}
