/**
 * Owns the plan of the changes that the session makes to the sample, oldest first. `isNew` is a whole
 * file; `from` and `to` mark a block of the final text that the change added; otherwise `newText`
 * replaced `oldText`.
 */
const NEW_BODY = `	const base = lines.reduce(
		(sum, line) => sum + (line.category === 'gift' ? 0 : line.grossCents),
		0,
	);
	const volume = volumeDiscount(lines);
	const code = couponDiscount(coupon, base);
	const cents = Math.min(Math.max(volume, code), share(base, CAP));
	if (cents === 0) return { cents: 0, reason: 'none' };
	return { cents, reason: code > volume ? 'coupon' : 'volume' };
`;
const OLD_BODY = `	const cents = volumeDiscount(lines);
	return cents === 0 ? { cents: 0, reason: 'none' } : { cents, reason: 'volume' };
`;

export const CHANGES = [
	// Volume discounts.
	{ name: 'discount module', path: 'src/discount.ts', isNew: true },
	{
		name: 'test: import discount',
		path: 'test/order.test.ts',
		from: 'import { discountFor }',
		to: 'import { formatCents',
	},
	{
		name: 'order: import discount',
		path: 'src/order.ts',
		oldText: "import type { Cents } from './money.ts';",
		newText:
			"import { discountFor, type Discount } from './discount.ts';\nimport type { Cents } from './money.ts';",
	},
	{
		name: 'order: quote has discount',
		path: 'src/order.ts',
		oldText: '	lines: PricedLine[];\n	totalCents',
		newText: '	lines: PricedLine[];\n	discount: Discount;\n	totalCents',
	},
	{
		name: 'order: apply discount',
		path: 'src/order.ts',
		oldText:
			'	const gross = lines.reduce((sum, line) => sum + line.grossCents, 0);\n	return { lines, totalCents: gross };',
		newText:
			'	const discount = discountFor(lines);\n	const gross = lines.reduce((sum, line) => sum + line.grossCents, 0);\n	return { lines, discount, totalCents: gross - discount.cents };',
	},
	{ name: 'test: volume', path: 'test/order.test.ts', from: "\ndescribe('discounts'" },
	{
		name: 'discount: leaf only',
		path: 'src/discount.ts',
		oldText: 'if (step) total',
		newText: "if (step && line.category === 'leaf') total",
	},
	// Coupons.
	{
		name: 'discount: coupon table',
		path: 'src/discount.ts',
		from: 'type Coupon =',
		to: 'export interface Discount',
	},
	{
		name: 'discount: coupon amount',
		path: 'src/discount.ts',
		from: 'function couponDiscount',
		to: '/** By volume',
	},
	{
		name: 'discount: better of two',
		path: 'src/discount.ts',
		oldText: OLD_BODY,
		newText: NEW_BODY,
	},
	{
		name: 'discount: doc',
		path: 'src/discount.ts',
		oldText: '/** By volume, see the README. */',
		newText: '/** The better of the two, never on gift cards, never above the cap. */',
	},
	{
		name: 'discount: header',
		path: 'src/discount.ts',
		oldText: '/** What an order gets off, so far by volume only. */',
		newText:
			'/** What an order gets off. Volume and coupon do not add up: the better one counts, up to the cap. */',
	},
	{
		name: 'discount: signature',
		path: 'src/discount.ts',
		oldText: '(lines: readonly PricedLine[]): Discount {',
		newText: '(lines: readonly PricedLine[], coupon?: string): Discount {',
	},
	{
		name: 'order: pass coupon',
		path: 'src/order.ts',
		oldText: 'discountFor(lines);',
		newText: 'discountFor(lines, order.coupon);',
	},
	{
		name: 'order: coupon field',
		path: 'src/order.ts',
		oldText: 'quantity: number }[];\n}',
		newText: 'quantity: number }[];\n	coupon?: string;\n}',
	},
	{ name: 'test: coupons', path: 'test/order.test.ts', from: "	it('coupon: a rate'", to: '\n});' },
	// VAT.
	{ name: 'vat module', path: 'src/vat.ts', isNew: true },
	{
		name: 'order: import vat',
		path: 'src/order.ts',
		oldText: "from './money.ts';\n\nexport interface Order {",
		newText:
			"from './money.ts';\nimport { vatFor, type VatLine } from './vat.ts';\n\nexport interface Order {",
	},
	{
		name: 'order: quote has vat',
		path: 'src/order.ts',
		oldText: '	discount: Discount;\n	totalCents',
		newText: '	discount: Discount;\n	vat: VatLine[];\n	totalCents',
	},
	{
		name: 'order: spread',
		path: 'src/order.ts',
		from: '/** Takes `cents` off',
		to: 'export function priceOrder',
	},
	{
		name: 'order: apply vat',
		path: 'src/order.ts',
		oldText:
			'	const gross = lines.reduce((sum, line) => sum + line.grossCents, 0);\n	return { lines, discount, totalCents',
		newText:
			'	const vat = vatFor(order.country, spread(lines, discount.cents));\n	const gross = lines.reduce((sum, line) => sum + line.grossCents, 0);\n	return { lines, discount, vat, totalCents',
	},
	{
		name: 'test: import vat',
		path: 'test/order.test.ts',
		from: 'import { containedVat',
		to: '\n\nconst catalog',
	},
	{ name: 'test: vat', path: 'test/order.test.ts', from: "\ndescribe('VAT'" },
	{
		name: 'order: spread keeps the remainder',
		path: 'src/order.ts',
		oldText: '		const part = Number((BigInt(cents) * BigInt(grossCents)) / BigInt(base));\n		return {',
		newText:
			'		const part = Number((BigInt(left) * BigInt(grossCents)) / BigInt(baseLeft));\n		left -= part;\n		baseLeft -= grossCents;\n		return {',
	},
	{
		name: 'order: spread state',
		path: 'src/order.ts',
		oldText:
			"	return lines.map(({ category, grossCents }) => {\n		if (category === 'gift' || base === 0)",
		newText:
			"	let left = cents;\n	let baseLeft = base;\n	return lines.map(({ category, grossCents }) => {\n		if (category === 'gift' || baseLeft === 0)",
	},
	// The quote over HTTP.
	{
		name: 'server: imports',
		path: 'src/server.ts',
		oldText: "import { formatCents } from './money.ts';\n",
		newText:
			"import { formatCents } from './money.ts';\nimport { priceOrder, type Order } from './order.ts';\nimport { isCountry } from './vat.ts';\n",
	},
	{
		name: 'server: read orders',
		path: 'src/server.ts',
		from: 'async function bodyOf',
		to: 'export function createHandler',
	},
	{
		name: 'server: quote route',
		path: 'src/server.ts',
		oldText: '				send(response, 200, catalog.all());\n			else send',
		newText:
			"				send(response, 200, catalog.all());\n			else if (request.method === 'POST' && request.url === '/quote') {\n				const quote = priceOrder(parseOrder(await bodyOf(request)), catalog);\n				send(response, 200, { ...quote, total: formatCents(quote.totalCents) });\n			} else send",
	},
	{
		name: 'test: import server',
		path: 'test/order.test.ts',
		from: 'import { parseOrder',
		to: 'import { containedVat',
	},
	{ name: 'test: orders', path: 'test/order.test.ts', from: "\ndescribe('orders from JSON'" },
	{
		name: 'server: limit',
		path: 'src/server.ts',
		oldText: "vat.ts';\n\nfunction send",
		newText: "vat.ts';\n\nconst MOST_BYTES = 64 * 1024;\n\nfunction send",
	},
	{
		name: 'server: bounded body',
		path: 'src/server.ts',
		oldText:
			'	const chunks: Buffer[] = [];\n	for await (const chunk of request) chunks.push(chunk as Buffer);\n',
		newText:
			"	const chunks: Buffer[] = [];\n	let size = 0;\n	for await (const chunk of request) {\n		size += (chunk as Buffer).length;\n		if (size > MOST_BYTES) throw new RangeError('The order is too large.');\n		chunks.push(chunk as Buffer);\n	}\n",
	},
	{
		name: 'vat: own keys only',
		path: 'src/vat.ts',
		oldText: 'const rates = RATES[country];',
		newText: 'const rates = Object.hasOwn(RATES, country) ? RATES[country] : undefined;',
	},
	{
		name: 'vat: isCountry',
		path: 'src/vat.ts',
		oldText: 'return country in RATES;',
		newText: 'return Object.hasOwn(RATES, country);',
	},
	{
		name: 'discount: any case',
		path: 'src/discount.ts',
		oldText: 'COUPONS[code];',
		newText: 'COUPONS[code.trim().toUpperCase()];',
	},
	{ name: 'discount: isCoupon', path: 'src/discount.ts', from: '\n/** True where the code' },
	{
		name: 'server: import isCoupon',
		path: 'src/server.ts',
		oldText: "import { formatCents } from './money.ts';",
		newText: "import { isCoupon } from './discount.ts';\nimport { formatCents } from './money.ts';",
	},
	{
		name: 'server: unknown coupon',
		path: 'src/server.ts',
		from: '	if (value.coupon !== undefined',
		to: '	return value as Order',
	},
	{ name: 'readme', path: 'README.md', from: '\n## Discounts' },
];
