// A bug hunt: charges that happen twice, wrong trails, failing tests, decisions on the way.
import { must, named, nice, over } from '../script.mjs';
import { output } from '../filler.mjs';

export const name = 'bug hunt';

export function write(s) {
	s.user(
		`Customers get charged twice now and then since the release of last Tuesday. I need you to find out why and fix it for good, not paper over it. It seems to hit only people who pay with saved cards.\n\nTwo things before you start: the ledger table is audited, nobody writes to it except through LedgerWriter. And we're in a code freeze for packages/mobile, so leave that folder as it is.`,
		must('request', 'charged twice'),
		must('constraint', 'LedgerWriter'),
		must('constraint', 'packages/mobile'),
		nice('request', 'saved cards'),
	);
	s.look('src/payments/charge.ts', 'src/payments/saved-card.ts', 'src/payments/webhook.ts');
	s.run(
		'git log --oneline --since="2 weeks ago" -- src/payments',
		'8c1f0aa Retry charges on 5xx\n41d7be2 Bump the gateway client to 9.2\n03e9aa1 Tidy imports',
	);
	s.says(
		`The release brought two suspects: commit 8c1f0aa retries charges on 5xx answers, and 41d7be2 moves the gateway client to 9.2. The retry sends a new idempotency key each time, which would explain double charges whenever the gateway answers 502 after having booked.\n\nI have not looked at the webhook handler's queue yet.`,
		must('decision', '8c1f0aa', 'idempotency key'),
		named('queue', must('step', 'webhook', 'queue')),
	);
	s.small(2);
	s.user(
		`Sounds plausible. Write a test first that shows it, I want to see it red before you fix anything. We use the recorded gateway in test/gateway, don't mock fetch.`,
		must('constraint', 'test/gateway'),
		nice('constraint', 'mock fetch'),
	);
	s.look('test/gateway/recorder.ts', 'test/payments/charge.test.ts');
	s.write('test/payments/double-charge.test.ts');
	s.fails(
		'npm test -- double-charge',
		`  double charge\n    1) books once when the gateway answers 502 after booking\n\n  0 passing (1s)\n  1 failing\n\n  AssertionError [ERR_ASSERTION]: expected 1 booking, found 2\n      at Context.<anonymous> (test/payments/double-charge.test.ts:44:12)`,
		named('red', must('error', 'expected 1 booking, found 2')),
	);
	s.says(
		`It is red: the recorder sees two bookings for one order. The test is in test/payments/double-charge.test.ts.`,
	);
	s.user('good. now fix it');
	s.edit('src/payments/charge.ts');
	s.edit('src/payments/idempotency.ts');
	s.run('npm test -- double-charge', '  1 passing (1s)', over('red'));
	s.says(
		`The key is now derived from order id and attempt group, so a retry repeats it. I chose to keep it in the orders row rather than in Redis, because Redis is flushed on deploys.`,
		must('decision', 'orders row', 'Redis'),
	);
	s.small(3);

	s.user(
		`Support sent me this from this morning, so it's still happening:\n\n\`\`\`\norder 5520917  card ****4242\n09:14:02 charge ok  ch_1\n09:14:02 charge ok  ch_2\n\`\`\`\n\nSame second. That's no retry.`,
		nice('error', '5520917'),
	);
	s.look('src/payments/webhook.ts', 'src/queue/consumer.ts', 'src/queue/lease.ts');
	s.run(
		'rg -n "leaseMs|visibility" src/queue',
		'src/queue/lease.ts:12: leaseMs = 30_000\nsrc/queue/consumer.ts:71: visibility: lease.ms / 1000',
	);
	s.says(
		`Right, this is another cause. Two consumers pick up the same job, since the lease of 30 s is handed to SQS as 30 ms: consumer.ts divides by 1000 twice. So the culprit for same-second doubles is the visibility timeout in src/queue/consumer.ts.`,
		must('decision', 'visibility timeout', 'consumer.ts'),
		over('queue'),
	);
	s.user(
		`ok wow. Fix that too, but whatever you do the throughput of the consumer can't drop below 400 jobs a second, ops have an alert on it`,
		must('constraint', '400 jobs'),
	);
	s.edit('src/queue/consumer.ts');
	s.edit('src/queue/lease.ts');
	s.fails(
		'npm run bench:queue',
		`consumer: 212 jobs/s (target 400)\nError: throughput below target: 212 < 400\n    at check (bench/queue.ts:88:9)`,
		named('slow', must('error', '212')),
	);
	s.says(
		`The doubles are gone, but the benchmark now says 212 jobs a second. The lease is renewed for each job; batching the renewals should bring it back.`,
	);
	s.small(3);
	s.user('Then batch them. ten per call is what SQS allows');
	s.edit('src/queue/lease.ts');
	s.write('src/queue/renewals.ts');
	s.run('npm run bench:queue', 'consumer: 655 jobs/s (target 400)\nok', over('slow'));
	s.says(
		`Renewals go out in batches of ten; 655 jobs a second.`,
		nice('decision', 'batches of ten'),
	);

	s.user(
		`Before we ship: Dana from finance needs a list of everybody who was affected. Here's what she wants in the file:\n\n1. order number\n2. both charge ids\n3. amount and currency, in minor units\n4. time between the two charges in ms\n5. whether a refund already went out\n6. the customer's locale, for the apology mail`,
		must('request', 'list of everybody'),
		must('item', 'both charge ids'),
		must('item', 'minor units'),
		must('item', 'time between the two charges'),
		must('item', 'refund already went out'),
		must('item', "customer's locale"),
		must('item', 'order number'),
	);
	s.look('src/reports/base.ts', 'src/payments/refund.ts');
	s.write('scripts/affected-orders.ts');
	s.says(
		`scripts/affected-orders.ts writes columns 1 to 4. The refund state sits in another service, I'd have to go through its API.\n\nStill missing: columns 5 and 6.`,
		must('step', 'columns 5 and 6'),
	);
	s.small(3);
	s.user(
		`Use the read replica for that report. The last time someone ran one of these against the primary we had an outage`,
		must('constraint', 'read replica'),
	);
	s.edit('scripts/affected-orders.ts');
	s.run('npx tsx scripts/affected-orders.ts --limit 5', 'wrote 5 rows to affected.csv');
	s.says('It connects through REPLICA_URL now and refuses to start without it.');
	s.small(2);

	s.user(
		`One more: does the refund endpoint have the same problem? Please check and tell me, no changes yet.`,
	);
	s.look(
		'src/payments/refund.ts',
		'src/payments/refund-webhook.ts',
		'test/payments/refund.test.ts',
	);
	s.says(
		`It does in theory: refunds go through the same queue, but RefundGuard compares the charge id first, so a second one is dropped. Nothing to do there.`,
		nice('decision', 'RefundGuard'),
	);
	s.small(4);
	s.user(
		`Let's add an alert then: two charges for one order within a minute pages on-call. Name it double_charge_suspected, the dashboards look for exactly that.`,
		must('constraint', 'double_charge_suspected'),
	);
	s.look('src/metrics/alerts.ts');
	s.edit('src/metrics/alerts.ts');
	s.write('test/metrics/alerts.test.ts');
	s.says('The alert is there, with a test for the edges of the minute.');
	s.small(3);
	s.user('run everything once please');
	s.run('npx tsc --noEmit', '(no output)');
	s.fails(
		'npm test',
		`${output(77, 'test output', 60)}\n\n  612 passing (48s)\n  2 failing\n\n  1) ledger replay keeps the order of bookings:\n     Error: Timeout of 2000ms exceeded. For async tests, ensure "done()" is called (test/ledger/replay.test.ts)\n\n  2) export of locales:\n     TypeError: Cannot read properties of undefined (reading 'locale')\n      at formatRow (src/reports/format-row.ts:31:20)`,
		must('error', "reading 'locale'"),
		must('error', 'replay'),
	);
	s.says(
		`Two tests fail. The ledger replay one times out, and the locale one is mine: formatRow gets a customer without profile. I'd look at replay.test.ts first, since it might hide an ordering problem of the new batches.`,
		must('step', 'replay.test.ts'),
	);
	s.small(3);
	s.user('is the freeze on mobile over btw? i dont think so');
	s.run('cat .github/freeze.yml', 'packages/mobile: until 2026-02-01\n');
	s.says('No, it lasts until 1 February.', nice('decision', '1 February'));
	s.small(2);
	s.user(`Go on with the replay test now.`);
	s.look('test/ledger/replay.test.ts', 'src/ledger/replay.ts', 'src/ledger/writer.ts');
	s.notes(`The replay waits for a booking that the batch never acknowledges.`);
	s.look('src/queue/renewals.ts', 'src/queue/acks.ts');
}
