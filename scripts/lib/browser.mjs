// A headless Chromium for the suites that need a VS Code window.
import { chromium } from 'playwright-core';
import { ensureChromium } from './prerequisites.mjs';

/** Quiet flags: no sandbox (containers run as root), no GPU, no calls home. */
const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--disable-quic',
	'--disable-dev-shm-usage',
];

/** Launches the installed Chromium; closing it is the caller's. */
export function launchBrowser() {
	return chromium.launch({ executablePath: ensureChromium(), args: flags });
}
