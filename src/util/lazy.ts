/** Values that are computed when they are first read, and once. */

export function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => (made ??= { value: make() }).value;
}

/**
 * Adds properties to `target`, each made by a function that is called once, at the first read. They are
 * enumerable and can be assigned, so that copies, comparisons and JSON see them as any other.
 */
export function withLazy<T extends object, L extends object>(
	target: T,
	makers: { [K in keyof L]: () => L[K] },
): T & L {
	for (const name of Object.keys(makers) as (keyof L)[]) {
		let read = once(makers[name]);
		Object.defineProperty(target, name, {
			enumerable: true,
			configurable: true,
			get: () => read(),
			set: (value: L[keyof L]) => {
				read = () => value;
			},
		});
	}
	return target as T & L;
}
