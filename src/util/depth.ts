/** How deep a value may be nested: writing one that is deeper as JSON fails for want of stack. */

/** Levels below a call's arguments; no tool takes nearly as many. */
export const DEEPEST_ARGUMENTS = 200;

/** True where there is something in `value` at more than so many levels. */
export function isDeeperThan(levels: number, value: object): boolean {
	for (const field of Object.values(value) as unknown[]) {
		if (typeof field !== 'object' || field === null) continue;
		if (levels === 0 || isDeeperThan(levels - 1, field)) return true;
	}
	return false;
}
