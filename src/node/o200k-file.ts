/** Loads the o200k encoding from its own file beside the program. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { UserError } from '../util/errors.ts';

/**
 * The o200k counter (see tokenizer/o200k.ts). The first call reads the encoding, which holds the thread
 * for about 0.4 s: for the command line and for workers.
 * @param file absolute path of the encoding; the one beside the running program by default
 * @throws UserError('no-tokenizer') where the file is missing or holds something else
 */
export function loadO200k(file = path.join(__dirname, 'o200k.js')): (text: string) => number {
	let loaded: unknown;
	try {
		loaded = createRequire(file)(file);
	} catch (cause) {
		throw noTokenizer(file, cause);
	}
	if (!isO200k(loaded)) throw noTokenizer(file);
	return loaded.countO200k;
}

function isO200k(loaded: unknown): loaded is { countO200k: (text: string) => number } {
	return (
		typeof loaded === 'object' &&
		loaded !== null &&
		'countO200k' in loaded &&
		typeof loaded.countO200k === 'function'
	);
}

function noTokenizer(file: string, cause?: unknown): UserError {
	return new UserError('no-tokenizer', `The token encoding could not be loaded from ${file}.`, {
		kept: 'Tokens are estimated.',
		hint: 'Install Espalier again.',
		cause,
	});
}
