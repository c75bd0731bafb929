/**
 * Markdown to safe HTML, block by block. The text comes from models, tools and files of any origin:
 * raw HTML is shown as text, links carry their address for the host to open, images are links, and
 * DOMPurify checks the result against a closed list.
 */
import DOMPurify from 'dompurify';
import { Marked, type Token, type TokensList } from 'marked';
import { isWebUrl } from '../protocol/panel-parsers.ts';

export interface MarkdownBlock {
	/** Safe to put into the page. */
	html: string;
}

const escapes: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function escape(text: string): string {
	return text.replace(/[&<>"']/g, (char) => escapes[char] ?? char);
}

/** A link that VS Code does not follow by itself: the page asks the host to open its address. */
function link(url: string, label: string): string {
	if (!isWebUrl(url)) return label;
	const address = escape(url);
	return `<a role="link" tabindex="0" data-href="${address}" title="${address}">${label}</a>`;
}

const marked = new Marked({
	gfm: true,
	renderer: {
		html: ({ text }) => escape(text),
		link({ href, tokens }) {
			return link(href, this.parser.parseInline(tokens));
		},
		image: ({ href, text }) => link(href, `🖼 ${escape(text || 'image')}`),
		checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
		code: ({ text, lang }) =>
			`<pre tabindex="0"><code${lang ? ` title="${escape(lang)}"` : ''}>${escape(text)}\n</code></pre>`,
	},
});

const purifier = DOMPurify();
purifier.addHook('uponSanitizeAttribute', (_node, data) => {
	if (data.attrName === 'data-href' && !isWebUrl(data.attrValue)) data.keepAttr = false;
});

const allowed = {
	// prettier-ignore
	ALLOWED_TAGS: [
		'p', 'br', 'hr', 'em', 'strong', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a',
		'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
	],
	ALLOWED_ATTR: ['title', 'role', 'tabindex', 'data-href', 'start', 'align'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
};

/** Rendered blocks by their source: re-drawing an item costs nothing, scrolling back little. */
const cache = new Map<string, MarkdownBlock>();
const CACHED_BLOCKS = 1000;
/** Larger blocks are rare and would make the cache heavy. */
const CACHED_LENGTH = 20_000;

function renderBlock(token: Token, links: TokensList['links']): MarkdownBlock {
	const key = `${token.type}\n${token.raw}`;
	const known = cache.get(key);
	if (known) return known;
	const tokens = Object.assign([token], { links });
	const block = { html: purifier.sanitize(marked.parser(tokens), allowed) };
	// A block that uses a link defined elsewhere depends on more than its own source.
	const selfContained = Object.keys(links).length === 0 && token.raw.length <= CACHED_LENGTH;
	if (selfContained) {
		const oldest = cache.size >= CACHED_BLOCKS ? cache.keys().next().value : undefined;
		if (oldest !== undefined) cache.delete(oldest);
		cache.set(key, block);
	}
	return block;
}

/**
 * A text that grows at its end. Only its last block can still change, so only that one is read and
 * rendered again; the blocks before it stay the very same objects.
 */
export class MarkdownSource {
	private text = '';
	private blocks: MarkdownBlock[] = [];
	/** Where the last block begins, and how many blocks lie before it. */
	private settled = { end: 0, blocks: 0 };

	/** The blocks of `text`, quickly where it only adds to the text of the last call. */
	render(text: string): readonly MarkdownBlock[] {
		if (text === this.text) return this.blocks;
		const grows = this.settled.end > 0 && text.startsWith(this.text);
		const from = grows ? this.settled : { end: 0, blocks: 0 };
		const tokens = marked.lexer(text.slice(from.end));
		const blocks = this.blocks.slice(0, from.blocks);
		let position = from.end;
		let settled = from;
		for (const token of tokens) {
			if (token.type !== 'space' && token.type !== 'def') {
				settled = { end: position, blocks: blocks.length };
				blocks.push(renderBlock(token, tokens.links));
			}
			position += token.raw.length;
		}
		// marked normalizes line ends and tabs, so positions are only right where lengths agree.
		this.settled = position === text.length ? settled : { end: 0, blocks: 0 };
		this.text = text;
		this.blocks = blocks;
		return blocks;
	}
}
