/** The conversation: a scrolling list that never takes the reader's position away. */
import { Component, createRef } from 'preact';
import type { ChatItem } from '../protocol/chat-item.ts';
import { EARLIER_COUNT_LIMIT, type ChatStatus } from '../protocol/panel.ts';
import { Notice } from './notice.tsx';
import type { LiveRun, QuestionView } from '../protocol/live-run.ts';
import { visibleText } from '../util/visible-text.ts';
import { commandItem, liveItem, openQuestion } from './live-items.ts';
import { Progress } from './progress.tsx';
import { Row } from './row.tsx';
import { ScrollKeeper, type ReadingPlace } from './scroll-keeper.ts';
import type { LiveAnswer } from './state.ts';
import { useSlice, useStore, type Store } from './store.ts';
import { Welcome } from './welcome.tsx';

export function Transcript() {
	return (
		<List
			store={useStore()}
			sessionId={useSlice((state) => state.session?.id ?? null)}
			items={useSlice((state) => state.items)}
			earlier={useSlice((state) => state.earlier)}
			loadingEarlier={useSlice((state) => state.loadingEarlier)}
			live={useSlice((state) => state.live)}
			runs={useSlice((state) => state.runs)}
			keys={useSlice((state) => state.keys)}
			activity={useSlice((state) => state.status.activity)}
			failure={useSlice((state) => state.status.failure)}
			progress={useSlice((state) => state.status.progress)}
		/>
	);
}

/** For rows with nothing at work, always the same one: it costs them no drawing. */
const NO_RUNS: readonly LiveRun[] = [];

interface Props {
	store: Store;
	sessionId: string | null;
	items: readonly ChatItem[];
	earlier: number;
	loadingEarlier: boolean;
	live: LiveAnswer | null;
	runs: readonly LiveRun[];
	keys: Readonly<Record<string, string>>;
	activity: ChatStatus['activity'];
	failure: ChatStatus['failure'];
	progress: ChatStatus['progress'];
}

class List extends Component<Props, { following: boolean }> {
	override state = { following: true };
	private readonly view = createRef<HTMLDivElement>();
	private keeper: ScrollKeeper | undefined;
	private measuring = false;

	override componentDidMount(): void {
		const view = this.view.current;
		if (!view) return;
		const { link } = this.props.store;
		this.keeper = new ScrollKeeper(
			view,
			(following) => this.setState({ following }),
			(place) => {
				const { sessionId } = this.props;
				link.save({ reading: place && { sessionId, ...place } });
			},
		);
		this.arrive();
	}

	override componentWillUnmount(): void {
		this.keeper?.dispose();
	}

	/** Before the page changes at its beginning, notes what is being read. */
	override getSnapshotBeforeUpdate(previous: Props): ReadingPlace | null {
		if (!this.keeper || this.keeper.following) return null;
		const sameStart = previous.items[0]?.id === this.props.items[0]?.id;
		if (sameStart || previous.sessionId !== this.props.sessionId) return null;
		// The browser keeps positions too, but not at the very top, and two corrections are one too many.
		if (this.view.current) this.view.current.classList.add('no-anchoring');
		return this.keeper.place() ?? null;
	}

	override componentDidUpdate(previous: Props, _: unknown, place: ReadingPlace | null): void {
		if (previous.sessionId !== this.props.sessionId) this.arrive();
		else if (place) {
			if (!this.keeper?.restore(place)) this.keeper?.jumpToEnd();
			requestAnimationFrame(() => this.view.current?.classList.remove('no-anchoring'));
		} else this.keeper?.follow();
		const asked = openQuestion(this.props.runs)?.requestId;
		if (asked !== undefined && asked !== openQuestion(previous.runs)?.requestId)
			this.showQuestion();
		if (this.keeper?.following) this.props.store.dispatch({ type: 'trim' });
		if (previous.items !== this.props.items) this.measure();
	}

	/** Lets the browser skip drawing what is far away, after it has learnt how high each item is. */
	private measure(): void {
		if (this.measuring) return;
		this.measuring = true;
		requestAnimationFrame(() =>
			requestAnimationFrame(() => {
				this.measuring = false;
				const fresh = this.view.current?.querySelectorAll('.item:not(.measured)') ?? [];
				for (const item of fresh) item.classList.add('measured');
			}),
		);
	}

	/** A session comes on show: back to where it was being read, or to its end. */
	private arrive(): void {
		const { reading } = this.props.store.link.view;
		if (reading?.sessionId === this.props.sessionId && this.keeper?.restore(reading)) return;
		this.keeper?.jumpToEnd();
	}

