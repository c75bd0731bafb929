// Types of browser.mjs for the end-to-end fixtures.
import type { Browser } from 'playwright-core';

export function launchBrowser(): Promise<Browser>;
