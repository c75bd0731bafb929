// `npm start -- --demo` as a person runs it: the chat names the demo, streams, calls tools, and asks nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWindow } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const MODEL = 'scripted demo, not a language model';

/** Starts the script, and resolves with what it has printed once it has said all. */
async function startDemo(home: string) {
	const child = spawn(
		process.execPath,
		['scripts/start.mjs', '--demo', '--browser', '--home', home],
		{ stdio: ['ignore', 'pipe', 'inherit'] },
	);
	const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
	let printed = '';
	child.stdout.setEncoding('utf8');
	await new Promise<void>((resolve, reject) => {
		child.stdout.on('data', (text: string) => {
			printed += text;
			if (/Prompts to try:(\n {2}.+){3}\n$/.test(printed)) resolve();
		});
		child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${printed}`)));
	});
	const stop = async () => {
		child.kill('SIGINT');
		assert.equal(await ended, 0);
	};
	return { printed, stop };
}

describe('the demo', () => {
	let workbench: WorkbenchPage;
	let printed: string;

	before(async () => {
		const home = mkdtempSync(path.join(tmpdir(), 'espalier-demo-'));
		const demo = await startDemo(home);
		printed = demo.printed;
		const url = /http:\/\/127\.0\.0\.1:\S+/.exec(printed)?.[0];
		assert(url, printed);
		const server = path.join(home, 'start-server');
		const paths = { folder: path.join(home, 'sample/workspace'), dataDir: server, log: '' };
		workbench = await openWindow(
			url,
			paths,
			{ viewport: { width: 1280, height: 1000 } },
			async () => {
				await demo.stop();
				rmSync(home, { recursive: true, force: true, maxRetries: 5 });
			},
		);
		await workbench.openEspalier();
	});
	after(() => workbench?.close());

	it('says what it is, wherever a model is named', async () => {
		assert(printed.includes(MODEL));
		await workbench
			.chat()
			.getByRole('button', { name: `Model: ${MODEL}` })
			.waitFor();
		await workbench.runCommand('Espalier: Choose model…');
		await workbench.quickInput().getByText(MODEL).first().waitFor();
		await workbench.page.keyboard.press('Escape');
		await workbench.quickInput().waitFor({ state: 'hidden' });
	});

	it('answers the first of its prompts in a stream, after calls of tools', async () => {
		const [prompt] = printed.match(/^ {2}(.+)$/m)?.slice(1) ?? [];
		assert(prompt);
		const chat = workbench.chat();
		await chat.locator('body').evaluate(() => {
			const { body } = document;
			const seen = new Set<string>();
			Object.assign(window, { seen });
			const look = () => seen.add(body.innerText);
			new MutationObserver(look).observe(body, {
				...{ subtree: true, childList: true, characterData: true },
			});
		});
		await workbench.send(prompt);
		await chat.getByText('The README goes on about').waitFor();
		const seen = await chat
			.locator('body')
			.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
		assert(
			seen.some((text) => text.includes('In the folder') && !text.includes('goes on about')),
			'the beginning could not be read before the end was there',
		);
		await chat.getByRole('heading', { name: 'tea-shop' }).waitFor();
		await chat.locator('.tool-name', { hasText: 'read' }).waitFor();
		await chat.locator('.tool-name', { hasText: 'ls' }).waitFor();
		await chat.getByRole('button', { name: /stop/i }).waitFor({ state: 'detached' });
		assert((await chat.getByText(MODEL).count()) > 1, 'its answers do not name it');
		assert.equal(await workbench.dialog('').count(), 0);
		await workbench.screenshot('demo');
	});

	it('compacts by itself while the other prompts are answered, asking before it writes and runs', async () => {
		const chat = workbench.chat();
		const prompts = printed.match(/^ {2}.+$/gm)?.slice(-2) ?? [];
		assert.equal(prompts.length, 2);
		const allow = chat.getByRole('button', { name: 'Allow once' });
		const idle = chat.getByRole('button', { name: 'Send', exact: true });
		for (const prompt of prompts) {
			await workbench.send(prompt.trim());
			await chat.getByRole('button', { name: /stop/i }).waitFor();
			while (!(await idle.isVisible())) {
				await allow.first().or(idle).first().waitFor();
				const [button] = await allow.elementHandles();
				await button?.click();
				await button?.waitForElementState('hidden');
			}
		}
		await chat
			.locator('.card-title', { hasText: /compact/i })
			.first()
			.waitFor();
		await workbench.screenshot('demo-compacted');
	});
});
