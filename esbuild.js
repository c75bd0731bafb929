// Builds everything that runs: the extension, the headless core, the command line, the webview,
// (with --demo) the demo model, and (with --tests) the three test bundles. One loader table serves all.
'use strict';
const esbuild = require('esbuild');
const fs = require('node:fs');

const args = new Set(process.argv.slice(2));
const production = args.has('--production');
const withTests = args.has('--tests');
const withDemo = args.has('--demo');

/** @type {import('esbuild').BuildOptions} */
const shared = {
	bundle: true,
	loader: { '.md': 'text' },
	sourcemap: production ? false : 'linked',
	minify: production,
	legalComments: 'none',
	logLevel: 'warning',
	metafile: true,
};

/** Options for code that runs in Node: the extension host, the command line and the tests. */
const node = {
	...shared,
	platform: 'node',
	format: 'cjs',
	target: 'node22',
	external: ['vscode'],
};

const products = [
	{ ...node, entryPoints: ['src/extension.ts', 'src/core.ts'], outdir: 'dist' },
	{
		...node,
		entryPoints: [
			// The encoding is large: one file of its own, which the others load when they need it.
			{ in: 'src/tokenizer/o200k.ts', out: 'o200k' },
			{ in: 'src/node/tokenizer-worker.ts', out: 'tokenizer-worker' },
		],
		outdir: 'dist',
		sourcemap: false,
	},
	{
		...node,
		entryPoints: ['src/cli.ts'],
		outdir: 'dist',
		banner: { js: '#!/usr/bin/env node' },
	},
	{
		...shared,
		platform: 'browser',
		format: 'iife',
		target: 'es2022',
		jsx: 'automatic',
		jsxImportSource: 'preact',
		entryPoints: [{ in: 'src/webview/main.tsx', out: 'main' }],
		outdir: 'dist/webview',
	},
];

/** No product: `npm start -- --demo` runs it beside the product. */
const demo = { ...node, entryPoints: ['scripts/demo/server.ts'], outdir: 'out/demo' };

const tests = ['unit', 'integration', 'e2e'].map((suite) => ({
	...node,
	sourcemap: 'inline',
	// Test tools stay outside the bundles: they find their own files relative to themselves.
	external: [...node.external, 'mocha', 'playwright-core', 'esbuild', 'axe-core'],
	entryPoints: [
		`test/${suite}/**/*.test.ts`,
		...(suite === 'integration' ? ['test/integration/index.ts'] : []),
	],
	outdir: `out/test/${suite}`,
	outbase: `test/${suite}`,
}));

async function main() {
	fs.rmSync('dist', { recursive: true, force: true });
	const results = await Promise.all(products.map((options) => esbuild.build(options)));
	const inputs = {};
	const outputs = {};
	for (const { metafile } of results) {
		Object.assign(inputs, metafile.inputs);
		Object.assign(outputs, metafile.outputs);
	}
	fs.mkdirSync('out', { recursive: true });
	fs.writeFileSync('out/meta.json', JSON.stringify({ inputs, outputs }));
	if (withDemo) {
		await esbuild.build(demo);
	}
	if (withTests) {
		fs.rmSync('out/test', { recursive: true, force: true });
		await Promise.all(tests.map((options) => esbuild.build(options)));
	}
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
