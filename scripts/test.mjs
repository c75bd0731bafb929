// npm test: build, static checks and the three suites, ending with "N passed, N failed".
//
// Options: --only unit|integration|e2e (no checks then), --grep TEXT.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runChecks } from './check.mjs';
import { dependency, nodeBinary, outDir, resultsDir, root } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { checkDependencies, checkNode, ensureChromium, orExplain } from './lib/prerequisites.mjs';

// Each suite is ended at its limit, several times what it takes: a run that hangs must say where.
// --exit: a failed test may leave a server or a timer behind, which ends with the process.
const suites = {
	unit: (options) => mocha('unit', options, ['--timeout', '20000', '--exit'], 15 * 60_000),
	integration: async (options) => (await import('./integration.mjs')).runIntegration(options),
	e2e: (options) => mocha('e2e', options, ['--timeout', '120000', '--exit'], 35 * 60_000),
};

async function main() {
	const { only, grep } = readOptions();
	checkNode();
	checkDependencies();
	const names = only ? [only] : Object.keys(suites);
	if (names.some((name) => name !== 'unit')) {
		ensureChromium();
	}

	heading('build');
	if ((await run(nodeBinary(), ['esbuild.js', '--tests'], { cwd: root })) !== 0) {
		return report({ passed: 0, failed: 1, skipped: 0 }, ['The build failed.']);
	}
	const problems = [];
	if (!only) {
		heading('checks');
		problems.push(...(await runChecks()).map((name) => `The check "${name}" failed.`));
	}
	const results = [];
	for (const name of names) {
		heading(name);
		const result = await runSuite(name, { grep, forbidOnly: !only && !grep });
		problems.push(...result.problems);
		results.push(result);
	}
	const sum = (key) => results.reduce((total, result) => total + result[key], 0);
	if (grep && results.every((result) => result.tests === 0)) {
		problems.push(`No test matches "${grep}".`);
	}
	results.flatMap(({ failures }) => failures).forEach(printFailure);
	// Whatever makes the run fail counts, so that a red run never ends with "0 failed".
	const failed = sum('failed') + problems.length;
	report({ passed: sum('passed'), failed, skipped: sum('skipped') }, problems);
}

/** Runs one suite and judges it by its results file alone. */
async function runSuite(name, { grep, forbidOnly }) {
	const file = path.join(resultsDir, `${name}.json`);
	mkdirSync(resultsDir, { recursive: true });
	rmSync(file, { force: true });
	const problems = [];
	try {
		await suites[name]({ results: file, grep, forbidOnly });
	} catch (error) {
		problems.push(`The ${name} suite did not run: ${error.message}`);
	}
	if (!existsSync(file)) {
		if (problems.length === 0) {
			problems.push(`The ${name} suite wrote no results.`);
		}
		return { passed: 0, failed: 0, skipped: 0, tests: 0, failures: [], problems };
	}
	const { passed, failed, skipped, failures } = JSON.parse(readFileSync(file, 'utf8'));
	const tests = passed + failed + skipped;
	if (tests === 0 && !grep) {
		problems.push(`The ${name} suite has no tests.`);
	}
	// With failed tests the suite's own exit is no news.
	const told = failed > 0 ? [] : problems;
	return {
		...{ passed, failed, skipped, tests, problems: told },
		failures: failures.map((failure) => ({ suite: name, ...failure })),
	};
}

async function mocha(suite, { results, grep, forbidOnly }, args, timeout) {
	const files = path.join(outDir, 'test', suite, '**/*.test.js').replaceAll('\\', '/');
	const code = await run(
		nodeBinary(),
		[
			'--enable-source-maps',
			dependency('mocha/bin/mocha.js'),
			...['--reporter', path.join(root, 'test/support/reporter.cjs')],
			...['--reporter-option', `suite=${suite},results=${results}`],
			...(grep ? ['--grep', grep] : []),
			...(forbidOnly ? ['--forbid-only'] : []),
			...args,
			files,
		],
		{ cwd: root, timeout },
	);
	if (code !== 0) {
		throw new Error(`mocha ended with exit code ${code}`);
	}
}

function printFailure({ suite, title, message, stack, expected, actual }) {
	process.stdout.write(`\n✗ ${suite}: ${title}\n`);
	process.stdout.write(stack.includes(message) ? `${stack}\n` : `${message}\n${stack}\n`);
	if (expected !== undefined) {
		process.stdout.write(`expected: ${expected}\nactual:   ${actual}\n`);
	}
}

function report({ passed, failed, skipped }, problems) {
	problems.forEach((problem) => process.stdout.write(`\n✗ ${problem}\n`));
	const suffix = skipped > 0 ? `, ${skipped} skipped` : '';
	process.stdout.write(`\n${passed} passed, ${failed} failed${suffix}\n`);
	process.exitCode = failed > 0 ? 1 : 0;
}

function heading(text) {
	process.stdout.write(`\n${text}\n`);
}

function readOptions() {
	const { values } = parseArgs({
		options: { only: { type: 'string' }, grep: { type: 'string' } },
	});
	if (values.only !== undefined && !Object.hasOwn(suites, values.only)) {
		process.stderr.write(`--only takes one of: ${Object.keys(suites).join(', ')}\n`);
		process.exit(2);
	}
	return values;
}

process.chdir(root);
await orExplain(main);
