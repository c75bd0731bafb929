// `npm run bench:fidelity`: what is left of a long session's facts after five compactions in a row, as
// Markdown tables, offline and, with --model, by a model. Files given as arguments are measured too.
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/lib/paths.mjs';
import { checkDelivery } from './delivery.mjs';
import { measure } from './judge.mjs';
import { realSession } from './real-session.mjs';
import { scriptedSessions } from './scripted.mjs';

const USAGE = `npm run bench:fidelity -- [session.jsonl …] [options]
  --model NAME         measures this model too, at --base-url URL or OPENAI_BASE_URL, with the key
                       in OPENAI_API_KEY
  --context-window N   of the model, in tokens (default 128000)
  --verbose            names every fact that was lost
Facts of a session file stand beside it in session.facts.json.`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		model: { type: 'string' },
		'base-url': { type: 'string' },
		'context-window': { type: 'string', default: '128000' },
		verbose: { type: 'boolean' },
		help: { type: 'boolean' },
	},
});

const core = createRequire(import.meta.url)(path.join(root, 'dist', 'core.js'));

function summarizers() {
	const offline = core.createOfflineSummarizer();
	if (!values.model) return [offline];
	const baseUrl = values['base-url'] ?? process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
	const apiKey = process.env.OPENAI_API_KEY;
	const contextWindow = Number(values['context-window']);
	const model = core.createOpenAIModel({ baseUrl, apiKey, contextWindow, model: values.model });
	return [offline, core.createModelSummarizer(model)];
}

const percent = ({ kept, all }) => (all > 0 ? `${Math.floor((kept / all) * 100)} %` : '–');
const share = (part) => `${part.kept}/${part.all} (${percent(part)})`;
const add = (one, other) => ({ kept: one.kept + other.kept, all: one.all + other.all });
const factLine = ({ isMust, kind, keys }) =>
	`${isMust ? 'must' : 'nice'}, ${kind}: ${keys.join(' … ')}`;

const GROUPS = new Map([
	[true, 'held out'],
	[false, 'tuned on'],
]);
const groupOf = ({ isHeldOut }) => GROUPS.get(isHeldOut) ?? 'given';

async function fidelityTable(summarizer, sessions) {
	console.log(`\n## ${summarizer.name}: facts after five compactions\n`);
	console.log(
		'| session | must keep | nice to have | over, yet told as holding | tokens of each summary | details exact |',
	);
	console.log('| --- | --- | --- | --- | --- | --- |');
	const totals = new Map();
	const lost = [];
	for (const session of sessions) {
		const verdict = await measure(core, session, summarizer);
		if (!verdict) {
			console.log(`| ${session.name} | too short for five compactions | | | | |`);
			continue;
		}
		const group = groupOf(session);
		const none = { kept: 0, all: 0 };
		totals.set(group, add(totals.get(group) ?? none, verdict.must));
		lost.push(...verdict.lost.map((fact) => `- ${session.name}, ${factLine(fact)}`));
		const cells = [
			`${session.name} (${group})`,
			share(verdict.must),
			share(verdict.nice),
			verdict.stale.map(({ keys }) => keys.join(' … ')).join(', ') || 'none',
			verdict.tokens.join(', '),
			verdict.filesExact ? 'yes' : 'NO',
		];
		console.log(`| ${cells.join(' | ')} |`);
	}
	for (const [group, total] of totals) console.log(`| all ${group} | ${share(total)} | | | | |`);
	if (values.verbose && lost.length > 0) console.log(`\nLost:\n\n${lost.join('\n')}`);
}

async function deliveryTable(sessions) {
	console.log('\n## What a model is sent: must-keep facts at each compaction\n');
	console.log('| session | requests | facts due | not delivered |');
	console.log('| --- | --- | --- | --- |');
	for (const session of sessions) {
		const { due, requests, missing } = await checkDelivery(core, session);
		const names = missing.map(({ keys }) => keys.join(' … ')).join(', ') || 'none';
		console.log(`| ${session.name} | ${requests} | ${due} | ${names} |`);
	}
}

if (values.help) console.log(USAGE);
else {
	const sessions = scriptedSessions();
	for (const file of positionals) sessions.push(await realSession(core, file));
	for (const summarizer of summarizers()) await fidelityTable(summarizer, sessions);
	await deliveryTable(sessions);
}
