// Entry point of the integration suite inside the extension host, for both kinds of VS Code.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';

/** What scripts/integration.mjs passes through the environment. */
interface SuiteOptions {
	results: string;
	lines: string;
	grep?: string;
	forbidOnly?: boolean;
}

/** Runs every bundled integration test; VS Code calls this once the window is up. */
export async function run(): Promise<void> {
	const options = JSON.parse(process.env['ESPALIER_TEST_OPTIONS'] ?? '{}') as SuiteOptions;
	const mocha = new Mocha({
		ui: 'bdd',
		timeout: 20_000,
		reporter: path.resolve(__dirname, '../../../test/support/reporter.cjs'),
		reporterOptions: { suite: 'integration', results: options.results, lines: options.lines },
	});
	if (options.grep !== undefined) {
		mocha.grep(options.grep);
	}
	if (options.forbidOnly) {
		mocha.forbidOnly();
	}
	for (const file of readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).sort()) {
		if (file.endsWith('.test.js')) {
			mocha.addFile(path.join(__dirname, file));
		}
	}
	const failures = await new Promise<number>((resolve) => mocha.run(resolve));
	if (failures > 0) {
		throw new Error(`${failures} integration tests failed`);
	}
}
