/** Messages that arrive malformed are refused with a reason, and nothing throws. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { APPROVAL_DECISIONS } from '../../../src/protocol/live-run.ts';
import { ACTION_IDS, PANEL_VERSION } from '../../../src/protocol/panel.ts';
import { parseHostMessage, parseViewMessage } from '../../../src/protocol/panel-parsers.ts';

const version = PANEL_VERSION;

describe('panel messages from the page', () => {
	it('accepts each kind and leaves unknown fields behind', () => {
		const messages = [
			{ type: 'ready' },
			{ type: 'resync' },
			{ type: 'stop' },
			{ type: 'reload' },
			{ type: 'prompt', requestId: 'r', sessionId: null, text: 'hi' },
			{ type: 'draft', sessionId: 's', text: '', revision: 3 },
			{ type: 'loadEarlier', beforeId: 'e' },
			{ type: 'openEntry', id: 'e' },
			{ type: 'openLink', url: 'https://example.org/a?b=c' },
			{ type: 'showChange', requestId: 'q' },
			...APPROVAL_DECISIONS.map((decision) => ({
				type: 'approval',
				requestId: 'q',
				decision,
				reason: '',
			})),
			{ type: 'problem', message: 'm' },
			...ACTION_IDS.map((id) => ({ type: 'action', id })),
		];
		for (const message of messages) {
			const parsed = parseViewMessage({ ...message, version, extra: 1 });
			assert.deepEqual(parsed, { ok: true, value: { ...message, version } });
		}
	});

	it('refuses what is not on the list, with the reason', () => {
		const bad: unknown[] = [
			null,
			undefined,
			'ready',
			[],
			{},
			{ type: 'ready' },
			{ type: 'ready', version: 2 },
			{ type: 'toString', version },
			{ type: '__proto__', version },
			{ type: 'action', id: 'rm -rf', version },
			{ type: 'action', id: 'constructor', version },
			{ type: 'prompt', requestId: 'r', sessionId: null, text: 5, version },
			{ type: 'draft', sessionId: 's', text: 'x', revision: -1, version },
			{ type: 'approval', requestId: 'q', decision: 'always', reason: '', version },
			{ type: 'approval', requestId: 'q', decision: 'once', version },
			{ type: 'approval', decision: 'once', reason: '', version },
			{ type: 'showChange', requestId: 1, version },
			{ type: 'draft', sessionId: 's', text: 'x', revision: 1.5, version },
		];
		for (const message of bad) {
			const parsed = parseViewMessage(message);
			assert.equal(parsed.ok, false, JSON.stringify(message));
			if (!parsed.ok) assert.ok(parsed.reason.length > 0);
		}
	});

	it('opens web addresses only', () => {
		const urls = [
			'command:workbench.action.quit',
			'javascript:alert(1)',
			'file:///etc/passwd',
			'vscode://x/y',
			'data:text/html,x',
			'http://a b',
			'https://',
			'',
		];
		for (const url of urls)
			assert.equal(parseViewMessage({ type: 'openLink', url, version }).ok, false, url);
	});

	it('survives a message whose fields throw', () => {
		const hostile = Object.defineProperty({ version }, 'type', {
			enumerable: true,
			get: () => {
				throw new Error('no');
			},
		});
		assert.deepEqual(parseViewMessage(hostile), { ok: false, reason: 'no' });
	});
});

describe('panel messages from the host', () => {
	const status = {
		activity: 'idle',
		model: null,
		contextTokens: 1,
		contextIsExact: true,
		contextWindow: 2,
		progress: null,
		queued: [],
		notices: [],
		failure: null,
	};
	const shown = { text: 'a', cut: 0 };
	const snapshot = {
		type: 'snapshot',
		version,
		seq: 1,
		session: { id: 's', title: 't' },
		items: [
			{ kind: 'user', id: 'u', text: shown, images: 0 },
			{
				kind: 'assistant',
				id: 'a',
				status: 'complete',
				error: null,
				model: 'm',
				parts: [
					{ type: 'text', text: shown },
					{
						type: 'tool',
						callId: 'c',
						name: 'read',
						summary: 'x.ts',
						arguments: shown,
						result: { entryId: 'r', outcome: 'done', text: shown, images: 0 },
					},
				],
			},
		],
		earlier: 0,
		live: [{ type: 'text', text: 'so far' }],
		runs: [
			{
				kind: 'tool',
				id: 'r1',
				callId: 'c',
				question: {
					requestId: 'q',
					tool: 'bash',
					kind: 'run',
					text: 'ls',
					folder: '/w',
					lasting: true,
				},
				output: { text: 'a', cut: 0 },
			},
			{ kind: 'command', id: 'r2', command: 'ls', inContext: true, output: { text: '', cut: 3 } },
		],
		status,
		draft: '',
		draftRevision: 0,
		inFlight: [],
	};

	it('accepts a snapshot as it is', () => {
		assert.deepEqual(parseHostMessage(snapshot), { ok: true, value: snapshot });
	});

	it('refuses it with any one field broken or missing', () => {
		const paths = (value: unknown, path: (string | number)[] = []): (string | number)[][] => {
			if (typeof value !== 'object' || value === null) return [path];
			const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
			return [
				...(path.length > 0 ? [path] : []),
				...keys.flatMap((key) => paths((value as never)[key], [...path, key])),
			];
		};
		const nullable = new Set([
			'session',
			'live',
			'model',
			'failure',
			'progress',
			'error',
			'result',
			'contextTokens',
			'question',
			'folder',
		]);
		for (const path of paths(snapshot)) {
			const copy = structuredClone(snapshot) as never;
			const last = path.at(-1) as string;
			let target: Record<string, unknown> = copy;
			for (const key of path.slice(0, -1)) target = target[key] as never;
			for (const broken of [
				undefined,
				Symbol.iterator,
				1n,
				...(nullable.has(last) ? [] : [null]),
			]) {
				target[last] = broken;
				assert.equal(parseHostMessage(copy).ok, false, path.join('.'));
			}
		}
	});

	it('never throws, whatever comes', () => {
		fc.assert(
			fc.property(fc.anything({ withNullPrototype: true }), (value) => {
				parseHostMessage(value);
				parseViewMessage(value);
			}),
		);
	});
});
