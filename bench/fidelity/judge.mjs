// Judges a summary by the facts of the session: what is there, what is lost, what is told as if it held.
import { COMPACTIONS, replay } from './replay.mjs';

const FILE_TAGS = /<(read-files|modified-files)>[\s\S]*?<\/\1>/g;
/** Where a fact that is none any more must not stand without a word that says so. */
const CURRENT = {
	constraint: /^goal|^constraints|^context for the rest|^original request/i,
	item: /^goal|^constraints|^context for the rest|^original request/i,
	error: /^blocked/i,
	step: /^next steps|^in progress/i,
};
const SAYS_SO =
	/withdrawn|no longer|superseded|replaced|changed later|earlier|formerly|was:|over\b/i;

const withoutFileTags = (summary) => summary.replace(FILE_TAGS, '').trimEnd();

/** Facts that a summary of the first `covered` entries knows of, split by whether they still hold. */
export function factsAt(facts, covered) {
	const known = facts.filter(({ from }) => from < covered);
	const isOver = ({ until }) => until !== undefined && until < covered;
	return { holding: known.filter((fact) => !isOver(fact)), ended: known.filter(isOver) };
}

/** True where one bullet of `text`, wrapped lines included, holds all keys of the fact. */
function isIn(text, { keys }) {
	return bulletsOf(text).some((line) => holdsAll(line, keys));
}

export function holdsAll(text, keys) {
	const lower = text.toLowerCase();
	return keys.every((key) => lower.includes(key.toLowerCase()));
}

function bulletsOf(text) {
	const bullets = [];
	for (const line of text.split('\n'))
		if (/^\s+\S/.test(line) && bullets.length > 0) bullets[bullets.length - 1] += ` ${line.trim()}`;
		else bullets.push(line);
	return bullets;
}

/** Ended facts that the summary tells as holding. */
function toldAsHolding(summary, ended) {
	const sections = [];
	for (const line of withoutFileTags(summary).split('\n')) {
		const heading = /^#+\s+(.*)/.exec(line);
		if (heading) sections.push({ heading: heading[1], text: '' });
		else if (sections.length > 0) sections.at(-1).text += `${line}\n`;
	}
	return ended.filter(({ kind, keys }) =>
		sections.some(
			({ heading, text }) =>
				CURRENT[kind]?.test(heading) &&
				bulletsOf(text).some((line) => holdsAll(line, keys) && !SAYS_SO.test(line)),
		),
	);
}

/** What `details` must say after the first `covered` entries, by the spec's rule. */
function fileLists(fileCalls, covered) {
	const made = fileCalls.filter(({ entry }) => entry < covered);
	const paths = (isWanted) => [...new Set(made.filter(isWanted).map(({ path }) => path))].sort();
	const modifiedFiles = paths(({ name }) => name === 'write' || name === 'edit');
	const modified = new Set(modifiedFiles);
	const readFiles = paths(({ name, path }) => name === 'read' && !modified.has(path));
	return { readFiles, modifiedFiles };
}

/** The verdict on the last of a session's compactions; sizes are of them all, without file tags. */
function judge(core, session, compactions) {
	const { result, covered } = compactions.at(-1);
	const { holding, ended } = factsAt(session.facts, covered);
	const text = withoutFileTags(result.summary);
	const { readFiles, modifiedFiles } = result.details;
	// The tags in the summary name the first hundred files only; `details` is where they all are.
	const files = [...readFiles, ...modifiedFiles].join('\n');
	const lost = holding.filter((fact) => !isIn(fact.kind === 'file' ? files : text, fact));
	const wanted = fileLists(session.fileCalls, covered);
	const tokensOf = (content) => core.estimateTokens({ role: 'user', content, timestamp: 0 });
	return {
		must: share(holding, lost, true),
		nice: share(holding, lost, false),
		lost,
		stale: toldAsHolding(result.summary, ended),
		tokens: compactions.map((each) => tokensOf(withoutFileTags(each.result.summary))),
		filesExact: JSON.stringify({ readFiles, modifiedFiles }) === JSON.stringify(wanted),
	};
}

/** Compacts a session five times and judges the last summary; undefined where it is too short for it. */
export async function measure(core, session, summarizer) {
	const compactions = [];
	for await (const compaction of replay(core, session.entries, summarizer))
		compactions.push(compaction);
	return compactions.length < COMPACTIONS ? undefined : judge(core, session, compactions);
}

function share(holding, lost, isMust) {
	const all = holding.filter((fact) => fact.isMust === isMust).length;
	return { all, kept: all - lost.filter((fact) => fact.isMust === isMust).length };
}
