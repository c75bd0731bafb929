// A provider of language models that answers from a script; without one it repeats what it was told.
'use strict';
const vscode = require('vscode');

const initialModels = ['one', 'two'].map((id) => ({
	id,
	name: `Model ${id}`,
	family: `family-${id}`,
	version: '1',
	maxInputTokens: 32_000,
	maxOutputTokens: 4_000,
	capabilities: { imageInput: id === 'two' },
}));

async function echo({ messages }, progress) {
	// The last part alone: the instructions stand before the first prompt, in the same message.
	const text = messages
		.at(-1)
		.content.findLast((part) => part instanceof vscode.LanguageModelTextPart).value;
	for (const piece of ['You said: ', text.slice(-200)])
		progress.report(new vscode.LanguageModelTextPart(piece));
}

exports.activate = () => {
	const changed = new vscode.EventEmitter();
	let models = initialModels;
	let script = echo;
	const requests = [];
	vscode.lm.registerLanguageModelChatProvider('scripted', {
		onDidChangeLanguageModelChatInformation: changed.event,
		provideLanguageModelChatInformation: () => models,
		async provideLanguageModelChatResponse(model, messages, options, progress, token) {
			const request = { model: model.id, messages, tools: options.tools ?? [] };
			requests.push(request);
			await script(request, progress, token);
		},
		// As wrong as the real thing has been.
		provideTokenCount: async () => 3,
	});
	return {
		/** What was asked so far, the oldest first. */
		requests,
		/** What answers from now on: (request, progress, token) => Promise. */
		answerWith: (next) => (script = next),
		/** Offers only the models with these ids. */
		offer(ids) {
			models = initialModels.filter(({ id }) => ids.includes(id));
			changed.fire();
		},
		reset() {
			requests.length = 0;
			script = echo;
			this.offer(['one', 'two']);
		},
	};
};
