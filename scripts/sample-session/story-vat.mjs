/** Owns the middle of the sample session: VAT, once the wrong way on a branch, then the right way. */
import { tap, vatSheet } from './outputs.mjs';

const SHEET = '../exports/vat-2026-01.csv';

export function tellVat(s) {
	s.abandoned(() => {
		s.user(
			'Leave it for later. Now VAT. Try it per line: each line knows its category, so each line can carry its VAT, and the invoice adds them up.',
		);
		s.act(
			'That is the shortest way: a rate per line, `share()` for the amount, and a sum. Let me put it into the order directly and see.',
			s.read('src/order.ts'),
			s.edit('src/order.ts', '	grossCents: Cents;\n}', '	grossCents: Cents;\n	vatCents: Cents;\n}'),
			s.edit(
				'src/order.ts',
				'			grossCents: product.priceCents * quantity,',
				'			grossCents: product.priceCents * quantity,\n			vatCents: lineVat(product.priceCents * quantity, order.country, product.category),',
			),
		);
		s.act(
			"And a comparison with the accountant's sheet for January.",
			s.bash(`node /tmp/compare-vat.ts ${SHEET} --per-line`, vatSheet(110, true)),
		);
		s.say(
			'Per line it drifts. The last line of the comparison counts the rows where the sum of rounded lines is a cent off the sheet. Every line rounds for itself, and the errors do not cancel out. The sheet rounds once per rate.\n\nI would not go on with this: should I take it back?',
		);
		s.user(
			'Yes, that is no good, the accountant will not accept a single cent. I go back to before this and we do it per rate.',
		);
		s.say(
			'Understood. Nothing of this approach was committed: `src/order.ts` is the only file it touched.',
		);
	});

	s.user(
		`Leave it for later. Now VAT. Prices in the catalogue are gross, so VAT is contained, not added. It must be rounded once per rate on the invoice, never per line, as the accountant does. The accountant's sheet for January is ${SHEET}; we have to match it to the cent. Countries: DE 7 and 19, AT 10 and 20, FR 5.5 and 20, NL 9 and 21, BE 6 and 21, IE 0 and 23 (tea first, teaware second). Gift cards have no VAT when sold.`,
	);
	s.act(
		'5.5 percent is the reason why rates are basis points: 550 is an integer. Let me see the sheet first.',
		s.bash(`cat ${SHEET}`, vatSheet(300)),
	);
	s.act(
		"Amounts per order and rate, that is the grouping to reproduce. The contained part is gross * rate / (10000 + rate), so `share()` does not fit; I'll write `containedVat()` with BigInt and half-up rounding.",
		s.change('vat module'),
		s.read('src/money.ts'),
	);
	s.act(
		"The discount has to come off before VAT, and it must be divided among the rates. We'll go with a proportional split over the discountable lines.",
		s.change('order: import vat'),
		s.change('order: quote has vat'),
		s.change('order: spread'),
		s.change('order: apply vat'),
		s.change('test: import vat'),
		s.change('test: vat'),
	);
	s.act(
		'',
		s.bash(
			'npm test -- --test-reporter=tap',
			tap(['money', 'volume', 'coupons', 'vat'], {
				'coupon: in lower case and with blanks': [
					"error: 'Expected values to be strictly equal: 0 !== 152'",
					"code: 'ERR_ASSERTION'",
				],
				'adds up with a discount spread over the lines': [
					"failureType: 'testCodeFailure'",
					"error: 'Expected values to be strictly equal: 11569 !== 11568'",
					"code: 'ERR_ASSERTION'",
					'expected: 11568',
					'actual: 11569',
					'stack: |-',
					'  TestContext.<anonymous> (test/order.test.ts:128:10)',
				],
			}),
			true,
		),
	);
	s.act(
		"The root cause is in `spread()`: each share is rounded down and the remainder is lost, so the rates add up to one cent more than the customer pays. Instead of fixing up the last line I'll carry what is left of discount and base from line to line; then the last line takes exactly the rest.",
		s.read('src/order.ts'),
		s.change('order: spread keeps the remainder'),
		s.change('order: spread state'),
		s.bash(
			'npm test -- --test-reporter=tap',
			tap(['money', 'volume', 'coupons', 'vat'], {
				'coupon: in lower case and with blanks': [
					"error: 'Expected values to be strictly equal: 0 !== 152'",
					"code: 'ERR_ASSERTION'",
				],
			}),
			true,
		),
	);
	s.act(
		'Only the coupon test that we postponed is left. Now the sheet, row by row.',
		s.bash(`node /tmp/compare-vat.ts ${SHEET} | tail -400`, `${vatSheet(300)}\n\n0 rows differ`),
	);
	s.say(
		"VAT matches the accountant's sheet to the cent, 0 rows differ.\n\n- `src/vat.ts`: rates per country and category in basis points, `containedVat()` rounds half up, `vatFor()` groups by rate and rounds once.\n- `src/order.ts`: the discount is spread over the lines in proportion before VAT, without losing a cent.\n- Gift cards are rate 0 and take no part in the discount.\n\nStill open: the coupon test in lower case fails, as agreed.",
	);

	s.bang(
		'npm test 2>&1 | tail -4',
		'# tests 22\n# pass 21\n# fail 1\nCommand exited with code 1',
		1,
	);
	s.user(
		'ok so coupons: yes, ignore case and blanks around the code. People type them from a card. And an unknown code should be told to the customer, not silently ignored, but do that when we get to the HTTP side.',
	);
	s.act(
		'',
		s.change('discount: any case'),
		s.bash('npm test -- --test-reporter=tap', tap(['money', 'volume', 'coupons', 'vat'])),
	);
	s.say(
		'Codes are trimmed and compared in upper case now; all 22 tests pass. I noted the unknown code for the HTTP side.',
	);

	s.user(
		'What happens with a negative quantity, or 0.5 packs? And what is the largest order that is still exact?',
	);
	s.act(
		'Let me check rather than guess.',
		s.bash(
			`grep -n "quantity" src/*.ts`,
			'src/discount.ts:32:\t\tconst step = VOLUME.find(([packs]) => line.quantity >= packs);\nsrc/order.ts:9:\titems: { sku: string; quantity: number }[];\nsrc/order.ts:17:\tquantity: number;\nsrc/order.ts:56:\tconst lines = order.items.map(({ sku, quantity }): PricedLine => {\nsrc/order.ts:59:\t\tif (!Number.isInteger(quantity) || quantity < 1 || quantity > 500)\nsrc/order.ts:64:\t\t\tquantity,\nsrc/order.ts:65:\t\t\tgrossCents: product.priceCents * quantity,',
		),
		s.read('src/vat.ts'),
	);
	s.say(
		'Both are refused: `priceOrder()` accepts whole quantities from 1 to 500 only and says so. As to size, a line is at most 500 times the price, and everything after that is BigInt, so an order stays exact up to 9 007 199 254 740 991 cents. No change needed.',
	);
}
