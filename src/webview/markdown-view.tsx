/** Shows Markdown; a text that grows is drawn anew only in its last block. */
import { useRef } from 'preact/hooks';
import { MarkdownSource } from './markdown.ts';
import { pure } from './pure.ts';

const Block = pure(({ html }: { html: string }) => (
	<div class="block" dangerouslySetInnerHTML={{ __html: html }} />
));

export const Markdown = pure(({ text }: { text: string }) => {
	const source = useRef<MarkdownSource>(null);
	source.current ??= new MarkdownSource();
	return (
		<div class="markdown">
			{source.current.render(text).map((block, index) => (
				<Block key={index} html={block.html} />
			))}
		</div>
	);
});
