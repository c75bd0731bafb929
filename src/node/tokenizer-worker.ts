/** The worker thread that counts tokens: it answers each message with the counts of its texts. */
import { parentPort } from 'node:worker_threads';
import { loadO200k } from './o200k-file.ts';
import type { CountedTexts, TextsToCount } from './worker-tokenizer.ts';

const count = loadO200k();

parentPort?.on('message', ({ id, texts }: TextsToCount) => {
	const answer: CountedTexts = { id, counts: texts.map((text) => count(text)) };
	parentPort?.postMessage(answer);
});
