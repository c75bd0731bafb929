import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Marked, type Token } from 'marked';
import {
	codeBlock,
	codeSpan,
	escapeMarkdown,
	untrustedMarkdown,
} from '../../../src/util/untrusted-markdown.ts';

/** Every token that the Markdown parser sees, nested ones included. */
function tokens(markdown: string): Token[] {
	const marked = new Marked();
	const found: Token[] = [];
	void marked.walkTokens(marked.lexer(markdown), (token) => {
		found.push(token);
	});
	return found;
}

function assertHarmless(markdown: string): void {
	for (const token of tokens(markdown)) {
		assert.ok(
			!['html', 'image', 'table', 'def'].includes(token.type),
			`${token.type}: ${markdown}`,
		);
		if (token.type === 'link') {
			const { href } = token as unknown as { href: string };
			assert.match(href, /^(https?:\/\/|mailto:)/i, markdown);
		}
	}
}

describe('untrusted Markdown', () => {
	const attacks = [
		'[click](command:workbench.action.quit)',
		'[click](command&#58;workbench.action.quit)',
		'[click]( <command:x> )',
		'[click][1]\n\n[1]: command:x',
		'[1]: file:///etc/passwd\n[1]',
		'<command:x>',
		'<a href="command:x">y</a>',
		'<img src=x onerror=alert(1)>',
		'![](https://evil.example/pixel.png)',
		'![a](data:image/png;base64,AAAA)',
		'[![a](https://e.example/p.png)](https://e.example)',
		'[a](file:///etc/passwd) [b](data:text/html,x) [c](javascript:alert(1))',
		'[a](//evil.example/x) [b](vscode://x/y) ftp://x/y',
		'a ` b\nc ` [x](command:y) `',
		'\\`[x](command:y)`',
		'| a |\n|---|\n| `b | [x](command:y) |` |',
		'a\n:--\n`[x](command:y)|b`',
		'> ```\n[x](command:y)\n> ```',
		'- ~~~\n[x](command:y)\n- ~~~',
		'    ```\n[x](command:y)\n    ```',
		'~~~ a`b\n[x](command:y)',
		'```a`b\n[x](command:y)\n```',
		'<!-- [x](command:y)',
		'```\n````\n[x](command:y)\n```\n<b>x</b>',
		'<details>\n\n```\n\n</details>\n<script>x</script>',
	];
	for (const attack of attacks)
		it(`defuses ${JSON.stringify(attack)}`, () => assertHarmless(untrustedMarkdown(attack)));

	it('keeps what a summary is written with', () => {
		const summary = [
			'## Goal',
			'',
			'1. *Port* the **parser** to `Map<string, number[]>`',
			'   - see [the docs](https://example.com/a_b?c=d)',
			'',
			'```ts',
			'const a: Map<string, number> = b[0](c);',
			'```',
			'> quoted',
		].join('\n');
		assert.equal(untrustedMarkdown(summary), summary);
		assert.ok(tokens(untrustedMarkdown(summary)).some(({ type }) => type === 'link'));
	});

	it('shows HTML, images and other links as their text', () => {
		assert.equal(untrustedMarkdown('<b>x</b>'), '&lt;b>x&lt;/b>');
		assert.equal(untrustedMarkdown('![a](b)'), '\\!\\[a\\](b)');
		assert.equal(untrustedMarkdown('a | b'), 'a \\| b');
	});

	it('closes a fence that the text leaves open', () => {
		assert.equal(untrustedMarkdown('```\na'), '```\na\n```');
		assert.equal(untrustedMarkdown('~~~js\n```\n~~~'), '````js\n```\n````');
	});

	it('removes control characters and changes of direction', () => {
		assert.equal(untrustedMarkdown('a\u001b[31mb\u202ec'), 'a\\[31mbc');
	});

	it('is harmless for any text', () => {
		const piece = fc.constantFrom(
			...'`|<>[]()!\\~:-*_#&;="\n \t'.split(''),
			'```',
			'~~~',
			'``',
			'](command:x)',
			'[a](https://x.example)',
			'![',
			'\n\n',
			'\n    ',
			'\n- ',
			'\n> ',
			'\n1. ',
			'\n|-|-|\n',
			'\n:-\n',
			'a',
			'word',
			'<b>',
			'<!--',
			'command:x',
			'file:///x',
			'data:x',
			'[1]: ',
			'&#58;',
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), (pieces) =>
				assertHarmless(untrustedMarkdown(pieces.join(''))),
			),
			{ numRuns: 5000 },
		);
	});

	it('writes names and texts so that they stay text', () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom(...'`[]()<>!*_|\\a:/@.') }), (text) => {
				const paragraphs = [`x ${escapeMarkdown(text)} y`, `x ${codeSpan(text)} y`];
				for (const markdown of [...paragraphs, codeBlock(text, text)]) {
					assertHarmless(markdown);
					assert.ok(!tokens(markdown).some(({ type }) => type === 'link'));
				}
			}),
			{ numRuns: 1000 },
		);
		assert.equal(codeSpan('src/a.ts'), '`src/a.ts`');
		assert.equal(codeSpan('a`b'), 'a\\`b');
	});

	it('takes a megabyte of anything in good time', () => {
		const began = performance.now();
		for (const unit of ['`', '[', '`` ` ', '<a ', '```\n', '\\'])
			untrustedMarkdown(unit.repeat(1_000_000 / unit.length));
		assert.ok(performance.now() - began < 10_000);
	});
});
