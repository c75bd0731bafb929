/** A changed server is confirmed before anything is sent to it. */
import { strict as assert } from 'node:assert';
import { OriginConsent, type Purpose } from '../../../src/host/origin-consent.ts';
import { createOpenAIModel } from '../../../src/providers/openai/openai-model.ts';
import { collect } from '../../support/collect-stream.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../../support/scripted-server.ts';

describe('OriginConsent', () => {
	let server: ScriptedServer;
	let saved: unknown;
	let asked: string[];
	let answer: boolean;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => {
		server.reset();
		server.setDefault(steps.text('ok'));
		saved = undefined;
		asked = [];
		answer = true;
	});

	const origin = () => new URL(server.baseUrl).origin;
	const consent = () =>
		new OriginConsent({
			load: () => saved,
			save: (confirmed) => Promise.resolve(void (saved = structuredClone(confirmed))),
			ask: (from, purpose) => {
				asked.push(`${purpose} ${from}`);
				return Promise.resolve(answer);
			},
		});
	const guarded = (by = consent(), purpose: Purpose = 'model') =>
		by.guard(
			createOpenAIModel({ baseUrl: server.baseUrl, model: 'm', contextWindow: 8000 }),
			purpose,
			origin(),
		);

	it('does not ask for the first server, and remembers it', async () => {
		assert.equal(guarded().contextWindow, 8000);
		await collect(guarded());
		assert.deepEqual(asked, []);
		assert.deepEqual(saved, { model: [origin()], summaries: [] });
	});

	it('asks once for another one, also across windows', async () => {
		saved = { model: ['http://before:1'] };
		assert.equal(consent().isConfirmed('model', origin()), false);
		await collect(guarded());
		await collect(guarded());
		assert.deepEqual(asked, [`model ${origin()}`]);
		assert.equal(server.requests.length, 2);
		assert.equal(consent().isConfirmed('model', 'http://before:1'), true);
	});

	it('asks one question for requests that wait together', async () => {
		saved = { model: ['http://before:1'] };
		const by = consent();
		await Promise.all([collect(guarded(by)), collect(guarded(by))]);
		assert.equal(asked.length, 1);
	});

	it('sends nothing after a no, and asks again the next time', async () => {
		saved = { model: ['http://before:1'] };
		answer = false;
		for (let i = 0; i < 2; i++) await assert.rejects(collect(guarded()), /did not agree/);
		assert.equal(asked.length, 2);
		assert.equal(server.requests.length + server.lookups.length, 0);
		answer = true;
		await collect(guarded());
		assert.equal(server.requests.length, 1);
	});

	it('tells purposes apart', async () => {
		saved = { model: [origin()], summaries: ['http://before:1'] };
		await collect(guarded(consent(), 'summaries'));
		assert.deepEqual(asked, [`summaries ${origin()}`]);
	});

	it('takes what a person gave themselves, and whatever is stored', async () => {
		for (const stored of [null, 5, 'x', { model: 5 }, { model: [1, null] }]) {
			saved = stored;
			assert.equal(consent().isConfirmed('model', origin()), true);
		}
		saved = { model: ['http://before:1'] };
		await consent().confirm('model', origin());
		await collect(guarded());
		assert.deepEqual(asked, []);
	});
});
