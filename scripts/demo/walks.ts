/** The walks of the demo: what it does with each of the prompts that it knows, step by step. */
import { resultOf, type Place, type Reply } from './request.ts';
import type { RecordedRequest } from '../../test/support/scripted-server.ts';

type Body = RecordedRequest['body'];
/** The text that a call of an earlier step gave; undefined where the request no longer holds it. */
type Results = (step: number, index?: number) => string | undefined;

export interface Walk {
	/** Lower case letters: it stands in the ids of calls. */
	name: string;
	/** What the person may type. */
	prompt: string;
	/** What is taken for it. */
	matches: RegExp;
	/** The tools it cannot do without. */
	needs: string[];
	/** One reply after the other; the last one makes no calls. */
	steps: ((results: Results) => Reply)[];
}

const lookAround: Walk = {
	name: 'look',
	prompt: 'What is in this project?',
	matches: /what is in this|look around|what is this project/i,
	needs: ['read', 'ls'],
	steps: [
		() => ({
			thinking:
				'The README says what the project is for, and the folder what it is made of. Neither needs the other, so both can be asked for at once.',
			text: 'I read the README and list the folder, **both in one go**.',
			calls: [
				{ name: 'read', arguments: { path: 'README.md' } },
				{ name: 'ls', arguments: {} },
			],
		}),
		(results) => {
			const readme = results(0, 0) ?? '';
			const names = (results(0, 1) ?? '').split('\n').filter(Boolean);
			const title = /^# (.+)$/m.exec(readme)?.[1] ?? 'The project';
			const about = /^# .+\n+([\s\S]+?)\n\n/m.exec(readme)?.[1]?.replaceAll('\n', ' ');
			const headings = [...readme.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
			return {
				text: [
					`## ${title}`,
					about ? `> ${about}` : 'Its README says nothing about it.',
					'| In the folder | Kind |\n| --- | --- |\n' +
						names.map((name) => `| \`${name}\` | ${kindOf(name)} |`).join('\n'),
					headings.length > 0
						? `The README goes on about:\n\n${headings.map((heading) => `- ${heading}`).join('\n')}`
						: '',
				]
					.filter(Boolean)
					.join('\n\n'),
			};
		},
	],
};

/** The coupon that the demo adds, and what it does where that is there already. */
const COUPON = /^(\tAUTUMN: \{ rate: )(\d+)( \},)$/m;
const BEFORE_COUPON = /^\tSPRING: .+$/m;
const LEAST_RATE = 700;
const MOST_RATE = 1500;

const addCoupon: Walk = {
	name: 'coupon',
	prompt: 'Add a coupon AUTUMN and run the tests',
	matches: /coupon/i,
	needs: ['read', 'edit', 'bash'],
	steps: [
		() => ({
			thinking:
				'Coupons are in src/discount.ts, as the README suggests. The edit must name what stands there exactly, so the file has to be read first.',
			text: 'First I read the file that holds the coupons.',
			calls: [{ name: 'read', arguments: { path: 'src/discount.ts' } }],
		}),
		(results) => {
			const edit = couponEdit(results(0) ?? '');
			if (!edit)
				return {
					text: 'In `src/discount.ts` I find no list of coupons as I know it, so I change nothing. `npm start -- --demo --fresh` brings the sample back as it was.',
				};
			return {
				text: `${edit.why} The change needs **your approval**; if you refuse, nothing is written, and I go on.`,
				calls: [
					{
						name: 'edit',
						arguments: { path: 'src/discount.ts', oldText: edit.oldText, newText: edit.newText },
					},
				],
			};
		},
		(results) => ({
			text: `${outcome('The edit', results(1), /^Edited /.test(results(1) ?? ''))} I go on with the tests, a command that needs your approval as well.`,
			calls: [{ name: 'bash', arguments: { command: 'npm test' } }],
		}),
		(results) => {
			const output = results(2) ?? '';
			const counts = [...output.matchAll(/^\W*(tests|pass|fail) (\d+)$/gm)];
			const ended = /^Stopped: |\[(?:Exit code|Stopped|Ended) [^\n]*\]$/.test(output);
			return {
				text: [
					outcome('The test run', results(2), !ended),
					counts.length > 0
						? '| Tests | |\n| --- | ---: |\n' +
							counts.map((match) => `| ${match[1]} | ${match[2]} |`).join('\n')
						: '',
					`To take the edit back, use the editor's undo or:\n\n\`\`\`sh\nnpm start -- --demo --fresh\n\`\`\``,
				]
					.filter(Boolean)
					.join('\n\n'),
			};
		},
	],
};

const SOURCES = [
	...['src/server.ts', 'src/order.ts', 'src/discount.ts', 'src/vat.ts', 'src/money.ts'],
	...['src/catalog.ts', 'test/order.test.ts'],
];

const explainPrice: Walk = {
	name: 'price',
	prompt: 'Explain how the price of an order is made up',
	matches: /how .*\bprice|explain the price/i,
	needs: ['read'],
	steps: [
		() => ({
			thinking: `The price of an order goes through several modules, and the tests say what is expected. Reading them all fills a good part of a small window.`,
			text: `I read the ${SOURCES.length} files that matter, all in parallel.`,
			calls: SOURCES.map((path) => ({ name: 'read', arguments: { path } })),
		}),
		(results) => ({
			text: [
				'An order is priced step by step, and each step has a file of its own:',
				SOURCES.map((path, index) => `${index + 1}. ${moduleLine(path, results(0, index))}`).join(
					'\n',
				),
				'What I read is in the context now. When it is nearly full, it is **compacted**: a summary takes their place, and the session file keeps all of it.',
			].join('\n\n'),
		}),
	],
};

/** All walks; of several that match a prompt the first is taken. */
export const walks: readonly Walk[] = [lookAround, addCoupon, explainPrice];

/** The reply at a place of a walk. */
export function replyAt(walk: Walk, step: number, body: Body): Reply {
	const results: Results = (of, index) => resultOf(body, { walk: walk.name, step: of }, index);
	return walk.steps[step]?.(results) ?? { text: 'That was all.' };
}

/** The walk that a call of this place belongs to. */
export function walkOf(place: Place): Walk | undefined {
	return walks.find(({ name }) => name === place.walk);
}

function couponEdit(source: string): { why: string; oldText: string; newText: string } | undefined {
	const present = COUPON.exec(source);
	if (present) {
		const rate = Number(present[2]);
		const next = rate >= MOST_RATE ? LEAST_RATE : rate + 100;
		return {
			why: `AUTUMN is there already, with ${rate / 100} %, so I make it ${next / 100} %.`,
			oldText: present[0],
			newText: `${present[1]}${next}${present[3]}`,
		};
	}
	const before = BEFORE_COUPON.exec(source)?.[0];
	if (before === undefined) return undefined;
	return {
		why: 'I add AUTUMN behind SPRING, with 7 % off.',
		oldText: before,
		newText: `${before}\n\tAUTUMN: { rate: ${LEAST_RATE} },`,
	};
}

/** What became of a call, in a sentence. */
function outcome(what: string, result: string | undefined, succeeded: boolean): string {
	if (result === undefined) return `${what} was summarized away before I could look at it.`;
	const refused = /^Not allowed: (.*)/.exec(result);
	if (refused)
		return `${what} was **refused** (${inline(refused[1] ?? '')}), so it did not happen.`;
	return succeeded ? `${what} is done.` : `${what} did not work: \`${inline(result)}\`.`;
}

function kindOf(name: string): string {
	return name.endsWith('/') ? 'folder' : name.endsWith('@') ? 'link' : 'file';
}

/** A file by its own first comment, and by its functions or the groups of its tests. */
function moduleLine(path: string, source: string | undefined): string {
	if (source === undefined) return `\`${path}\`: no longer in the context.`;
	const about = /^\/\*\* (.+?) \*\//.exec(source)?.[1];
	const parts = [...source.matchAll(/^(?:export (?:function|class) (\w+)|describe\('([^']+)')/gm)];
	const list = parts.map((match) => `\`${match[1] ?? match[2]}\``).join(', ');
	return [`**\`${path}\`**`, about && `: ${about}`, list && ` (${list})`].filter(Boolean).join('');
}

/** The end of a text, where errors stand, as one line of inline code. */
function inline(text: string): string {
	return text
		.replace(/[`\s]+/g, ' ')
		.trim()
		.slice(-160);
}
