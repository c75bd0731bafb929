/** Owns reading a summary, ours or a model's, back into an outline. */
import { parseListLine } from './lists.ts';
import { emptyOutline, type Outline } from './outline.ts';
import { parseFailure, readCriticalLine } from './critical-context.ts';
import {
	EARLIER_SEPARATOR,
	LABELS,
	NONE,
	OFFLINE_MARK,
	OUTCOME_ARROW,
	SO_FAR,
	sectionNamed,
	type SectionName,
} from './sections.ts';
import { clip, headAndTail, linesOf, plainLine } from './text.ts';

/** A line of a model's summary may say much; this is as much as is carried on. */
const LINE_CHARS = 600;
const LISTING_CHARS = 20_000;
const FOREIGN_LINE_CHARS = 220;
const LINES_PER_FOREIGN_SECTION = 10;
/** File tags hold what `details` holds too; a caller should have stripped them. */
const FILE_TAGS = /<(read-files|modified-files|files)>[\s\S]*?<\/\1>/g;

interface Bullet {
	text: string;
	/** undefined: no checkbox. */
	checked: boolean | undefined;
}

interface Section {
	heading: string;
	name: SectionName | undefined;
	bullets: Bullet[];
}

/** Reads a summary in our format. Text outside known sections becomes notes, so that nothing is lost. */
export function parseSummary(summary: string): Outline {
	const outline = emptyOutline();
	for (const section of sectionsOf(headAndTail(summary, 80_000, 20_000).replace(FILE_TAGS, ''))) {
		if (section.name === undefined) {
			const prefix = section.heading ? `${section.heading}: ` : '';
			for (const { text } of section.bullets.slice(0, LINES_PER_FOREIGN_SECTION))
				readCriticalLine(outline, clip(text, FOREIGN_LINE_CHARS), prefix);
		} else for (const bullet of section.bullets) addBullet(outline, section.name, bullet);
	}
	return outline;
}

function sectionsOf(text: string): Section[] {
	const sections: Section[] = [{ heading: '', name: undefined, bullets: [] }];
	let fence = false;
	for (const raw of linesOf(text)) {
		if (/^\s*(?:```|~~~)/.test(raw)) {
			fence = !fence;
			continue;
		}
		const heading = fence
			? null
			: (/^#{1,4}\s+(.+?)\s*#*$/.exec(raw.slice(0, LINE_CHARS)) ??
				/^\*\*([^*]{3,60}?):?\*\*:?$/.exec(raw.trim()));
		if (heading) {
			const title = clip(plainLine(heading[1]!), 60);
			// "Turn Context (split turn):" is no section of its own, the ones below it are.
			sections.push({
				heading: /^turn context/i.test(title) ? '' : title,
				name: sectionNamed(title),
				bullets: [],
			});
			continue;
		}
		if (/^\s*(?:[-=*_]{3,})?\s*$/.test(raw) || raw.startsWith(OFFLINE_MARK)) continue;
		addLine(sections.at(-1)!, raw);
	}
	return sections;
}

function addLine(section: Section, raw: string): void {
	const marker = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+/.exec(raw);
	const box = /^\s*(?:[-*+•]\s+)?\[([ xX])\]\s/.exec(raw);
	const text = plainLine(marker ? raw.slice(marker[0].length) : raw);
	if (text === '' || text === NONE || /^\(?(?:none|n\/a)[^\p{L}]*$/iu.test(text)) return;
	const last = section.bullets.at(-1);
	const nested = /^(?:\t|\s{2,})/.test(raw);
	if (nested && last && last.text.length < LINE_CHARS) {
		last.text = clip(`${last.text}${/[:;.,]$/.test(last.text) ? '' : ';'} ${text}`, LINE_CHARS);
		return;
	}
	// Our lines of many entries are as long as these need; what they hold is bounded where it is used.
	const listing =
		/^List of \d+/.test(text) || Object.values(LABELS).some((label) => text.startsWith(label));
	const whole = clip(text, listing ? LISTING_CHARS : LINE_CHARS);
	section.bullets.push({ text: whole, checked: box ? box[1] !== ' ' : undefined });
}

function turnOf(text: string, separator: string): { request: string; outcome: string } {
	const at = text.indexOf(separator);
	if (at < 0)
		return separator === SO_FAR ? { request: text, outcome: '' } : { request: '', outcome: text };
	return { request: text.slice(0, at), outcome: text.slice(at + separator.length) };
}

function after(text: string, label: string): string | undefined {
	return text.startsWith(label) ? text.slice(label.length).trim() : undefined;
}

function addBullet(outline: Outline, name: SectionName, { text, checked }: Bullet): void {
	const list = parseListLine(text);
	if (list) {
		outline.lists.push(list);
		return;
	}
	switch (name) {
		case 'goals':
			// The latest request is in Progress too, and the focus was that summary's own.
			if (after(text, LABELS.latest) === undefined && after(text, LABELS.focus) === undefined)
				outline.goals.push(text);
			break;
		case 'constraints':
			outline.constraints.push(text);
			break;
		case 'done':
		case 'earlyProgress':
			addDone(outline, text, checked);
			break;
		case 'inProgress':
		case 'originalRequest':
			outline.inProgress.push(turnOf(text, SO_FAR));
			break;
		case 'blocked': {
			outline.blocked.push(parseFailure(text));
			break;
		}
		case 'decisions': {
			const withdrawn = after(text, LABELS.withdrawn);
			if (withdrawn === undefined) outline.decisions.push(text);
			else outline.withdrawn.push(withdrawn);
			break;
		}
		case 'nextSteps':
			// Ours are made anew from what is in progress and blocked.
			if (!/^(?:Continue|Resolve|Waiting for the user):/.test(text)) outline.nextSteps.push(text);
			break;
		case 'critical':
		case 'restContext':
			readCriticalLine(outline, text, '');
			break;
	}
}

function addDone(outline: Outline, text: string, checked: boolean | undefined): void {
	const earlier = after(text, LABELS.earlier);
	if (earlier !== undefined) {
		for (const request of earlier.split(EARLIER_SEPARATOR))
			outline.done.push({ request, outcome: '', small: true });
	} else if (text.startsWith(LABELS.small))
		outline.done.push({
			...turnOf(text.slice(LABELS.small.length).trim(), OUTCOME_ARROW),
			small: true,
		});
	else if (checked === false) outline.inProgress.push(turnOf(text, SO_FAR));
	else if (Object.values(LABELS).some((label) => text.startsWith(label)))
		readCriticalLine(outline, text, '');
	else outline.done.push(turnOf(text, OUTCOME_ARROW));
}
