/** Makes seen what a text hides: control characters, reordering, blanks that are no spaces. */

export interface VisiblePart {
	text: string;
	/** True where `text` stands for a character that would not be seen. */
	hidden: boolean;
}

/** All but line ends and tabs: what moves, reorders or vanishes, and blanks that look like a space. */
const HIDDEN =
	/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const KEPT = new Set(['\n', '\t']);

/** The text in pieces, each hidden character replaced by a name that is seen. */
export function visibleParts(text: string): VisiblePart[] {
	const parts: VisiblePart[] = [];
	let end = 0;
	for (const { 0: character, index } of text.matchAll(HIDDEN)) {
		if (KEPT.has(character)) continue;
		if (index > end) parts.push({ text: text.slice(end, index), hidden: false });
		parts.push({ text: nameOf(character), hidden: true });
		end = index + character.length;
	}
	if (end < text.length) parts.push({ text: text.slice(end), hidden: false });
	return parts;
}

/** The same as one text. */
export function visibleText(text: string): string {
	return visibleParts(text)
		.map((part) => part.text)
		.join('');
}

/** Such as "⟨U+202E⟩". A text may hold the same letters: where it matters, `hidden` tells them apart. */
function nameOf(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `⟨U+${code}⟩`;
}
