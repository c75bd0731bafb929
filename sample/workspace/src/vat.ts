/** VAT contained in gross amounts, by country and category; rounded once per rate, never per line. */
import type { Category } from './catalog.ts';
import type { BasisPoints, Cents } from './money.ts';

const RATES: Readonly<Record<string, Readonly<Record<Category, BasisPoints>>>> = {
	DE: { leaf: 700, teaware: 1900, gift: 0 },
	AT: { leaf: 1000, teaware: 2000, gift: 0 },
	FR: { leaf: 550, teaware: 2000, gift: 0 },
	NL: { leaf: 900, teaware: 2100, gift: 0 },
	BE: { leaf: 600, teaware: 2100, gift: 0 },
	IE: { leaf: 0, teaware: 2300, gift: 0 },
};

export interface VatLine {
	rate: BasisPoints;
	grossCents: Cents;
	vatCents: Cents;
}

export function isCountry(country: string): boolean {
	return Object.hasOwn(RATES, country);
}

/** The part of a gross amount that is VAT, rounded half up. */
export function containedVat(gross: Cents, rate: BasisPoints): Cents {
	const divisor = BigInt(10_000 + rate);
	return Number((BigInt(gross) * BigInt(rate) * 2n + divisor) / (divisor * 2n));
}

/** One line for each rate in use, lowest rate first. */
export function vatFor(
	country: string,
	amounts: readonly { category: Category; grossCents: Cents }[],
): VatLine[] {
	const rates = Object.hasOwn(RATES, country) ? RATES[country] : undefined;
	if (!rates) throw new RangeError(`We do not deliver to ${country}.`);
	const byRate = new Map<BasisPoints, Cents>();
	for (const { category, grossCents } of amounts) {
		const rate = rates[category];
		byRate.set(rate, (byRate.get(rate) ?? 0) + grossCents);
	}
	return [...byRate]
		.sort(([one], [other]) => one - other)
		.map(([rate, grossCents]) => ({ rate, grossCents, vatCents: containedVat(grossCents, rate) }));
}
