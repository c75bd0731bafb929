/** The page's layout: header, conversation, what a person should know, composer. */
import { Composer } from './composer.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Notice } from './notice.tsx';
import { StoreContext, useSlice, useStore, type Store } from './store.ts';
import { Transcript } from './transcript.tsx';
import { Queue } from './welcome.tsx';

export function App({ store }: { store: Store }) {
	return (
		<StoreContext.Provider value={store}>
			<ErrorBoundary fallback={<Broken />}>
				<Header />
				<Transcript />
				<Notices />
				<Queue />
				<Composer />
			</ErrorBoundary>
		</StoreContext.Provider>
	);
}

function Notices() {
	const notices = useSlice((state) => state.status.notices);
	if (notices.length === 0) return null;
	return (
		<section class="notices" aria-label="Notices">
			{notices.map((notice) => (
				<Notice key={notice.message} notice={notice} />
			))}
		</section>
	);
}

function Broken() {
	const { post } = useStore();
	return (
		<div class="notice error" role="alert">
			<p class="notice-message">The chat view has failed. The session itself is not affected.</p>
			<div class="actions">
				<button type="button" class="button" onClick={() => post({ type: 'reload' })}>
					Reload view
				</button>
			</div>
		</div>
	);
}
