/** Asking a server for its models. */
import { strict as assert } from 'node:assert';
import { createServer, type Server } from 'node:http';
import { ModelError } from '../../../../src/agent/model.ts';
import { listModels } from '../../../../src/providers/openai/list-models.ts';
import { isAbort } from '../../../../src/util/errors.ts';
import { startScriptedServer } from '../../../support/scripted-server.ts';

const key = 'sk-proj-very-secret-0123456789';

describe('listModels', () => {
	it('returns the sorted names', async () => {
		const server = await startScriptedServer();
		try {
			server.setModels(['zeta', 'alpha', 'zeta']);
			assert.deepEqual(await listModels({ baseUrl: `${server.baseUrl}/` }), ['alpha', 'zeta']);
		} finally {
			await server.close();
		}
	});

	describe('failures', () => {
		let server: Server;
		let answer: { status: number; body: string } | undefined;
		let baseUrl = '';
		before((done) => {
			server = createServer((_request, response) => {
				if (answer) response.writeHead(answer.status).end(answer.body);
			}).listen(0, '127.0.0.1', () => {
				baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
				done();
			});
		});
		after((done) => {
			server.close(done);
			server.closeAllConnections();
		});

		const cases: [string, number, string, string, RegExp][] = [
			['401', 401, JSON.stringify({ error: { message: `bad ${key}` } }), 'auth', /refused the key/],
			['404', 404, 'nope', 'notFound', /does not know/],
			['a page', 200, '<html>Log in</html>', 'badAnswer', /not with a list of models: "Log in"/],
			['other JSON', 200, '{"object":"list"}', 'badAnswer', /not with a list/],
		];
		for (const [name, status, body, reason, wording] of cases) {
			it(name, async () => {
				answer = { status, body };
				await assert.rejects(listModels({ baseUrl, apiKey: key }), (error) => {
					assert(error instanceof ModelError);
					assert.equal(error.reason, reason);
					assert.match(error.message, wording);
					assert(!error.message.includes(key));
					return true;
				});
			});
		}

		it('silence and abort', async () => {
			answer = undefined;
			await assert.rejects(listModels({ baseUrl, timeoutMs: 100 }), { reason: 'timeout' });
			await assert.rejects(listModels({ baseUrl }, AbortSignal.abort()), isAbort);
		});
	});
});
