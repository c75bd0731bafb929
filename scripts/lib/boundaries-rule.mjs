// The lint rule "boundaries": every import below src/, type or not, obeys the table.
import path from 'node:path';
import { root } from './paths.mjs';
import { violation } from './boundaries.mjs';

const source = path.join(root, 'src');

export const boundaries = {
	meta: {
		type: 'problem',
		docs: { description: 'Areas of src/ import only what the table allows.' },
		messages: { forbidden: '{{reason}}.' },
		schema: [],
	},
	create(context) {
		const from = path.relative(source, context.filename).replaceAll('\\', '/');
		const check = (node, specifier, typeOnly) => {
			const found = { from, ...resolve(context.filename, specifier), typeOnly };
			const reason = isPrompt(specifier) ? undefined : violation(found);
			if (reason) {
				context.report({ node, messageId: 'forbidden', data: { reason } });
			}
		};
		const declaration = (node) => {
			if (node.source) {
				const kind = node.importKind ?? node.exportKind;
				const parts = node.specifiers ?? [];
				const everyPart = parts.length > 0 && parts.every((part) => part.importKind === 'type');
				check(node.source, node.source.value, kind === 'type' || everyPart);
			}
		};
		return {
			ImportDeclaration: declaration,
			ExportNamedDeclaration: declaration,
			ExportAllDeclaration: declaration,
			ImportExpression(node) {
				if (node.source.type === 'Literal') {
					check(node.source, node.source.value, false);
				}
			},
			TSImportType(node) {
				const literal = node.source ?? node.argument?.literal;
				if (literal) {
					check(literal, literal.value, true);
				}
			},
		};
	},
};

function resolve(file, specifier) {
	if (!specifier.startsWith('.')) {
		return { to: specifier, inside: false };
	}
	const target = path.resolve(path.dirname(file), specifier);
	return { to: path.relative(source, target).replaceAll('\\', '/'), inside: true };
}

/** Prompts are text, bundled as strings: any area may use them. */
function isPrompt(specifier) {
	return specifier.startsWith('.') && specifier.endsWith('.md');
}
