// The public tools that tests compare with: pinned, and never among the project's dependencies.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installOnce, npm } from './lib/install-once.mjs';
import { root } from './lib/paths.mjs';

const peers = { pi: { name: '@earendil-works/pi-coding-agent', version: '1.6.0' } };

/** Makes sure that a peer is there; returns the URL to import it by. */
export async function ensurePeer(peer) {
	const { name, version } = peers[peer];
	const home = path.join(root, '.peers', `${peer}-${version}`);
	await installOnce(home, `${name} ${version}`, (folder) =>
		npm(folder, ['install', `${name}@${version}`]),
	);
	return pathToFileURL(path.join(home, 'node_modules', name, 'dist', 'index.js')).href;
}
