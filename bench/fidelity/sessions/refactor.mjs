// A refactoring whose rules change midway: corrections, withdrawn constraints, new limits.
import { must, named, nice, over } from '../script.mjs';

export const name = 'refactoring';

export function write(s) {
	s.user(
		`I want the config loading untangled. Right now seven modules read process.env on their own. One typed config object, loaded once, passed down. Behaviour stays exactly the same for now.\n\nKeep supporting the old .ini files, we have customers on them. Error messages go to stderr in English only. And try not to touch more than one module per commit, reviews are hard enough.`,
		must('request', 'config', 'untangled'),
		named('ini', must('constraint', '.ini')),
		must('constraint', 'stderr', 'English'),
		named('perCommit', must('constraint', 'one module per commit')),
	);
	s.run(
		'rg -l "process\\.env" src',
		'src/mailer.ts\nsrc/server.ts\nsrc/db/pool.ts\nsrc/auth/oidc.ts\nsrc/jobs/cron.ts\nsrc/log.ts\nsrc/upload/s3.ts',
	);
	s.look('src/mailer.ts', 'src/server.ts', 'src/db/pool.ts');
	s.says(
		`I propose a module src/config/ with a loader per source (env, ini) and one schema. Modules get their slice through their constructor. Zod is already a dependency, so the schema can use it.`,
	);
	s.user(
		`ok but hand-written checks please, zod goes away next quarter`,
		must('constraint', 'zod'),
	);
	s.write('src/config/schema.ts', must('file', 'src/config/schema.ts'));
	s.write('src/config/load.ts');
	s.write('src/config/ini.ts');
	s.write('test/config/load.test.ts');
	s.run('npm test -- config', '  18 passing (90ms)');
	s.says(
		`The loader stands, with hand-written checks. Precedence is flags over env over file, as before; I wrote that down in the tests because nothing documented it.`,
		must('decision', 'flags over env'),
	);
	s.user('mailer first');
	s.edit('src/mailer.ts');
	s.edit('src/main.ts');
	s.edit('test/mailer.test.ts');
	s.run('npm test -- mailer', '  9 passing');
	s.run(
		'git commit -am "Hand the mailer its config"',
		'[config 2b1c] Hand the mailer its config\n 3 files changed',
	);
	s.says(
		'The mailer takes a MailConfig in its constructor. Six modules to go.',
		nice('decision', 'MailConfig'),
	);
	s.small(4);
	s.user(
		`Then pool and server. Careful with the pool: max connections default to 20 in code but 10 in the docs. The code wins.`,
		must('decision', '20', '10'),
	);
	s.look('src/db/pool.ts', 'docs/configuration.md');
	s.edit('src/db/pool.ts');
	s.edit('docs/configuration.md');
	s.fails(
		'npm test -- pool',
		`  1) pool drains on shutdown:\n     Error: listen EADDRINUSE: address already in use :::5433`,
		named('port', must('error', 'EADDRINUSE')),
	);
	s.run('lsof -ti:5433 | xargs kill', '');
	s.run('npm test -- pool', '  14 passing', over('port'));
	s.says(
		'Pool is converted; the docs say 20 now. A stray test database sat on the port, that was all.',
	);
	s.small(3);

	s.user(
		`Hold on, I talked to sales: the last ini customer moved off in November. So forget about the ini files, rip that code out. JSON files and env are all we read from here on.`,
		over('ini'),
		must('constraint', 'JSON files and env'),
	);
	s.edit('src/config/load.ts');
	s.run('git rm src/config/ini.ts', "rm 'src/config/ini.ts'");
	s.edit('test/config/load.test.ts');
	s.run('npm test -- config', '  13 passing (70ms)');
	s.says('The ini loader is gone, and five tests with it.');
	s.user(
		`and you can put several modules in one commit, Mia reviews on the branch as a whole now`,
		over('perCommit'),
		must('constraint', 'several modules in one commit'),
	);
	s.edit('src/server.ts');
	s.edit('src/log.ts');
	s.edit('src/jobs/cron.ts');
	s.run('git commit -am "Hand server, log and cron their config"', '[config 77ad] 6 files changed');
	s.says(
		`Server, log and cron are converted in one commit. Left are OIDC and S3.`,
		named('left', must('step', 'OIDC')),
	);
	s.small(4);
	s.user(
		`For secrets: I'd like them never to show up when the config is printed. Not in logs, not in crash dumps. Wrap them or something.`,
		must('constraint', 'printed'),
	);
	s.write('src/config/secret.ts');
	s.edit('src/config/schema.ts');
	s.write('test/config/secret.test.ts');
	s.run('npm test -- config', '  21 passing');
	s.says(
		`Secrets are instances of Secret now: toString, toJSON and util.inspect all give "[secret]", and reveal() is the one way to the value. I went with a class; a branded string would still be printed.`,
		must('decision', 'reveal()'),
	);
	s.user(
		'the S3 keys rotate every hour btw, so reading them once at start is wrong for those',
		must('constraint', 'rotate every hour'),
	);
	s.look('src/upload/s3.ts', 'src/upload/credentials.ts', 'src/auth/oidc.ts');
	s.edit('src/upload/s3.ts');
	s.edit('src/upload/credentials.ts');
	s.says(
		`S3 takes a function that gives the current keys; the config holds only where they come from. That breaks the "loaded once" rule on purpose, and only there.`,
		must('decision', 'current keys'),
	);
	s.small(4);
	s.user(
		`Startup should fail hard when a required value is missing: list every missing value in one message rather than dying on the first.\n\nTimeout for the config service: 3 seconds.`,
		must('constraint', 'every missing value'),
		named('three', must('constraint', '3 seconds')),
	);
	s.edit('src/config/load.ts');
	s.write('src/config/missing.ts');
	s.run('npm test', '  388 passing (31s)\n  2 pending');
	s.says(
		'A missing value ends the start with exit code 78 and a list of all of them. The config service gets three seconds.',
		nice('decision', 'exit code 78'),
	);
	s.small(3);
	s.user(
		`In staging the config service needs up to 6 s after a deploy. Make the timeout 10 seconds instead of 3.`,
		over('three'),
		must('constraint', '10 seconds'),
	);
	s.edit('src/config/load.ts');
	s.edit('test/config/load.test.ts');
	s.says('Raised to ten seconds.');
	s.small(3);
	s.user(
		'now oidc please. the issuer url must keep its trailing slash, the library compares strings',
		must('constraint', 'trailing slash'),
	);
	s.look('src/auth/oidc.ts', 'src/auth/session.ts');
	s.edit('src/auth/oidc.ts', over('left'));
	s.edit('src/main.ts');
	s.fails(
		'npx tsc --noEmit',
		`src/auth/session.ts(41,7): error TS2741: Property 'clockSkew' is missing in type '{ issuer: string; }' but required in type 'OidcConfig'.`,
		named('skew', must('error', 'clockSkew')),
	);
	s.edit('src/auth/session.ts');
	s.run('npx tsc --noEmit', '', over('skew'));
	s.says(
		`OIDC is converted, the last of the seven. No module reads process.env itself any more except src/config/env.ts.\n\nWhat I would still do: a lint rule against process.env elsewhere, and delete the unused LEGACY_PORT variable from the helm chart.`,
		nice('step', 'lint rule'),
		nice('step', 'LEGACY_PORT'),
	);
	s.small(4);
	s.user('leave the helm chart to me. add the lint rule');
	s.look('eslint.config.js', 'package.json');
	s.edit('eslint.config.js');
	s.fails(
		'npx eslint .',
		`/repo/scripts/seed.ts\n  12:20  error  Unexpected use of process.env  no-restricted-properties\n\n✖ 1 problem (1 error, 0 warnings)`,
		must('error', 'scripts/seed.ts'),
	);
	s.says(
		'The rule works and finds one more place: scripts/seed.ts still reads process.env on line 12.',
		must('step', 'scripts/seed.ts'),
	);
	s.small(3);
	s.user('what does the loader do with unknown keys in the json?');
	s.look('src/config/load.ts', 'src/config/schema.ts');
	s.says('It ignores them without a word.');
	s.user('hm. warn about them, but do not fail', must('constraint', 'warn', 'do not fail'));
	s.look('src/config/json.ts', 'src/log.ts');
	s.edit('src/config/json.ts');
	s.notes('The logger does not exist yet at that point, so the warnings have to be collected.');
	s.look('src/config/warnings.ts', 'src/main.ts');
}
