// Says whether this machine has what the tests need, and installs what it may.
import { root } from './lib/paths.mjs';
import { checkDependencies, checkNode, ensureChromium, orExplain } from './lib/prerequisites.mjs';

process.chdir(root);
await orExplain(() => {
	checkNode();
	checkDependencies();
	process.stdout.write(`Node ${process.versions.node}\nChromium: ${ensureChromium()}\n`);
});
