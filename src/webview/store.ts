/** The page's one state holder, and a hook through which a component sees just its slice of it. */
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useReducer } from 'preact/hooks';
import type { ViewMessageBody } from '../protocol/panel.ts';
import { initialState, update, type ViewEvent, type ViewState } from './state.ts';
import type { VsCodeLink } from './vscode-api.ts';

export class Store {
	state: ViewState = initialState;
	readonly link: VsCodeLink;
	/** The frame that draws what has streamed in; 0 where none is due. */
	private frame = 0;
	private readonly listeners = new Set<() => void>();

	constructor(link: VsCodeLink) {
		this.link = link;
	}

	readonly dispatch = (event: ViewEvent): void => {
		const next = update(this.state, event);
		const changed = next.state !== this.state;
		this.state = next.state;
		for (const message of next.send) this.link.post(message);
		if (!changed) return;
		// More text than can be drawn is drawn once a frame; everything else is shown at once.
		const streams = event.type === 'host' && ['delta', 'output'].includes(event.message.type);
		if (streams) this.frame ||= requestAnimationFrame(this.notify);
		else this.notify();
	};

	private readonly notify = (): void => {
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		for (const listener of [...this.listeners]) listener();
	};

	readonly post = (message: ViewMessageBody): void => this.link.post(message);

	subscribe(listener: () => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}
}

export const StoreContext = createContext<Store>(null as unknown as Store);

export function useStore(): Store {
	return useContext(StoreContext);
}

/** Renders the component anew only when what `select` picks has changed. */
export function useSlice<T>(select: (state: ViewState) => T): T {
	const store = useStore();
	const [, render] = useReducer((count: number, _: undefined) => count + 1, 0);
	const picked = select(store.state);
	useLayoutEffect(() => {
		let last = picked;
		const check = () => {
			const now = select(store.state);
			if (Object.is(now, last)) return;
			last = now;
			render(undefined);
		};
		// What changed between drawing and subscribing is caught up with.
		check();
		return store.subscribe(check);
	}, [store]);
	return picked;
}
