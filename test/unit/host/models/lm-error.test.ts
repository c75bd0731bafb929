/** What goes wrong with VS Code's models: a reason, a sentence, what helps. */
import assert from 'node:assert/strict';
import { lmError } from '../../../../src/host/models/lm-error.ts';

/** As LanguageModelError is made: a code, and the provider's own error behind it. */
function languageModelError(code: string, message = '', cause?: unknown): Error {
	return Object.assign(new Error(message, { cause }), { name: 'LanguageModelError', code });
}
const named = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('errors of VS Code’s models', () => {
	const cases: [string, unknown, string, RegExp][] = [
		['no permission', languageModelError('NoPermissions', 'x'), 'auth', /may not use M: x/],
		['a model that is gone', languageModelError('NotFound'), 'notFound', /no model M\.$/],
		['a blocked model', languageModelError('Blocked', 'turned off'), 'billing', /blocks/],
		['a limit on speed', languageModelError('Blocked', 'rate limit'), 'rateLimit', /limiting/],
		[
			'Copilot’s limit on speed',
			languageModelError('Unknown', '', named('ChatRateLimited', 'Slow down')),
			'rateLimit',
			/limiting requests to M: Slow down/,
		],
		[
			'Copilot’s quota',
			languageModelError('Unknown', '', named('ChatQuotaExceeded', 'No more')),
			'billing',
			/quota is used up for M: No more/,
		],
		['off topic', languageModelError('', '', new Error('off_topic')), 'badRequest', /off topic/],
		[
			'too much text',
			new Error('Message exceeds token limit: maximum context length is 8192 tokens'),
			'overflow',
			/larger than the window/,
		],
		['anything else', new Error('Boom'), 'badAnswer', /no whole answer from M: Boom/],
		['what is no error', 'Boom', 'badAnswer', /Boom/],
		['nothing', undefined, 'badAnswer', /from M\.$/],
	];
	for (const [what, error, reason, message] of cases)
		it(`tell of ${what}`, () => {
			const told = lmError(error, 'M');
			assert.equal(told.reason, reason);
			assert.match(told.message, message);
			assert.ok(told.hint);
		});

	it('show no secrets', () => {
		const { message } = lmError(new Error('401 for Bearer abcdef123456'), 'M');
		assert.doesNotMatch(message, /abcdef123456/);
	});

	it('end with errors that are their own cause', () => {
		const error = new Error('round');
		error.cause = error;
		assert.match(lmError(error, 'M').message, /round/);
	});
});