	private showQuestion(): void {
		const card = this.view.current?.querySelector<HTMLElement>('.question');
		if (card) this.keeper?.showStart(card);
	}

	/** Goes to the end, or to the question that waits there. */
	private jump(): void {
		this.keeper?.jumpToEnd();
		this.view.current?.querySelector<HTMLElement>('.question button')?.focus();
	}

	override render(props: Props, { following }: { following: boolean }) {
		const { store, items, live, runs, keys, activity, failure, progress } = props;
		const question = openQuestion(runs);
		const streaming = activity === 'streaming';
		const last = items.at(-1);
		// Calls at work are those of the newest answer.
		const newest = runs.length > 0 ? items.findLast(({ kind }) => kind === 'assistant') : undefined;
		const rows = items.map((item) => (
			<Row
				key={keys[item.id] ?? item.id}
				item={item}
				running={streaming && item === last}
				runs={item === newest ? runs : NO_RUNS}
				hideError={failure !== null && item === last}
			/>
		));
		// One list for both, so that an answer keeps its element when it is finished.
		if (live && live.parts.length > 0)
			rows.push(
				<Row key={live.key} item={liveItem(live)} running runs={NO_RUNS} hideError={false} />,
			);
		for (const run of runs)
			if (run.kind === 'command')
				rows.push(
					<Row key={run.id} item={commandItem(run)} running runs={runs} hideError={false} />,
				);
		return (
			<main class="transcript">
				<div
					class="scroll"
					ref={this.view}
					role="log"
					aria-label="Conversation"
					aria-live="off"
					aria-busy={streaming}
					tabIndex={0}
				>
					<div class="items">
						<Earlier {...props} />
						{rows.length === 0 && !live && <Welcome />}
						{rows}
						{failure && (
							<div key="failure" class="item">
								<Notice notice={failure} />
							</div>
						)}
						{progress ? (
							<Progress key="working" progress={progress} />
						) : (
							<Working key="working" text={working(activity, runs)} />
						)}
					</div>
				</div>
				{!following && (
					<button type="button" class="jump button" onClick={() => this.jump()}>
						{question ? 'Approval needed ↓' : 'Jump to latest ↓'}
					</button>
				)}
				<Announcer
					text={progress?.text ?? working(activity, runs)}
					question={question}
					failed={failure !== null}
					connected={store.state.seq !== null}
				/>
			</main>
		);
	}
}

function Earlier({ store, earlier, loadingEarlier }: Props) {
	if (earlier === 0) return null;
	const many = earlier >= EARLIER_COUNT_LIMIT ? 'more than 1,000' : `about ${earlier}`;
	return (
		<button
			key="earlier"
			type="button"
			class="earlier link"
			aria-disabled={loadingEarlier}
			onClick={() => store.dispatch({ type: 'loadEarlier' })}
		>
			{loadingEarlier ? 'Loading earlier messages…' : `Show earlier messages (${many})`}
		</button>
	);
}

const WORKING: Record<ChatStatus['activity'], string> = {
	idle: '',
	streaming: 'Answering…',
	compacting: 'Compacting the session…',
	navigating: 'Moving to another branch…',
	pruning: 'Pruning tool outputs…',
};

/** What is being done; empty where nothing is. */
function working(activity: ChatStatus['activity'], runs: readonly LiveRun[]): string {
	// The question speaks for itself.
	if (openQuestion(runs)) return '';
	if (runs.some(({ kind }) => kind === 'command')) return 'Running your command…';
	return WORKING[activity];
}

function Working({ text }: { text: string }) {
	if (!text) return null;
	return (
		<p class="working">
			<span class="pulse" aria-hidden="true" />
			{text}
		</p>
	);
}

/** Characters of a question that are read out; all of it is on its card. */
const ANNOUNCED = 300;

function announcement({ tool, text }: QuestionView): string {
	const said = visibleText(text);
	return `Approval needed for ${tool}: ${said.length > ANNOUNCED ? `${said.slice(0, ANNOUNCED)}…` : said}`;
}

/** Tells a screen reader what changed, once; the streaming text itself is not read out. */
function Announcer(props: {
	text: string;
	question: QuestionView | null;
	failed: boolean;
	connected: boolean;
}) {
	const { text, question, failed, connected } = props;
	const said = question ? announcement(question) : text || (failed ? '' : 'Ready.');
	return (
		<p class="announcer" role="status">
			{connected ? said : ''}
		</p>
	);
}
