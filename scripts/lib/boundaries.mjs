// Who may import whom below src/: the one table behind the lint rule and the unit test.
import { isBuiltin } from 'node:module';

/**
 * Per area: the areas it may import (`may`), those it may only take types from (`types`), and what
 * it may use from outside: `node` modules, npm `packages`, the `vscode` API. An area is a folder of
 * src/, or a file directly in it (with `<name>/` beside it as its parts, as in cli).
 */
export const areas = {
	util: { may: [] },
	protocol: { may: ['util'] },
	agent: { may: ['util'] },
	config: { may: ['util'], types: ['agent', 'session', 'extensibility'] },
	session: { may: ['agent', 'util'], types: ['extensibility', 'config'] },
	extensibility: { may: ['util'], types: ['session', 'agent'] },
	tokenizer: { may: ['util'], packages: true },
	tools: { may: ['agent', 'util'], packages: true },
	providers: { may: ['agent', 'util'], types: ['session'], packages: true },
	node: { may: ['session', 'agent', 'tools', 'util'], node: true },
	core: {
		may: [
			...['agent', 'config', 'extensibility', 'node', 'protocol'],
			...['providers', 'session', 'tools', 'util'],
		],
	},
	cli: {
		may: [
			...['agent', 'config', 'core', 'extensibility', 'node', 'protocol'],
			...['providers', 'session', 'tools', 'util'],
		],
		node: true,
	},
	host: {
		may: [
			...['agent', 'config', 'core', 'extensibility', 'node', 'protocol'],
			...['providers', 'session', 'tools', 'util'],
		],
		node: true,
		packages: true,
		vscode: true,
	},
	webview: { may: ['protocol', 'util'], packages: true },
	extension: { may: ['host'], types: ['extensibility', 'session', 'core'], vscode: true },
};

/** The area of a file, given its path below src/ ("session/context.ts" → "session"). */
export function areaOf(file) {
	return file.split('/')[0].replace(/\.\w+$/, '');
}

/**
 * Why an import is not allowed; undefined where it is. `from` is the importing file's path below
 * src/; `to` is a path below src/ (`inside`) or what is written in the import.
 */
export function violation({ from, to, inside, typeOnly = false }) {
	const name = areaOf(from);
	const area = areas[name];
	if (!area) {
		return `"${name}" is no area of the house: add it to scripts/lib/boundaries.mjs`;
	}
	if (inside) {
		const target = areaOf(to);
		const allowed = [name, ...area.may, ...(typeOnly ? (area.types ?? []) : [])];
		if (allowed.includes(target)) {
			return undefined;
		}
		const hint = area.types?.includes(target) ? ' (types are allowed)' : '';
		return `${name} may not import ${target}${hint}`;
	}
	if (to === 'vscode') {
		return area.vscode ? undefined : `${name} may not import vscode, not even its types`;
	}
	if (isBuiltin(to)) {
		return area.node ? undefined : `${name} may not import Node modules (${to})`;
	}
	return area.packages ? undefined : `${name} may not import npm packages (${to})`;
}
