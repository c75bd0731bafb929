/** A count for people: rounded up, with its thousands parted ("12,345"). */
export function wholeNumber(value: number): string {
	return Math.ceil(value).toLocaleString('en');
}
