/** Which model answers, and how VS Code's models are found again. */
import assert from 'node:assert/strict';
import {
	chatModelId,
	decide,
	findChat,
	parseModelName,
	type Choices,
} from '../../../../src/host/models/choice-rules.ts';

const lm = (modelId: string) => ({ provider: 'vscode-lm', modelId });
const server = (modelId: string) => ({ provider: 'openai-compatible', modelId });
const foreign = { provider: 'anthropic', modelId: 'claude' };
const none = { session: undefined, workspace: undefined, configured: undefined };
const all = () => true;

describe('the choice of a model', () => {
	const answers = (choices: Partial<Choices>, isThere = all) =>
		decide({ ...none, ...choices }, isThere);

	it('is the session’s, else the workspace’s, else the settings’', () => {
		const full = { session: lm('a/1'), workspace: lm('a/2'), configured: server('m') };
		assert.deepEqual(answers(full).model, lm('a/1'));
		assert.deepEqual(answers({ ...full, session: undefined }).model, lm('a/2'));
		assert.deepEqual(answers({ configured: server('m') }).model, server('m'));
		assert.deepEqual(answers({}), { model: undefined, missing: undefined });
	});

	it('falls back where it is not there, and names what is missing', () => {
		const isThere = ({ modelId }: { modelId: string }) => modelId !== 'a/gone';
		const choices = { session: lm('a/gone'), workspace: lm('a/2'), configured: server('m') };
		assert.deepEqual(decide(choices, isThere), { model: lm('a/2'), missing: lm('a/gone') });
		assert.deepEqual(answers({ workspace: lm('a/gone') }, isThere as never), {
			model: undefined,
			missing: lm('a/gone'),
		});
		assert.equal(decide({ ...choices, session: lm('a/1') }, isThere).missing, undefined);
	});

	it('passes over another tool’s models without a word', () => {
		const decision = decide({ ...none, session: foreign, configured: server('m') }, all);
		assert.deepEqual(decision, { model: server('m'), missing: undefined });
	});

	it('reads what was stored, whatever stands there', () => {
		assert.deepEqual(parseModelName({ ...lm('a/1'), more: 1 }), lm('a/1'));
		for (const stored of [
			undefined,
			null,
			'x',
			{},
			{ provider: 'p' },
			lm(''),
			{ ...foreign, provider: 1 },
		])
			assert.equal(parseModelName(stored), undefined);
	});
});

describe('models of VS Code', () => {
	const chat = (vendor: string, id: string, family = id) => ({ vendor, id, family });

	it('are found again by vendor and id, else by their family', () => {
		const chats = [chat('v', '1', 'f'), chat('w', '1'), chat('v', 'f', 'g')];
		for (const each of chats) assert.equal(findChat(chats, chatModelId(each)), each);
		assert.equal(findChat(chats, 'v/g'), chats[2]);
		assert.equal(findChat(chats, 'v/2'), undefined);
		assert.equal(findChat([], 'v/1'), undefined);
	});

	it('may have slashes in their ids', () => {
		const chats = [chat('v', 'org/model')];
		assert.equal(findChat(chats, chatModelId(chats[0]!)), chats[0]);
	});
});
