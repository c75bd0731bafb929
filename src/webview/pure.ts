/** Components that are drawn anew only when one of their props has changed. */
import { h, type Component, type ComponentChildren, type FunctionComponent } from 'preact';

function differ(a: object, b: object): boolean {
	const before = a as Record<string, unknown>;
	const after = b as Record<string, unknown>;
	for (const key in before) if (!(key in after)) return true;
	for (const key in after) if (!Object.is(before[key], after[key])) return true;
	return false;
}

/** Wraps a component so that equal props (compared one by one) skip it and all below it. */
export function pure<P extends object>(
	component: (props: P) => ComponentChildren,
): FunctionComponent<P> {
	return function Pure(this: Component<P>, props: P) {
		this.shouldComponentUpdate = (next) => differ(this.props, next);
		return h(component as FunctionComponent<P>, props);
	} as FunctionComponent<P>;
}
