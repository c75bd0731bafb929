// The one mocha reporter of all suites: readable lines, and a results file that alone decides.
//
// Options: `suite`, `results` (the file to write) and `lines` (a file for the readable lines,
// where the suite runs in a process whose standard output nobody sees).
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { inspect, stripVTControlCharacters } = require('node:util');
const { Runner } = require('mocha');

const events = Runner.constants;

class ResultsReporter {
	constructor(runner, options = {}) {
		const { suite, results, lines } = options.reporterOption ?? options.reporterOptions ?? {};
		this.lines = lines;
		this.depth = 0;
		const record = { suite, passed: 0, failed: 0, skipped: 0, durationMs: 0, failures: [] };
		const started = Date.now();

		runner.on(events.EVENT_SUITE_BEGIN, (group) => {
			if (group.title) {
				this.print(group.title);
				this.depth++;
			}
		});
		runner.on(events.EVENT_SUITE_END, (group) => {
			if (group.title) {
				this.depth--;
			}
		});
		runner.on(events.EVENT_TEST_PASS, (test) => {
			record.passed++;
			const slow = test.speed === 'slow' ? ` (${test.duration} ms)` : '';
			this.print(`✓ ${test.title}${slow}`);
		});
		runner.on(events.EVENT_TEST_PENDING, (test) => {
			record.skipped++;
			this.print(`- ${test.title} (skipped)`);
		});
		// A failing hook arrives here too, with the hook as its "test".
		runner.on(events.EVENT_TEST_FAIL, (test, error) => {
			record.failed++;
			const failure = describeFailure(test, error);
			record.failures.push(failure);
			// The whole follows at the end, which a run that is ended at its limit never reaches.
			this.print(`✗ ${test.title}: ${failure.message.split('\n', 1)[0]}`);
		});
		runner.once(events.EVENT_RUN_END, () => {
			record.durationMs = Date.now() - started;
			writeWhole(results, `${JSON.stringify(record, undefined, '\t')}\n`);
		});
	}

	print(text) {
		const line = `${'  '.repeat(this.depth + 1)}${text}\n`;
		if (this.lines) {
			fs.appendFileSync(this.lines, line);
		} else {
			process.stdout.write(line);
		}
	}
}

function describeFailure(test, error) {
	const message = stripVTControlCharacters(error?.message ?? String(error));
	const stack = stripVTControlCharacters(error?.stack ?? message);
	const failure = { title: test.fullTitle(), message, stack };
	if (error && 'expected' in error && 'actual' in error) {
		failure.expected = show(error.expected);
		failure.actual = show(error.actual);
	}
	return failure;
}

function show(value) {
	return typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: 100 });
}

/** Written aside and renamed: a results file that exists is complete. */
function writeWhole(file, text) {
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(`${file}.part`, text);
	fs.renameSync(`${file}.part`, file);
}

module.exports = ResultsReporter;
