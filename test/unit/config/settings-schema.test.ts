import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { manifestConfiguration, restrictedConfigurations } from '../../../src/config/manifest.ts';
import { readSettings, SETTINGS } from '../../../src/config/settings-schema.ts';

interface Manifest {
	contributes: { configuration: unknown };
	capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

describe('settings', () => {
	it('stand in the manifest as in the schema (run "npm run manifest" after a change)', () => {
		const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
		assert.deepEqual(manifest.contributes.configuration, manifestConfiguration());
		assert.deepEqual(
			manifest.capabilities.untrustedWorkspaces.restrictedConfigurations,
			restrictedConfigurations(),
		);
	});

	it('sends conversations only where the machine says', () => {
		assert.equal(SETTINGS['model.baseUrl'].scope, 'machine');
		assert(restrictedConfigurations().includes('espalier.model.baseUrl'));
	});

	it('uses the default for a value of the wrong kind, and says so', () => {
		const values: Record<string, unknown> = {
			'compaction.keepRecentTokens': 'lots',
			'compaction.reserveTokens': -5,
			'branchSummary.enabled': true,
		};
		const { settings, problems } = readSettings((key) => values[key]);
		assert.equal(settings['compaction.keepRecentTokens'], 20_000);
		assert.equal(settings['compaction.reserveTokens'], 16_384);
		assert.equal(settings['branchSummary.enabled'], true);
		assert.deepEqual(
			problems.map(({ key }) => key),
			['compaction.reserveTokens', 'compaction.keepRecentTokens'],
		);
	});
});
