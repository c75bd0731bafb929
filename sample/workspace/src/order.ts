/** Prices an order: lines, discount, VAT, total. Pure; the catalogue is passed in. */
import type { Catalog, Category } from './catalog.ts';
import { discountFor, type Discount } from './discount.ts';
import type { Cents } from './money.ts';
import { vatFor, type VatLine } from './vat.ts';

export interface Order {
	country: string;
	items: { sku: string; quantity: number }[];
	coupon?: string;
}

export interface PricedLine {
	sku: string;
	name: string;
	category: Category;
	quantity: number;
	grossCents: Cents;
}

export interface Quote {
	lines: PricedLine[];
	discount: Discount;
	vat: VatLine[];
	totalCents: Cents;
}

/** Takes `cents` off the discountable lines in proportion; the last of them takes the remainder. */
function spread(
	lines: readonly PricedLine[],
	cents: Cents,
): { category: Category; grossCents: Cents }[] {
	const base = lines.reduce(
		(sum, line) => sum + (line.category === 'gift' ? 0 : line.grossCents),
		0,
	);
	let left = cents;
	let baseLeft = base;
	return lines.map(({ category, grossCents }) => {
		if (category === 'gift' || baseLeft === 0) return { category, grossCents };
		const part = Number((BigInt(left) * BigInt(grossCents)) / BigInt(baseLeft));
		left -= part;
		baseLeft -= grossCents;
		return { category, grossCents: grossCents - part };
	});
}

export function priceOrder(order: Order, catalog: Catalog): Quote {
	const lines = order.items.map(({ sku, quantity }): PricedLine => {
		const product = catalog.find(sku);
		if (!product) throw new RangeError(`There is no product "${sku}".`);
		if (!Number.isInteger(quantity) || quantity < 1 || quantity > 500)
			throw new RangeError(`The quantity of "${sku}" must be a whole number from 1 to 500.`);
		return {
			sku,
			name: product.name,
			category: product.category,
			quantity,
			grossCents: product.priceCents * quantity,
		};
	});
	const discount = discountFor(lines, order.coupon);
	const vat = vatFor(order.country, spread(lines, discount.cents));
	const gross = lines.reduce((sum, line) => sum + line.grossCents, 0);
	return { lines, discount, vat, totalCents: gross - discount.cents };
}
