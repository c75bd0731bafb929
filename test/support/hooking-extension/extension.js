// Takes Espalier's exports and registers every hook; what it is told it keeps for the tests.
'use strict';
const vscode = require('vscode');

const EVENTS = [
	'session_before_compact',
	'session.compacting',
	'session_compact',
	'session_before_tree',
	'session_tree',
];

exports.activate = () => {
	const espalier = vscode.extensions.getExtension('espalier.espalier').exports;
	const calls = [];
	let answers = {};
	let stops = [];
	return {
		version: espalier.version,
		calls,
		register() {
			stops = EVENTS.map((event) =>
				espalier.onHook(
					event,
					(payload) => {
						calls.push({ event, payload });
						return answers[event]?.(payload);
					},
					{ name: 'hooking-extension' },
				),
			);
		},
		answerWith(next) {
			answers = next;
		},
		unregister() {
			for (const stop of stops.splice(0)) stop();
			calls.length = 0;
			answers = {};
		},
	};
};
