import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { Catalog, type Product } from '../src/catalog.ts';
import { discountFor } from '../src/discount.ts';
import { formatCents, share } from '../src/money.ts';
import { priceOrder } from '../src/order.ts';
import { parseOrder } from '../src/server.ts';
import { containedVat } from '../src/vat.ts';

const catalog = Catalog.fromFile(new URL('../data/catalog.json', import.meta.url));
const quote = (items: [sku: string, quantity: number][], coupon?: string, country = 'DE') =>
	priceOrder(
		{ country, items: items.map(([sku, quantity]) => ({ sku, quantity })), coupon },
		catalog,
	);

describe('money', () => {
	it('rounds half up', () =>
		assert.deepEqual([share(50, 100), share(49, 100), share(150, 100)], [1, 0, 2]));
	it('rounds negative amounts away from zero', () => assert.equal(share(-50, 100), -1));
	it('formats cents', () =>
		assert.deepEqual([5, 1234, -90].map(formatCents), ['0.05', '12.34', '-0.90']));
	it('refuses a float price', () =>
		assert.throws(() => new Catalog([{ sku: 'x', priceCents: 1.5 } as Product]), RangeError));
});

describe('discounts', () => {
	for (const [packs, expected] of [
		[2, 0],
		[3, 194],
		[6, 774],
		[12, 2322],
	] as const)
		it(`volume: ${packs} packs`, () =>
			assert.equal(quote([['sencha-100', packs]]).discount.cents, expected));
	it('volume: counts packs of the same tea only', () =>
		assert.equal(
			quote([
				['sencha-100', 2],
				['assam-100', 2],
			]).discount.cents,
			0,
		));
	it('volume: not for teaware', () => assert.equal(quote([['tin', 6]]).discount.cents, 0));
	it('coupon: a rate', () => assert.equal(quote([['assam-100', 2]], 'SPRING').discount.cents, 152));
	it('coupon: in lower case and with blanks', () =>
		assert.equal(quote([['assam-100', 2]], ' spring ').discount.cents, 152));
	it('coupon: an amount from its minimum on', () => {
		assert.equal(quote([['gyokuro-100', 1]], 'TASTING').discount.cents, 500);
		assert.equal(quote([['assam-100', 1]], 'TASTING').discount.cents, 0);
	});
	it('the better of volume and coupon counts', () => {
		assert.deepEqual(quote([['sencha-100', 3]], 'SPRING').discount, {
			cents: 310,
			reason: 'coupon',
		});
		assert.deepEqual(quote([['sencha-100', 6]], 'SPRING').discount, {
			cents: 774,
			reason: 'volume',
		});
	});
	it('gift cards are never discounted', () =>
		assert.equal(quote([['gift-50', 4]], 'SPRING').discount.cents, 0));
	it('the cap holds', () =>
		assert.equal(
			discountFor(
				[{ sku: 'x', name: 'x', category: 'leaf', quantity: 1, grossCents: 0 }],
				'TASTING',
			).cents,
			0,
		));
});

describe('VAT', () => {
	it('is contained in the gross amount', () => assert.equal(containedVat(11900, 1900), 1900));
	it('is rounded half up', () => assert.equal(containedVat(107, 700), 7));
	it('is rounded once per rate, not per line', () =>
		assert.deepEqual(
			quote([
				['mint-100', 1],
				['rooibos-100', 1],
				['genmaicha-100', 1],
			]).vat,
			[{ rate: 700, grossCents: 2170, vatCents: 142 }],
		));
	it('has one line for each rate', () =>
		assert.deepEqual(
			quote(
				[
					['sencha-100', 1],
					['tin', 1],
				],
				undefined,
				'FR',
			).vat.map((line) => line.rate),
			[550, 2000],
		));
	it('adds up with a discount spread over the lines', () => {
		const { vat, totalCents } = quote(
			[
				['sencha-100', 7],
				['tin', 3],
				['gift-10', 1],
			],
			'SPRING',
		);
		assert.equal(
			vat.reduce((sum, line) => sum + line.grossCents, 0),
			totalCents,
		);
	});
	it('refuses a country that we do not deliver to', () =>
		assert.throws(() => quote([['tin', 1]], undefined, 'US'), /do not deliver/));
});

describe('orders from JSON', () => {
	it('reads a good one', () =>
		assert.equal(
			parseOrder('{"country":"AT","items":[{"sku":"tin","quantity":1}]}').country,
			'AT',
		));
	for (const [text, reason] of [
		['{', /no valid JSON/],
		['null', /country/],
		['{"country":"DE","items":[]}', /no items/],
		['{"country":"DE","items":[{}],"coupon":"FREE"}', /not known/],
	] as const)
		it(`refuses ${text}`, () => assert.throws(() => parseOrder(text), reason));
	it('refuses half a pack', () => assert.throws(() => quote([['tin', 0.5]]), /whole number/));
});
