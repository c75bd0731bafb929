/** Compactions and branch summaries: what they did at a glance, the whole summary on request. */
import type { ComponentChildren } from 'preact';
import type {
	BranchSummaryItem,
	CompactionItem,
	FileLists,
	ShownText,
} from '../../protocol/chat-item.ts';
import { plural, tokenChange } from '../format.ts';
import { useStore } from '../store.ts';
import { Fold } from './fold.tsx';
import { MarkdownText } from './shown-text.tsx';

export function Compaction({ item }: { item: CompactionItem }) {
	const facts = [tokenChange(item.tokensBefore, item.tokensAfter), madeBy(item.summarizer)];
	return (
		<Card
			id={item.id}
			title="Compacted"
			facts={facts}
			short={item.shortSummary}
			summary={item.summary}
			files={item.files}
		/>
	);
}

export function BranchSummary({ item }: { item: BranchSummaryItem }) {
	const { post } = useStore();
	const { fromId, coveredEntries } = item;
	const covered =
		coveredEntries === null ? '' : `covers ${plural(coveredEntries, 'entry', 'entries')}`;
	return (
		<Card
			id={item.id}
			title="Branch summary"
			facts={[covered, madeBy(item.summarizer)]}
			short={null}
			summary={item.summary}
			files={item.files}
		>
			{fromId && (
				<button type="button" class="link" onClick={() => post({ type: 'openEntry', id: fromId })}>
					Show where the branch ended
				</button>
			)}
		</Card>
	);
}

function madeBy(summarizer: string | null): string {
	if (summarizer === null) return '';
	return summarizer === 'offline' ? 'made offline' : `by ${summarizer}`;
}

interface CardProps {
	id: string;
	title: string;
	facts: string[];
	short: string | null;
	summary: ShownText;
	files: FileLists;
	children?: ComponentChildren;
}

function Card({ id, title, facts, short, summary, files, children }: CardProps) {
	return (
		<div class="card">
			<h2 class="card-title">{title}</h2>
			<p class="quiet">{facts.filter(Boolean).join(' · ')}</p>
			{short && <p>{short}</p>}
			<Fold id={id} summary="Full summary">
				<MarkdownText shown={summary} entryId={id} />
				<Files files={files} />
				{children}
			</Fold>
		</div>
	);
}

function Files({ files }: { files: FileLists }) {
	const { modified, read, more } = files;
	if (modified.length + read.length === 0) return null;
	return (
		<div class="files">
			<FileList title="Modified" paths={modified} />
			<FileList title="Read" paths={read} />
			{more > 0 && <p class="quiet">{`and ${plural(more, 'more file')}`}</p>}
		</div>
	);
}

function FileList({ title, paths }: { title: string; paths: string[] }) {
	if (paths.length === 0) return null;
	return (
		<>
			<h3>{title}</h3>
			<ul>
				{paths.map((path) => (
					<li key={path}>
						<code>{path}</code>
					</li>
				))}
			</ul>
		</>
	);
}
