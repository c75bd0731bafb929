/** Amounts are integer cents; rates are basis points (1 % = 100). Nothing here makes a float. */

export type Cents = number;
export type BasisPoints = number;

/** Throws on anything that is no safe integer, so that a float never gets further than here. */
export function assertCents(amount: number, what: string): Cents {
	if (!Number.isSafeInteger(amount))
		throw new RangeError(`${what} is no integer number of cents: ${amount}`);
	return amount;
}

/** `amount` times `rate`, rounded half up, away from zero for negative amounts. */
export function share(amount: Cents, rate: BasisPoints): Cents {
	const scaled = BigInt(amount) * BigInt(rate);
	const sign = scaled < 0n ? -1n : 1n;
	return Number(sign * ((sign * scaled + 5_000n) / 10_000n));
}

/** 1234 becomes "12.34". */
export function formatCents(amount: Cents): string {
	const digits = String(Math.abs(amount)).padStart(3, '0');
	return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
