// Held out, never tuned on: a data pipeline in Python, with a terse person who writes in lower case.
import { must, named, nice, over } from '../script.mjs';

export const name = 'data pipeline';
export const isHeldOut = true;

export function write(s) {
	s.user(
		`nightly import takes 7h, has to be under 2h by end of month. code is in pipelines/nightly. data team owns the warehouse schema so dont alter tables there`,
		must('request', 'under 2h'),
		must('constraint', 'alter tables'),
	);
	s.look(
		'pipelines/nightly/run.py',
		'pipelines/nightly/extract.py',
		'pipelines/nightly/transform.py',
	);
	s.run(
		'python -m cProfile -s cumtime -m pipelines.nightly.run --sample 1',
		'ncalls  tottime  cumtime\n 1.2M   2911.2   4102.9 transform.py:88(normalise_row)\n 14k     811.0    902.3 extract.py:41(fetch_page)',
	);
	s.says(
		`Profile of one shard: 68 % of the time goes into normalise_row, row by row in pure Python. Extraction is 15 %. The rest is the load, which runs single threaded.`,
		must('decision', 'normalise_row', '68 %'),
	);
	s.user('polars or pandas?');
	s.says(
		`Polars: its string expressions cover everything normalise_row does except the phone numbers, and it streams. Pandas would hold the 40 GB shard in memory.`,
	);
	s.user(
		'polars then. prod box has 16 gigs, thats all we get',
		must('decision', 'polars'),
		must('constraint', '16 gigs'),
	);
	s.write('pipelines/nightly/normalise.py', must('file', 'pipelines/nightly/normalise.py'));
	s.edit('pipelines/nightly/transform.py');
	s.write('tests/nightly/test_normalise.py');
	s.fails(
		'pytest tests/nightly -q',
		`F.....F...                                                    [100%]\nE       AssertionError: '+4930123456' != '030 123456'\nE       polars.exceptions.ComputeError: regex parse error: look-around, including look-ahead and look-behind, is not supported\ntests/nightly/test_normalise.py:61: ComputeError\n2 failed, 8 passed in 3.11s`,
		named('look', must('error', 'look-around')),
	);
	s.says(`Two fail: the phone regex uses look-behind, which the Rust regex engine does not have.`);
	s.user('write it without');
	s.edit('pipelines/nightly/normalise.py');
	s.run('pytest tests/nightly -q', '10 passed in 2.87s', over('look'));
	s.says('Split the phone pattern into two steps without look-behind, ten of ten pass.');
	s.small(3);
	s.user(
		`things the old code did that nobody documented but must survive:\n- rows with tenant 0 are test data, drop them\n- country UK becomes GB\n- empty vat id is NULL not ''\n- dates before 1970 are typos, set to NULL and count them\n- emails lower cased, but only the domain part`,
		must('item', 'tenant 0'),
		must('item', 'GB'),
		must('item', 'vat id', 'NULL'),
		must('item', '1970'),
		must('item', 'only the domain part'),
	);
	s.edit('pipelines/nightly/normalise.py');
	s.edit('tests/nightly/test_normalise.py');
	s.run('pytest tests/nightly -q', '19 passed in 3.02s');
	s.says('All five quirks are covered, each by a test of its own.');
	s.small(3);
	s.user(
		`load step next. 4 workers at the same time is the limit, dbas cap us there`,
		named('workers', must('constraint', '4 workers')),
	);
	s.look('pipelines/nightly/load.py', 'pipelines/common/db.py');
	s.edit('pipelines/nightly/load.py');
	s.write('pipelines/nightly/pool.py');
	s.run(
		'python -m pipelines.nightly.run --sample 1',
		'extract 902s\ntransform 71s\nload 388s\ntotal 1361s',
	);
	s.says(
		`Load uses COPY with four workers. One shard went from 4,100 s to 1,361 s; extraction dominates now. I kept COPY in text format because the binary one differs between server versions.`,
		must('decision', 'COPY', 'text format'),
	);
	s.small(4);
	s.user('so why is extract slow, dig');
	s.look('pipelines/nightly/extract.py', 'pipelines/common/http.py', 'pipelines/common/retry.py');
	s.run('rg -n "per_page|page_size" pipelines', 'pipelines/nightly/extract.py:37: page_size = 100');
	s.says(
		`The API is asked for 100 rows a page. Its documentation allows 5,000. Also each request opens a new TLS connection, since http.py builds a client per call.`,
		must('decision', '100 rows a page'),
	);
	s.user(
		'vendor told me 2000 per page is safe, above that they throttle. and be nice, 5 requests per second',
		must('constraint', '2000 per page'),
		must('constraint', '5 requests per second'),
	);
	s.edit('pipelines/nightly/extract.py');
	s.edit('pipelines/common/http.py');
	s.run(
		'python -m pipelines.nightly.run --sample 1',
		'extract 118s\ntransform 70s\nload 391s\ntotal 579s',
	);
	s.says(
		'Extraction is down to 118 s for the shard: one client, 2,000 rows a page, a limiter at five a second.',
	);
	s.small(4);
	s.user(
		`dbas gave us more: 8 workers from now on, the 4 worker cap is gone`,
		over('workers'),
		must('constraint', '8 workers'),
	);
	s.edit('pipelines/nightly/pool.py');
	s.run('python -m pipelines.nightly.run --sample 1', 'total 391s');
	s.says('Eight workers: 391 s for the shard, which makes about 1 h 50 min for all.');
	s.small(3);
	s.user('finance reads the csv export of this job, the column order there is sacred');
	s.look('pipelines/nightly/export_csv.py');
	s.write('tests/nightly/test_export_order.py');
	s.says(
		`Pinned the column order in tests/nightly/test_export_order.py. I have yet to measure a full run; so far it is all extrapolated from shard 1.\n\nAlso open: the retry in common/retry.py gives up after 3 tries without logging.`,
		must('step', 'full run'),
		must('step', 'retry.py'),
	);
	s.small(3);
	s.user(
		'do the full run tonight at 1am, not earlier, backups run till half past twelve',
		must('constraint', '1am'),
	);
	s.write('ops/full_run.cron');
	s.says(
		'Scheduled for 01:00 in ops/full_run.cron, output goes to logs/full_run.log.',
		nice('decision', 'full_run.cron'),
	);
	s.small(2);
	s.user('morning. how did it go');
	s.fails(
		'tail -40 logs/full_run.log',
		`2026-03-04 02:41:10 shard 17 done\n2026-03-04 02:44:51 shard 18 load\nTraceback (most recent call last):\n  File "pipelines/nightly/load.py", line 131, in copy_rows\n    cur.copy_expert(sql, buf)\npsycopg2.errors.NumericValueOutOfRange: integer out of range\nCONTEXT:  COPY stg_orders, line 40211, column qty: "2147483648"`,
		must('error', 'out of range', 'qty'),
	);
	s.says(
		`It died in shard 18 of 24 after 1 h 45 min: one row has a qty of 2147483648, which does not fit the integer column. Up to there it was on pace for 2 h 20 min, so we are still over the goal.`,
		nice('decision', 'shard 18'),
	);
	s.small(3);
	s.user(
		'bad qty goes to the quarantine table, dont lose the row and dont stop the run. then find me the missing 20 minutes',
		must('constraint', 'quarantine'),
		must('request', 'missing 20 minutes'),
	);
	s.look('pipelines/nightly/load.py', 'pipelines/nightly/quarantine.py');
	s.edit('pipelines/nightly/quarantine.py');
	s.notes(
		'The quarantine writer expects dictionaries, so the frames need converting at that edge.',
	);
	s.look('pipelines/common/frames.py', 'pipelines/nightly/pool.py');
	s.look('tests/nightly/test_quarantine.py');
}
