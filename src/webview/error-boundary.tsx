/** Catches what a component throws, so that one bad item or a bug never blanks the whole panel. */
import { Component, type ComponentChildren } from 'preact';
import { StoreContext, type Store } from './store.ts';

interface Props {
	/** What is shown instead. */
	fallback: ComponentChildren;
	children: ComponentChildren;
}

export class ErrorBoundary extends Component<Props, { failed: boolean }> {
	static override contextType = StoreContext;
	override state = { failed: false };

	override componentDidCatch(error: unknown): void {
		const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
		(this.context as Store).post({ type: 'problem', message: message.slice(0, 4000) });
		this.setState({ failed: true });
	}

	override render({ fallback, children }: Props) {
		return this.state.failed ? fallback : children;
	}
}
