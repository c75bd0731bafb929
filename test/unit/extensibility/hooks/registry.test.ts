import { strict as assert } from 'node:assert';
import { HookRegistry } from '../../../../src/extensibility/hooks/registry.ts';
import { isAbort } from '../../../../src/util/errors.ts';

const never = new AbortController().signal;
const told = { sessionId: 's', messages: [] };

describe('hook registry', () => {
	it('asks hooks one after the other, in the order of their registration', async () => {
		const registry = new HookRegistry();
		const order: string[] = [];
		for (const name of ['first', 'second', 'third'])
			registry.on(
				'session.compacting',
				async () => {
					order.push(`${name} begins`);
					await Promise.resolve();
					order.push(`${name} ends`);
					return { context: [name] };
				},
				{ name },
			);
		registry.on('session_compact', () => assert.fail('another event'), { name: 'other' });
		const { answers, failures } = await registry.run('session.compacting', told, never);
		assert.deepEqual(
			answers.map(({ name, result }) => [name, result.context?.[0]]),
			[
				['first', 'first'],
				['second', 'second'],
				['third', 'third'],
			],
		);
		assert.deepEqual(failures, []);
		const begins = ['first', 'second', 'third'].flatMap((name) => [
			`${name} begins`,
			`${name} ends`,
		]);
		assert.deepEqual(order, begins);
	});

	it('passes over what is thrown without a text, and answers that are no data', async () => {
		const round: Record<string, unknown> = {};
		round.self = round;
		const handlers: [string, () => never][] = [
			[
				'no text',
				() => {
					throw Object.create(null);
				},
			],
			[
				'getter',
				() =>
					({
						get cancel() {
							throw new Error('got');
						},
					}) as never,
			],
			[
				'proxy',
				() =>
					new Proxy(
						{},
						{
							get() {
								throw new Error('trap');
							},
						},
					) as never,
			],
			['circular', () => ({ compaction: { summary: 's', details: round } }) as never],
			['bigint', () => ({ compaction: { summary: 's', details: 1n } }) as never],
			['function', () => (() => {}) as never],
		];
		for (const [name, handler] of handlers) {
			const registry = new HookRegistry();
			registry.on('session_before_tree', handler, { name });
			const { answers, failures } = await registry.run('session_before_tree', {} as never, never);
			assert.deepEqual(answers, [], name);
			assert.equal(failures.length, name === 'function' ? 0 : 1, name);
		}
	});

	it('gives each hook a copy: what one does to it reaches neither the session nor the next', async () => {
		const registry = new HookRegistry();
		const message = { role: 'user' as const, content: 'asked', timestamp: 0 };
		const event = { sessionId: 's', messages: [message] };
		const seen: unknown[] = [];
		for (const name of ['first', 'second'])
			registry.on(
				'session.compacting',
				(told) => {
					seen.push(structuredClone(told));
					(told.messages[0] as { content: string }).content = 'changed';
					(told.messages as unknown[]).push('more');
				},
				{ name },
			);
		await registry.run('session.compacting', event, never);
		assert.deepEqual(event, { sessionId: 's', messages: [{ ...message, content: 'asked' }] });
		assert.deepEqual(seen, [event, event]);
	});

	it('reports a hook that throws, rejects or hangs, and goes on with the next', async () => {
		const reports: string[] = [];
		const registry = new HookRegistry((failure) => reports.push(failure));
		const on = (name: string, handler: () => never | Promise<never>) =>
			registry.on('session.compacting', handler, { name, timeoutMs: 20 });
		on('throws', () => {
			throw new Error('at once');
		});
		on('rejects', () => Promise.reject(new Error('later')));
		on('hangs', () => new Promise(() => {}));
		registry.on('session.compacting', () => ({ prompt: 'fine' }), { name: 'answers' });
		registry.on('session.compacting', () => undefined, { name: 'says nothing' });
		const { answers, failures } = await registry.run('session.compacting', told, never);
		assert.deepEqual(answers, [{ name: 'answers', result: { prompt: 'fine' } }]);
		assert.deepEqual(failures, [
			'throws: at once',
			'rejects: later',
			'hangs: no answer after 0.02 seconds',
		]);
		assert.equal(reports.length, 3);
	});

	it('ends the round at the answer that decides, and forgets hooks that are taken back', async () => {
		const registry = new HookRegistry();
		const payload = { compactionEntry: {} as never, fromExtension: false };
		let asked = 0;
		const takeBack = registry.on('session_compact', () => void asked++, { name: 'counts' });
		await registry.run('session_compact', payload, never);
		takeBack();
		await registry.run('session_compact', payload, never);
		assert.equal(asked, 1);
		registry.on('session.compacting', () => ({ prompt: 'decides' }), { name: 'a' });
		registry.on('session.compacting', () => assert.fail('not asked any more'), { name: 'b' });
		const decides = ({ prompt }: { prompt?: string }) => prompt === 'decides';
		const { answers } = await registry.run('session.compacting', told, never, decides);
		assert.equal(answers.length, 1);
	});

	it('ends with the signal, in the middle of a hook', async () => {
		const registry = new HookRegistry(() => assert.fail('an abort is no failure of a hook'));
		const controller = new AbortController();
		registry.on(
			'session.compacting',
			() => {
				controller.abort();
				return new Promise(() => {});
			},
			{ name: 'hangs' },
		);
		await assert.rejects(registry.run('session.compacting', told, controller.signal), isAbort);
	});
});
