/** What an order gets off. Volume and coupon do not add up: the better one counts, up to the cap. */
import { share, type BasisPoints, type Cents } from './money.ts';
import type { PricedLine } from './order.ts';

/** Packs of the same product, most first, and the rate off each of them. */
const VOLUME: readonly (readonly [packs: number, rate: BasisPoints])[] = [
	[12, 1500],
	[6, 1000],
	[3, 500],
];

type Coupon = { rate: BasisPoints } | { amount: Cents; minimum: Cents };

const COUPONS: Readonly<Record<string, Coupon>> = {
	SPRING: { rate: 800 },
	TASTING: { amount: 500, minimum: 2500 },
};

/** No order gets more than this off, whatever the rules say. */
const CAP: BasisPoints = 4000;

export interface Discount {
	cents: Cents;
	reason: 'none' | 'volume' | 'coupon';
}

function volumeDiscount(lines: readonly PricedLine[]): Cents {
	let total = 0;
	for (const line of lines) {
		const step = VOLUME.find(([packs]) => line.quantity >= packs);
		if (step && line.category === 'leaf') total += share(line.grossCents, step[1]);
	}
	return total;
}

function couponDiscount(code: string | undefined, base: Cents): Cents {
	const coupon = code === undefined ? undefined : COUPONS[code.trim().toUpperCase()];
	if (!coupon) return 0;
	if ('rate' in coupon) return share(base, coupon.rate);
	return base >= coupon.minimum ? coupon.amount : 0;
}

/** The better of the two, never on gift cards, never above the cap. */
export function discountFor(lines: readonly PricedLine[], coupon?: string): Discount {
	const base = lines.reduce(
		(sum, line) => sum + (line.category === 'gift' ? 0 : line.grossCents),
		0,
	);
	const volume = volumeDiscount(lines);
	const code = couponDiscount(coupon, base);
	const cents = Math.min(Math.max(volume, code), share(base, CAP));
	if (cents === 0) return { cents: 0, reason: 'none' };
	return { cents, reason: code > volume ? 'coupon' : 'volume' };
}

/** True where the code is one of ours, in any case. */
export function isCoupon(code: string): boolean {
	return code.trim().toUpperCase() in COUPONS;
}
