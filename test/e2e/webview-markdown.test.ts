// Markdown in the chat page: nothing that a model or a tool writes can run, load or leave.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { answerItem, idleStatus, launchBrowser, WebviewPage } from './support/webview-page.ts';

const attacks = [
	'<script>window.hacked = 1</script>',
	'<img src=x onerror="window.hacked = 1">',
	'<svg onload="window.hacked = 1"><animate onbegin="window.hacked = 1" /></svg>',
	'<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
	'<style>* { display: none }</style>',
	'<form action="https://evil.test"><input name=q autofocus onfocus="window.hacked = 1"></form>',
	'<a href="command:workbench.action.terminal.new">click</a>',
	'<details open ontoggle="window.hacked = 1">x</details>',
	'<math><mtext><table><mglyph><style><img src=x onerror="window.hacked = 1">',
	'<noscript><p title="</noscript><img src=x onerror=window.hacked=1>">',
	'<a data-href="https://evil.test" role="link">raw</a>',
	'[run](command:workbench.action.terminal.new)',
	'[js](javascript:window.hacked=1)',
	'[js](JaVaScRiPt:window.hacked=1)',
	'[js](&#106;avascript:window.hacked=1)',
	'[data](data:text/html,<script>window.hacked=1</script>)',
	'[file](file:///etc/passwd)',
	'[vscode](vscode://evil/x)',
	'[rel](//evil.test/x)',
	'![track](https://evil.test/pixel.png?leak=1)',
	'![data](data:image/svg+xml;base64,PHN2Zy8+)',
	'[quote](https://ok.test/"onmouseover="window.hacked=1)',
	'[title](https://ok.test "x\\" onmouseover=\\"window.hacked=1")',
	'<https://ok.test/"><img src=x onerror=window.hacked=1>',
	'```html" onmouseover="window.hacked=1\n<img src=x onerror=window.hacked=1>\n```',
	'`<img src=x onerror=window.hacked=1>`',
	'| a |\n|---|\n| <img src=x onerror=window.hacked=1> |',
	'# <img src=x onerror=window.hacked=1>',
	'- [ ] <script>window.hacked=1</script>',
	'[ref]\n\n[ref]: javascript:window.hacked=1',
	'&lt;img src=x onerror=window.hacked=1&gt;',
];

const ALLOWED_TAGS = new Set(
	(
		'DIV P BR HR EM STRONG DEL CODE PRE BLOCKQUOTE UL OL LI A H1 H2 H3 H4 H5 H6 ' +
		'TABLE THEAD TBODY TR TH TD'
	).split(' '),
);
const ALLOWED_ATTRIBUTES = new Set([
	'class',
	'title',
	'role',
	'tabindex',
	'data-href',
	'start',
	'align',
]);

describe('webview: Markdown', () => {
	let browser: Browser;
	let view: WebviewPage;

	before(async () => {
		browser = await launchBrowser();
	});
	after(() => browser?.close());
	beforeEach(async () => {
		view = await WebviewPage.open(browser);
	});
	afterEach(() => view.close());

	/** Every element below the Markdown of the page, with its attributes. */
	function elements() {
		return view.page.evaluate(() =>
			[...document.querySelectorAll('.markdown *')].map((element) => ({
				tag: element.tagName,
				attributes: [...element.attributes].map(({ name, value }) => [name, value] as const),
			})),
		);
	}

	async function assertHarmless() {
		for (const { tag, attributes } of await elements()) {
			assert.ok(ALLOWED_TAGS.has(tag), `<${tag}> on the page`);
			for (const [name, value] of attributes) {
				assert.ok(ALLOWED_ATTRIBUTES.has(name), `${name}="${value}" on <${tag}>`);
				if (name === 'data-href') assert.match(value, /^https?:\/\//);
			}
		}
		assert.equal(await view.page.evaluate('window.hacked'), undefined);
		assert.deepEqual(view.strangeRequests, []);
		assert.deepEqual(await view.violations(), []);
		assert.deepEqual(view.errors, []);
	}

	it('runs, loads and leaks nothing of what is in a finished answer', async () => {
		await view.snapshot({ items: attacks.map((text, index) => answerItem(`a${index}`, text)) });
		assert.ok((await elements()).length > attacks.length);
		await assertHarmless();
		const text = await view.page.locator('[data-id="a0"] .markdown').textContent();
		assert.equal(text?.trim(), '<script>window.hacked = 1</script>', 'raw HTML is shown as text');
	});

	it('nor while it streams, cut at every character', async () => {
		await view.snapshot({ live: [], status: { ...idleStatus, activity: 'streaming' } });
		const all = attacks.join('\n\n');
		for (let at = 0; at < all.length; at += 40) {
			const pieces = [...all.slice(at, at + 40)];
			await view.post(
				...pieces.map((text) => ({
					type: 'delta' as const,
					parts: [{ type: 'text' as const, text }],
				})),
			);
		}
		await assertHarmless();
	});

	it('shows the same for a streamed text as for a whole one', async () => {
		const text = [
			'# Title\n\nSome *text* with `code`.\n\nSetext\n---\n\n- one\n\n- two\n  - nested\n\n',
			'1. first\n2. second\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n> quote\nlazy\n\n',
			'| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](https://example.org) end\n\n    indented\n\ttab\r\nlast',
		].join('');
		await view.snapshot({
			items: [answerItem('whole', text)],
			live: [],
			status: { ...idleStatus, activity: 'streaming' },
		});
		await view.post(
			...[...text].map((char) => ({
				type: 'delta' as const,
				parts: [{ type: 'text' as const, text: char }],
			})),
		);
		const [whole, streamed] = await view.page
			.locator('.markdown')
			.evaluateAll((all) => all.map((element) => element.innerHTML));
		assert.equal(streamed, whole);
	});

	it('opens web links through the host, by mouse and by keyboard', async () => {
		await view.snapshot({ items: [answerItem('a', '[docs](https://example.org/docs?a=1&b=2)')] });
		const link = view.page.getByRole('link', { name: 'docs' });
		assert.equal(await link.getAttribute('title'), 'https://example.org/docs?a=1&b=2');
		await link.click();
		await link.press('Enter');
		const opened = await view.postedOf('openLink');
		assert.deepEqual(
			opened.map(({ url }) => url),
			['https://example.org/docs?a=1&b=2', 'https://example.org/docs?a=1&b=2'],
		);
	});

	it('draws a long streaming answer only in its last block', async () => {
		const blocks = Array.from({ length: 300 }, (_, index) => `Paragraph ${index}`).join('\n\n');
		await view.snapshot({
			live: [{ type: 'text', text: blocks }],
			status: { ...idleStatus, activity: 'streaming' },
		});
		const changed = await view.page.evaluate(async () => {
			const touched = new Set<Node>();
			const observer = new MutationObserver((records) =>
				records.forEach(({ target }) => touched.add(target)),
			);
			for (const block of document.querySelectorAll('.block'))
				observer.observe(block, { childList: true, subtree: true, characterData: true });
			for (let index = 0; index < 10; index++)
				window.postMessage(
					{ type: 'delta', parts: [{ type: 'text', text: ' more' }], version: 1, seq: index + 2 },
					'*',
				);
			await new Promise((resolve) => setTimeout(resolve, 200));
			return touched.size;
		});
		assert.equal(changed, 1);
	});
});
