// Runs the integration suite inside VS Code's extension host: in the server with a headless
// browser as its window, or in desktop VS Code (ESPALIER_TEST_HOST=desktop).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launchBrowser } from './lib/browser.mjs';
import { cacheDir, outDir, root } from './lib/paths.mjs';
import { waitFor } from './lib/processes.mjs';
import { linkExtensions, startServer, workbenchUrl } from './vscode-server.mjs';

const tests = path.join(outDir, 'test/integration/index.js');

/** Extensions that only tests load: one offers models to VS Code, the other registers hooks. */
const helpers = ['scripted-models', 'hooking-extension'].map((name) =>
	path.join(root, 'test/support', name),
);

/** Time for the whole suite, the start of VS Code included. */
const deadline = 10 * 60_000;

/** Runs the suite; what it found is in the `results` file, and nowhere else. */
export async function runIntegration(options) {
	const temporary = mkdtempSync(path.join(tmpdir(), 'espalier-integration-'));
	const lines = path.join(temporary, 'lines.txt');
	writeFileSync(lines, '');
	mkdirSync(path.join(temporary, 'workspace'));
	linkExtensions(path.join(temporary, 'extensions'), helpers);
	const env = { ESPALIER_TEST_OPTIONS: JSON.stringify({ ...options, lines }) };
	const echo = tail(lines);
	try {
		if (process.env.ESPALIER_TEST_HOST === 'desktop') {
			await inDesktop(temporary, env);
		} else {
			await inServer(temporary, env, () => {
				echo();
				return existsSync(options.results);
			});
		}
	} finally {
		echo();
		rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function inServer(temporary, env, finished) {
	const server = await startServer({
		name: 'integration',
		trust: false,
		smokeTestDriver: true,
		dataDir: path.join(temporary, 'data'),
		extensionsDir: path.join(temporary, 'extensions'),
		env,
	});
	let browser;
	try {
		browser = await launchBrowser();
		const page = await browser.newPage();
		let crash;
		page.once('crash', () => (crash = new Error('The page of the integration suite crashed.')));
		await page.goto(
			workbenchUrl({
				port: server.port,
				folder: path.join(temporary, 'workspace'),
				extensionDevelopmentPath: root,
				extensionTestsPath: tests,
			}),
		);
		const check = () => {
			if (crash) {
				throw crash;
			}
			return finished();
		};
		const what = `The integration suite wrote no results; see ${path.relative(root, server.log)}`;
		await waitFor(what, check, { timeout: deadline });
	} finally {
		await browser?.close();
		await server.stop();
	}
}

async function inDesktop(temporary, env) {
	const { runTests } = await import('@vscode/test-electron');
	await runTests({
		cachePath: path.join(cacheDir, 'desktop'),
		extensionDevelopmentPath: root,
		extensionTestsPath: tests,
		extensionTestsEnv: env,
		launchArgs: [
			path.join(temporary, 'workspace'),
			`--user-data-dir=${path.join(temporary, 'data')}`,
			`--extensions-dir=${path.join(temporary, 'extensions')}`,
			'--disable-workspace-trust',
		],
	});
}

/** Returns a function that prints what has been added to a file since its last call. */
function tail(file) {
	let shown = 0;
	return () => {
		const text = readFileSync(file, 'utf8');
		process.stdout.write(text.slice(shown));
		shown = text.length;
	};
}
