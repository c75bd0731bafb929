import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ompBlobs } from '../../../src/node/omp-blobs.ts';
import { withBlobs } from '../../../src/session/blobs.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';

const hashOf = (bytes: string) => createHash('sha256').update(bytes).digest('hex');

describe("oh-my-pi's blobs", () => {
	let home: string;
	let folder: string;

	before(async () => {
		home = await mkdtemp(join(tmpdir(), 'espalier-blobs-'));
		folder = join(home, '.omp', 'agent', 'blobs');
		await mkdir(folder, { recursive: true });
	});
	after(() => rm(home, { recursive: true, force: true }));

	const message = (...content: object[]) =>
		({ role: 'user', content, timestamp: 0 }) as unknown as AgentMessage;
	const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data });
	const store = () => ompBlobs(home, {});

	it('are put in where a model is to see them, images and long texts alike', async () => {
		await writeFile(join(folder, hashOf('pixels')), 'pixels');
		await writeFile(join(folder, hashOf('long')), 'long');
		const original = message(
			{ type: 'text', text: `blobtext:sha256:${hashOf('long')}` },
			image(`blob:sha256:${hashOf('pixels')}`),
		);
		const copy = structuredClone(original);
		const [filled] = await withBlobs([original], store());
		assert.deepEqual(
			filled,
			message({ type: 'text', text: 'long' }, image(Buffer.from('pixels').toString('base64'))),
		);
		assert.deepEqual(original, copy);
	});

	it('leave a word where they are gone, or are not what their name says', async () => {
		await writeFile(join(folder, hashOf('real')), 'forged');
		const [filled] = await withBlobs(
			[message(image(`blob:sha256:${hashOf('real')}`), image(`blob:sha256:${hashOf('gone')}`))],
			store(),
		);
		assert.match(JSON.stringify(filled), /not on this machine.*not on this machine/);
	});

	it('are no way to other files, and other messages come back as they are', async () => {
		const messages = [
			message(image('blob:sha256:../../../etc/passwd')),
			message({ type: 'text', text: 'words' }, image('AAAA')),
			{ role: 'user', content: 'blobtext:sha256:x', timestamp: 0 } as const,
		];
		const filled = await withBlobs(messages, store());
		for (const [index, one] of filled.entries()) assert.equal(one, messages[index]);
	});
});
