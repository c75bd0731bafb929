/** Which models are asked for summaries before the active one, and which key each of them gets. */
import { strict as assert } from 'node:assert';
import { createSummaryModels } from '../../../src/providers/summary-models.ts';
import { collect } from '../../support/collect-stream.ts';
import { startScriptedServer, steps } from '../../support/scripted-server.ts';
import { answers, startSummaryEndpoint } from '../../support/summary-endpoint.ts';

const config = {
	remoteEndpoint: '',
	compactionModel: '',
	baseUrl: 'http://127.0.0.1:1/v1',
	activeModel: 'active',
	contextWindow: 8000,
};
const noKey = () => Promise.resolve(undefined);

describe('createSummaryModels', () => {
	const ids = async (more: Partial<typeof config>) =>
		(await createSummaryModels({ ...config, ...more }, noKey)).map(({ id }) => id);

	it('the endpoint comes before the cheaper model', async () => {
		const remoteEndpoint = ' http://127.0.0.1:2/sum ';
		assert.deepEqual(await ids({}), []);
		assert.deepEqual(await ids({ remoteEndpoint, compactionModel: 'cheap' }), [
			'http://127.0.0.1:2/sum',
			'cheap',
		]);
	});

	it('leaves out a cheaper model without a server, and one that is the active one', async () => {
		assert.deepEqual(await ids({ compactionModel: 'cheap', baseUrl: '' }), []);
		assert.deepEqual(await ids({ compactionModel: 'active' }), []);
	});

	it('a key goes to the origin that it was given for, and to no other', async () => {
		const server = await startScriptedServer();
		const endpoint = await startSummaryEndpoint();
		try {
			server.setDefault(steps.text('ok'));
			endpoint.answer(answers.json({ summary: 'ok' }));
			const settings = {
				...config,
				baseUrl: server.baseUrl,
				compactionModel: 'cheap',
				remoteEndpoint: `${endpoint.origin}/sum`,
			};
			const keys = new Map([[new URL(server.baseUrl).origin, 'key-of-the-server']]);
			const ask = async () => {
				const keyFor = (origin: string) => Promise.resolve(keys.get(origin));
				for (const model of await createSummaryModels(settings, keyFor)) await collect(model);
			};
			await ask();
			assert.equal(server.requests[0]?.headers.authorization, 'Bearer key-of-the-server');
			assert.equal(endpoint.requests[0]?.headers.authorization, undefined);
			keys.set(endpoint.origin, 'key-of-the-endpoint');
			await ask();
			assert.equal(server.requests[1]?.headers.authorization, 'Bearer key-of-the-server');
			assert.equal(endpoint.requests[1]?.headers.authorization, 'Bearer key-of-the-endpoint');
		} finally {
			await server.close();
			await endpoint.close();
		}
	});
});
