/** Owns what commands print in the sample session: tests, exports, tables. All computed, none random. */

const TESTS = {
	money: [
		'rounds half up',
		'rounds negative amounts away from zero',
		'formats cents',
		'refuses a float price',
	],
	volume: [
		'volume: 2 packs',
		'volume: 3 packs',
		'volume: 6 packs',
		'volume: 12 packs',
		'volume: counts packs of the same tea only',
		'volume: not for teaware',
	],
	coupons: [
		'coupon: a rate',
		'coupon: in lower case and with blanks',
		'coupon: an amount from its minimum on',
		'the better of volume and coupon counts',
		'gift cards are never discounted',
		'the cap holds',
	],
	vat: [
		'is contained in the gross amount',
		'is rounded half up',
		'is rounded once per rate, not per line',
		'has one line for each rate',
		'adds up with a discount spread over the lines',
		'refuses a country that we do not deliver to',
	],
	orders: [
		'reads a good one',
		'refuses {',
		'refuses null',
		'refuses {"country":"DE","items":[]}',
		'refuses {"country":"DE","items":[{}],"coupon":"FREE"}',
		'refuses half a pack',
	],
};

/** TAP as `npm test` prints it. `failures` maps a test's name to the lines that say why. */
export function tap(suites, failures = {}) {
	const lines = [
		'',
		'> tea-shop@0.4.0 test',
		'> node --test --test-reporter=tap',
		'',
		'TAP version 13',
	];
	let count = 0;
	let failed = 0;
	for (const suite of suites)
		for (const name of TESTS[suite]) {
			count++;
			const reason = failures[name];
			if (reason) failed++;
			const duration = (((count * 7919) % 1700) / 1000 + 0.1).toFixed(3);
			lines.push(
				`# Subtest: ${suite} > ${name}`,
				`${reason ? 'not ok' : 'ok'} ${count} - ${suite} > ${name}`,
				'  ---',
				`  duration_ms: ${duration}`,
				"  type: 'test'",
			);
			if (reason) lines.push(...reason.map((line) => `  ${line}`));
			lines.push('  ...');
		}
	lines.push(
		`1..${count}`,
		`# tests ${count}`,
		`# pass ${count - failed}`,
		`# fail ${failed}`,
		'# cancelled 0',
		'# skipped 0',
	);
	if (failed > 0) lines.push('', 'Command exited with code 1');
	return lines.join('\n');
}

const SKUS = [
	['sencha-100', 1290, 'leaf'],
	['assam-100', 950, 'leaf'],
	['mint-100', 590, 'leaf'],
	['genmaicha-100', 890, 'leaf'],
	['tin', 790, 'teaware'],
	['darjeeling-100', 1690, 'leaf'],
	['gaiwan', 2490, 'teaware'],
	['matcha-100', 2450, 'leaf'],
	['rooibos-100', 690, 'leaf'],
];
const COUNTRIES = ['DE', 'DE', 'AT', 'FR', 'DE', 'NL', 'BE', 'DE', 'IE', 'AT'];
const LEAF_RATE = { DE: 700, AT: 1000, FR: 550, NL: 900, BE: 600, IE: 0 };
const WARE_RATE = { DE: 1900, AT: 2000, FR: 2000, NL: 2100, BE: 2100, IE: 2300 };

/** The orders of last month, by arithmetic. */
function orders(count) {
	return Array.from({ length: count }, (_, index) => {
		const lines = Array.from({ length: 1 + (index % 3) }, (_, line) => {
			const [sku, price, category] = SKUS[(index * 5 + line * 2) % SKUS.length];
			const quantity = 1 + ((index * 3 + line * 5) % 8);
			return { sku, quantity, category, gross: price * quantity };
		});
		return { number: 20260100 + index, country: COUNTRIES[index % COUNTRIES.length], lines };
	});
}

