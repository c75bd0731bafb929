/** What axe finds wrong on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface AxeResult {
	violations: { id: string; nodes: { html: string }[] }[];
}

/** One line for each violation: the rule, and where. */
export async function axeViolations(page: Page): Promise<string[]> {
	// Packages are looked for from the project's folder: the tests run as a bundle.
	const require = createRequire(`${process.cwd()}/package.json`);
	await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
	return page.evaluate(async () => {
		const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } };
		// VS Code's own colours are VS Code's to answer for.
		const options = { rules: { 'color-contrast': { enabled: false } } };
		return (await axe.run(options)).violations.flatMap(({ id, nodes }) =>
			nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
		);
	});
}
