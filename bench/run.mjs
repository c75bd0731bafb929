// `npm run bench`: our numbers beside pi's, measured in one run, as a Markdown table. Prints, judges
// nothing. --quick measures small sessions in few rounds.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/lib/paths.mjs';
import { ensurePeer } from '../scripts/peers.mjs';
import { compactionRows } from './compaction.mjs';
import { memoryRow } from './memory.mjs';
import { sessionListRows } from './session-list.mjs';
import { storeRows } from './store.mjs';
import { streamTable } from './stream.mjs';

const quick = process.argv.includes('--quick');
const rounds = quick ? 3 : 5;
const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
const corePath = path.join(root, 'dist', 'core.js');
const core = createRequire(import.meta.url)(corePath);
const piUrl = await ensurePeer('pi');
const pi = await import(piUrl);
const piCompaction = await import(new URL('core/compaction/compaction.js', piUrl).href);

console.log(
	`Node ${process.version}, ${process.platform} ${process.arch}, ${rounds} rounds, medians (least–most) in ms\n`,
);
console.log('| what | Espalier | pi 1.6.0 | times |');
console.log('| --- | --- | --- | --- |');
for (const line of await storeRows({ core, pi, sizes, rounds })) console.log(line);
for (const line of await compactionRows({ core, pi, piCompaction, sizes, rounds }))
	console.log(line);
for (const line of await sessionListRows({ core, pi, rounds })) console.log(line);
const largest = sizes.at(-1);
console.log(
	await memoryRow({ corePath: pathToFileURL(corePath).href, piUrl, size: largest, rounds }),
);
console.log();
for (const line of await streamTable({ core, rounds: Math.max(5, rounds) })) console.log(line);