const money = (cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
const contained = (gross, rate) =>
	Math.floor((gross * rate * 2 + 10000 + rate) / ((10000 + rate) * 2));

/** The export that the user points at. */
export function ordersCsv(count) {
	const rows = orders(count).flatMap(({ number, country, lines }, index) =>
		lines.map(
			({ sku, quantity, gross }) =>
				`${number},2026-01-${String(1 + (index % 31)).padStart(2, '0')},${country},${sku},${quantity},${money(gross)}`,
		),
	);
	return ['order,date,country,sku,quantity,gross', ...rows].join('\n');
}

/** What volume discounts would have cost on those orders. */
export function volumeReplay(count) {
	let total = 0;
	let hit = 0;
	const rows = orders(count).map(({ number, lines }) => {
		const off = lines.reduce((sum, { quantity, category, gross }) => {
			const rate =
				category !== 'leaf'
					? 0
					: quantity >= 12
						? 1500
						: quantity >= 6
							? 1000
							: quantity >= 3
								? 500
								: 0;
			return sum + Math.floor((gross * rate + 5000) / 10000);
		}, 0);
		const gross = lines.reduce((sum, line) => sum + line.gross, 0);
		total += off;
		if (off > 0) hit++;
		return `${number}  gross ${money(gross).padStart(8)}  off ${money(off).padStart(7)}  pays ${money(gross - off).padStart(8)}`;
	});
	return [...rows, '', `${hit} of ${count} orders get something, ${money(total)} in all`].join(
		'\n',
	);
}

/** The accountant's sheet: VAT per order and rate. With `perLine` it shows the drift of the other way. */
export function vatSheet(count, perLine = false) {
	let drift = 0;
	const rows = orders(count).flatMap(({ number, country, lines }) => {
		const byRate = new Map();
		for (const { category, gross } of lines) {
			const rate = (category === 'leaf' ? LEAF_RATE : WARE_RATE)[country];
			const sum = byRate.get(rate) ?? { gross: 0, perLine: 0 };
			byRate.set(rate, { gross: sum.gross + gross, perLine: sum.perLine + contained(gross, rate) });
		}
		return [...byRate].map(([rate, sum]) => {
			const vat = contained(sum.gross, rate);
			const start = `${number};${country};${(rate / 100).toFixed(2)};${money(sum.gross)};${money(vat)}`;
			if (!perLine) return start;
			if (sum.perLine !== vat) drift++;
			return `${start};${money(sum.perLine)};${sum.perLine === vat ? 'ok' : 'DIFFERS'}`;
		});
	});
	const head = `order;country;rate;gross;vat${perLine ? ';vat per line;check' : ''}`;
	return [head, ...rows, ...(perLine ? [`${drift} of ${rows.length} rows differ`] : [])].join('\n');
}

/** Bad bodies thrown at the handler, with its answers. */
export function fuzzLog(hasOwnFixed) {
	const bodies = [
		'{',
		'[]',
		'null',
		'"tea"',
		'12',
		'{}',
		'{"country":1}',
		'{"country":"de","items":[]}',
		'{"country":"DE"}',
		'{"country":"DE","items":{}}',
		'{"country":"DE","items":[null]}',
		'{"country":"DE","items":[{"sku":"none","quantity":1}]}',
		'{"country":"DE","items":[{"sku":"tin","quantity":0}]}',
		'{"country":"DE","items":[{"sku":"tin","quantity":1e9}]}',
		'{"country":"DE","items":[{"sku":"tin","quantity":"2"}]}',
		'{"country":"toString","items":[{"sku":"tin","quantity":1}]}',
		'{"country":"__proto__","items":[{"sku":"tin","quantity":1}]}',
		'{"country":"constructor","items":[{"sku":"tin","quantity":1}]}',
	];
	const rounds = Array.from({ length: 54 }, (_, index) => {
		const body = bodies[index % bodies.length];
		const inherited = /toString|__proto__|constructor/.test(body);
		const crash = body.includes('[null]') || (inherited && !hasOwnFixed);
		const status = crash ? 500 : 422;
		const padding = ' '.repeat(Math.floor(index / bodies.length));
		return `${String(index + 1).padStart(3)}  ${status}  ${(1 + ((index * 31) % 9) / 10).toFixed(1)} ms  ${padding}${body}`;
	});
	const broken = rounds.filter((line) => line.includes('  500  ')).length;
	return [...rounds, '', `${rounds.length} requests, ${broken} answered 500`].join('\n');
}
