/**
 * Owns what the sample's files looked like before and during the session. The workspace holds the
 * final state; the plan lists the changes in order, and undoing them backwards gives the beginning.
 */
import { readFileSync } from 'node:fs';
import { CHANGES } from './changes.mjs';

const WORKSPACE = new URL('../../sample/workspace/', import.meta.url);
const PATHS = [
	'README.md',
	'AGENTS.md',
	'package.json',
	'data/catalog.json',
	'src/money.ts',
	'src/catalog.ts',
	'src/discount.ts',
	'src/vat.ts',
	'src/order.ts',
	'src/server.ts',
	'test/order.test.ts',
];

/** Where the added block is: from its first mark to the next mark, or to the end of the file. */
function blockOf(text, { name, path, from, to }) {
	const start = text.indexOf(from);
	let end = to === undefined ? text.length : text.indexOf(to, start);
	if (start < 0 || end < 0) throw new Error(`${name}: a mark is missing in ${path}`);
	// A mark that begins with a line break is the beginning of a line, which stays.
	if (to?.startsWith('\n')) end++;
	return { start, end };
}

export class FileHistory {
	#files = new Map();
	#changes = new Map();

	constructor() {
		for (const path of PATHS) this.#files.set(path, readFileSync(new URL(path, WORKSPACE), 'utf8'));
		for (const change of [...CHANGES].reverse()) this.#changes.set(change.name, this.#undo(change));
	}

	/** Takes one change back; returns it with the texts it replaced. */
	#undo(change) {
		const { path } = change;
		const text = this.text(path);
		if (change.isNew) {
			this.#files.delete(path);
			return { path, oldText: '', newText: text, isNew: true };
		}
		let { oldText, newText } = change;
		if (change.from !== undefined) {
			const block = blockOf(text, change);
			const rest = text.slice(0, block.start) + text.slice(block.end);
			// An edit needs something to hold on to: the lines before, until they are found only there.
			let anchor = block.start;
			do {
				anchor = rest.lastIndexOf('\n', anchor - 2) + 1;
				oldText = rest.slice(anchor, block.start);
			} while (
				anchor > 0 &&
				(oldText.trim() === '' || rest.indexOf(oldText) !== rest.lastIndexOf(oldText))
			);
			newText = oldText + text.slice(block.start, block.end);
		}
		this.replace(path, newText, oldText);
		return { path, oldText, newText, isNew: false };
	}

	text(path) {
		const text = this.#files.get(path);
		if (text === undefined) throw new Error(`${path} does not exist at this point`);
		return text;
	}

	replace(path, oldText, newText) {
		const text = this.text(path);
		if (!text.includes(oldText)) throw new Error(`Text to replace is not in ${path}:\n${oldText}`);
		this.#files.set(
			path,
			text.replace(oldText, () => newText),
		);
	}

	apply(name) {
		const change = this.#changes.get(name);
		if (!change) throw new Error(`No change is named ${name}`);
		if (change.isNew) this.#files.set(change.path, change.newText);
		else this.replace(change.path, change.oldText, change.newText);
		return change;
	}

	/** The changes of these names as a unified diff without context, as `git diff -U0` prints it. */
	diff(...names) {
		return names
			.map((name) => {
				const { path, oldText, newText } = this.#changes.get(name);
				const lines = (text, sign) =>
					text
						.split('\n')
						.filter((line, index, all) => line !== '' || index < all.length - 1)
						.map((line) => sign + line);
				return [
					`diff --git a/${path} b/${path}`,
					`--- a/${path}`,
					`+++ b/${path}`,
					'@@',
					...lines(oldText, '-'),
					...lines(newText, '+'),
				].join('\n');
			})
			.join('\n');
	}

	snapshot() {
		return new Map(this.#files);
	}

	restore(snapshot) {
		this.#files = new Map(snapshot);
	}
}
