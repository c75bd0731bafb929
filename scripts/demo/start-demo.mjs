// The demo model beside a VS Code: started, named in the settings, and introduced in the terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { outDir } from '../lib/paths.mjs';

const BASE_URL = 'espalier.model.baseUrl';

/** Starts the demo model, which has been built before; it ends with this process. */
export async function startDemo(home) {
	const { startDemoServer, DEMO_MODEL, DEMO_PROMPTS, DEMO_WINDOW } = createRequire(import.meta.url)(
		path.join(outDir, 'demo/server.js'),
	);
	const { baseUrl } = await startAtSamePort(startDemoServer, path.join(home, 'port'));
	return {
		settings: {
			[BASE_URL]: baseUrl,
			'espalier.model.name': DEMO_MODEL,
			// The sample is ours, and the demo works on a copy.
			'security.workspace.trust.enabled': false,
		},
		/** Names the address anew in settings that may have been changed by hand since. */
		updateSettings(file) {
			const address = new RegExp(`("${BASE_URL.replaceAll('.', '\\.')}"\\s*:\\s*)"[^"]*"`);
			const text = readFileSync(file, 'utf8');
			writeFileSync(file, text.replace(address, `$1${JSON.stringify(baseUrl)}`));
		},
		introduce(say) {
			say(`\nThe chat is connected to a ${DEMO_MODEL}. It needs no key, and`);
			say(`remembers ${DEMO_WINDOW} tokens, so that compaction comes soon. Prompts to try:`);
			for (const prompt of DEMO_PROMPTS) say(`  ${prompt}`);
		},
	};
}

/** At the port of the last time, where that is free: for another address VS Code would ask for consent. */
async function startAtSamePort(start, file) {
	const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
	const server = await start({ port: last }).catch((error) => {
		if (error.code !== 'EADDRINUSE') throw error;
		return start();
	});
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, String(server.port));
	return server;
}
