// Writes the settings of src/config/settings-schema.ts into package.json; a test compares the two.
// Needs a Node that strips types (24, which npm scripts run).
import { readFileSync, writeFileSync } from 'node:fs';
import { manifestConfiguration, restrictedConfigurations } from '../src/config/manifest.ts';

const path = new URL('../package.json', import.meta.url);
const manifest = JSON.parse(readFileSync(path, 'utf8'));
manifest.contributes.configuration = manifestConfiguration();
manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = restrictedConfigurations();
writeFileSync(path, `${JSON.stringify(manifest, undefined, '\t')}\n`);
