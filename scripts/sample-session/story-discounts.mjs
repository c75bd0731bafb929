/** Owns the first part of the sample session: getting to know the project, discounts, coupons. */
import { ordersCsv, tap, volumeReplay } from './outputs.mjs';

/** The import has no such month in front of it: the export of January, and what it says. */
const EXPORT = '../exports/orders-2026-01.csv';

export function tellDiscounts(s) {
	s.user(
		'Hi! Before we change anything: read the whole project, it is small, and tell me how an order gets its price today and where discounts and VAT would go. Three things that hold for everything we do here: never use floats for money, only integer cents. No new dependencies. And never edit data/catalog.json, the shop team owns it.',
	);
	s.act(
		"I'll start with the notes for contributors and the layout.",
		s.read('AGENTS.md'),
		s.read('README.md'),
		s.read('package.json'),
		s.bash(
			'git log --oneline | head -5 && ls src test data',
			'9f31c2e Products over HTTP\n51d0aa4 Catalogue with a price check\n0b7e6f1 Money in cents\nc4410de First commit\n\ndata:\ncatalog.json\n\nsrc:\ncatalog.ts\nmoney.ts\norder.ts\nserver.ts\n\ntest:\norder.test.ts',
		),
	);
	s.act(
		'Now the code, money first since everything rests on it.',
		s.read('src/money.ts'),
		s.read('src/catalog.ts'),
		s.read('src/order.ts'),
		s.read('src/server.ts'),
	);
	s.act(
		'And the products, and what is tested.',
		s.read('data/catalog.json'),
		s.read('test/order.test.ts'),
		s.bash('npm test -- --test-reporter=tap', tap(['money'])),
	);
	s.say(
		'Here is how it works today:\n\n- `priceOrder()` in `src/order.ts` looks every item up in the catalogue, multiplies price by quantity and adds up. No discount, no VAT.\n- `src/money.ts` has what we need for both: `share(amount, rate)` multiplies by basis points and rounds half up with BigInt, so no float ever appears.\n- `src/server.ts` only serves `GET /products`.\n\nDiscounts belong in a module of their own between the lines and the total, VAT in another one after it, since VAT is due on what the customer really pays. I decided to keep both pure: lines in, amounts out, and `priceOrder()` the only place that knows the order of the two steps.\n\nShall I begin with the volume discounts?',
	);

	s.user(
		'Yes. The rules, as agreed with the shop team:\n\n1. three packs of the same tea: 5 percent off these packs\n2. six packs: 10 percent\n3. twelve packs: 15 percent\n4. packs of different teas are not counted together\n5. teaware gets no volume discount\n6. gift cards get no discount at all, ever\n\nWrite tests for each. Please keep the rates in a table, not in ifs, they will change.',
	);
	s.act(
		"A table it is. I'll write the module first, then wire it into the order.",
		s.change('discount module'),
		s.change('order: import discount'),
		s.change('order: quote has discount'),
		s.change('order: apply discount'),
	);
	s.act('Now a test for each rule.', s.change('test: import discount'), s.change('test: volume'));
	s.act(
		'',
		s.bash(
			'npm test -- --test-reporter=tap',
			tap(['money', 'volume'], {
				'volume: not for teaware': [
					"failureType: 'testCodeFailure'",
					"error: 'Expected values to be strictly equal: 474 !== 0'",
					"code: 'ERR_ASSERTION'",
					'expected: 0',
					'actual: 474',
					"operator: 'strictEqual'",
					'stack: |-',
					'  TestContext.<anonymous> (test/order.test.ts:46:10)',
				],
			}),
			true,
		),
	);
	s.act(
		'The table is right, but it is applied to teaware too: six tea tins got 10 % off. The rule must look at the category, and asking for `leaf` covers gift cards as well.',
		s.change('discount: leaf only'),
		s.bash('npm test -- --test-reporter=tap', tap(['money', 'volume'])),
	);
	s.say(
		'Volume discounts are in. `src/discount.ts` holds the table (12, 6, 3 packs: 1500, 1000, 500 basis points), applies the highest step reached to each line of category `leaf`, and `priceOrder()` subtracts the sum. Each of your six rules has a test; all 10 tests pass.',
	);

	s.user(
		`Good. What would that have cost us in January? The export is in ${EXPORT} (gross prices). Replay it, one line per order, I want to show it to Mira.`,
	);
	s.act(
		"Let me look at the export's columns before I trust them.",
		s.bash(`cat ${EXPORT}`, ordersCsv(310)),
	);
	s.act(
		'Order, date, country, sku, quantity, gross. Prices are written with two decimals, so I read them as text and drop the point rather than parse a float.',
		s.bash(
			`node --input-type=module -e "import { replay } from './tmp/replay.ts'; replay('${EXPORT}')"`,
			"node:internal/modules/esm/resolve:271\n    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/tea-shop/tmp/replay.ts' imported from /srv/tea-shop/[eval1]\n    at finalizeResolution (node:internal/modules/esm/resolve:271:11)\n    at moduleResolve (node:internal/modules/esm/resolve:861:10)\n\nCommand exited with code 1",
			true,
		),
	);
	s.act(
		"I have not written the script yet. A throw-away one outside the repository, so that it can't be committed by accident.",
		{
			name: 'write',
			arguments: {
				path: '/tmp/replay.ts',
				content:
					"import { readFileSync } from 'node:fs';\nimport { Catalog } from '/srv/tea-shop/src/catalog.ts';\nimport { formatCents } from '/srv/tea-shop/src/money.ts';\nimport { priceOrder } from '/srv/tea-shop/src/order.ts';\n\nconst catalog = Catalog.fromFile('/srv/tea-shop/data/catalog.json');\nconst orders = new Map();\nfor (const row of readFileSync(process.argv[2], 'utf8').trim().split('\\n').slice(1)) {\n\tconst [number, , country, sku, quantity] = row.split(',');\n\tconst order = orders.get(number) ?? { country, items: [] };\n\torder.items.push({ sku, quantity: Number(quantity) });\n\torders.set(number, order);\n}\nlet total = 0;\nlet hit = 0;\nfor (const [number, order] of orders) {\n\tconst quote = priceOrder(order, catalog);\n\tconst off = quote.discount.cents;\n\ttotal += off;\n\tif (off > 0) hit++;\n\tconst cell = (cents, width) => formatCents(cents).padStart(width);\n\tconsole.log(`${number}  gross ${cell(quote.totalCents + off, 8)}  off ${cell(off, 7)}  pays ${cell(quote.totalCents, 8)}`);\n}\nconsole.log(`\\n${hit} of ${orders.size} orders get something, ${formatCents(total)} in all`);\n",
			},
			output: 'Wrote 1112 bytes to /tmp/replay.ts.',
			isError: false,
		},
		s.bash(`node /tmp/replay.ts ${EXPORT}`, volumeReplay(310)),
	);
	s.say(
		`The replay of January is above, one line per order. The last line has the sum for Mira. Nothing in the repository changed; the script is /tmp/replay.ts and can be run again with \`node /tmp/replay.ts ${EXPORT}\`.`,
	);

	s.user(
		'Mira is fine with it. Next: coupons. SPRING takes 8 percent off the order, TASTING takes 5.00 off from 25.00 on. They come on top of the volume discount.',
	);
	s.act(
		'Coupons get a table like the volume steps: a code is either a rate, or an amount with a minimum.',
		s.read('src/discount.ts'),
		s.change('discount: coupon table'),
		s.change('discount: coupon amount'),
	);
	s.user(
		'no, wait. I asked again: they must not add up. The better of volume and coupon counts, and whatever happens no order gets more than 40 percent off. Gift cards stay out of the coupon base too.',
	);
	s.act(
		"Then it is one comparison rather than a sum, and the cap comes last. I'll compute both on the same base, gift cards excluded, and take the larger.",
		s.change('discount: better of two'),
		s.change('discount: doc'),
		s.change('discount: header'),
		s.change('discount: signature'),
		s.change('order: pass coupon'),
		s.change('order: coupon field'),
		s.change('test: coupons'),
	);
	s.act(
		'',
		s.bash(
			'npm test -- --test-reporter=tap',
			tap(['money', 'volume', 'coupons'], {
				'coupon: in lower case and with blanks': [
					"failureType: 'testCodeFailure'",
					"error: 'Expected values to be strictly equal: 0 !== 152'",
					"code: 'ERR_ASSERTION'",
					'expected: 152',
					'actual: 0',
					'stack: |-',
					'  TestContext.<anonymous> (test/order.test.ts:62:10)',
				],
			}),
			true,
		),
	);
	const done = s.say(
		'Coupons work and do not add up with volume: `discountFor()` takes the better of the two and cuts it at 4000 basis points.\n\nOne test fails, and I left it on purpose: I wrote it for codes in lower case (`spring`), which people will type, but nobody has asked for that. Your call.\n\nTODO: decide whether coupon codes ignore case and blanks.',
	);
	s.label(done, 'Discounts done');
}
