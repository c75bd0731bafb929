// `npm run bench:tokens [-- session.jsonl …]`: how well tokens are counted. Sets counters against what
// providers reported in real sessions, and the bounded tokenizer against the exact one. Prints, judges
// nothing.
import { createRequire } from 'node:module';
import path from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { root } from '../scripts/lib/paths.mjs';
import { tokenTexts } from './token-texts.mjs';

const core = createRequire(import.meta.url)(path.join(root, 'dist', 'core.js'));
/** Calibrated counters are judged from this step on, each time by what the steps before taught. */
const FIRST_JUDGED = 10;
const REMEMBERED = 64;

const began = performance.now();
const o200k = core.loadO200k(path.join(root, 'dist', 'o200k.js'));
const loading = performance.now() - began;

const files = process.argv.slice(2);
if (files.length === 0)
	console.log(
		'Pass session files with reported usage (npm run bench:tokens -- session.jsonl …) to measure accuracy.\n',
	);
for (const file of files) await reportSession(file);
reportTexts();

/** Sets each counter against the growth of the prompt that the provider reported, step by step. */
async function reportSession(file) {
	const session = await core.SessionManager.open(new core.FileSessionStorage(path.resolve(file)));
	const steps = await stepsOf(session);
	const judged = Math.max(0, steps.length - FIRST_JUDGED);
	console.log(`${path.basename(file)}: ${steps.length} steps, ${judged} of them judged\n`);
	if (judged === 0) return console.log('Too few steps with reported usage.\n');
	console.log('| counter | error a step, weighted | total of the reported |');
	console.log('| --- | --- | --- |');
	const counters = {
		'characters/4': (text) => text.length / 4,
		estimate: core.estimateTextTokens,
		o200k,
	};
	for (const [name, count] of Object.entries(counters)) {
		const measured = steps.map(({ messages, grown }) =>
			core.stepOf(
				messages.map((message) => core.measureMessage(message, count)),
				grown,
			),
		);
		row(name, measured, () => ({ perToken: 1, perCall: 0 }));
		if (name !== 'characters/4')
			row(`${name}, calibrated`, measured, (index) =>
				core.calibrate(measured.slice(Math.max(0, index - REMEMBERED), index)),
			);
	}
	console.log();
}

function row(name, steps, calibrationAt) {
	let error = 0;
	let counted = 0;
	let reported = 0;
	for (let index = FIRST_JUDGED; index < steps.length; index++) {
		const step = steps[index];
		const tokens = core.calibrated({ ...step, images: 0 }, calibrationAt(index));
		error += Math.abs(tokens - step.grown);
		counted += tokens;
		reported += step.grown;
	}
	console.log(`| ${name} | ${percent(error / reported)} | ${percent(counted / reported)} |`);
}

/** All steps on the path to the leaf, oldest first, as the product reads them. */
async function stepsOf(session) {
	const steps = [];
	for (const { id, message } of session.getBranch()) {
		if (message?.role !== 'assistant') continue;
		const model = { provider: message.provider, modelId: message.model };
		const [newest] = await core.readObservations(session.tree, id, model);
		// Answers that end no step show the same newest step again.
		const from = newest?.messages[0];
		if (newest && steps.at(-1)?.messages[0] !== from) steps.push(newest);
	}
	return steps;
}

/** The bounded tokenizer beside the exact one, and its time for 1 MB of each kind of text. */
function reportTexts() {
	console.log(`Loading the encoding: ${loading.toFixed(0)} ms\n`);
	console.log(
		'| text | exact | bounded | difference | estimate | 1 MB in ms | estimate, 1 MB in ms |',
	);
	console.log('| --- | --- | --- | --- | --- | --- | --- |');
	for (const [name, text] of Object.entries(tokenTexts())) {
		const exact = countTokens(text, { disallowedSpecial: new Set() });
		const bounded = o200k(text);
		const megabyte = text.repeat(Math.ceil(1e6 / Buffer.byteLength(text)));
		const cells = [name, exact, bounded, percent(bounded / exact - 1)];
		cells.push(percent(core.estimateTextTokens(text) / exact));
		cells.push(
			time(() => o200k(megabyte)),
			time(() => core.estimateTextTokens(megabyte)),
		);
		console.log(`| ${cells.join(' | ')} |`);
	}
}

/** The least of three, in ms of processor time: others use the machine as well. */
function time(run) {
	const times = [1, 2, 3].map(() => {
		const before = process.cpuUsage();
		run();
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1000;
	});
	return Math.min(...times).toFixed(1);
}

function percent(share) {
	return `${(share * 100).toFixed(1)} %`;
}
