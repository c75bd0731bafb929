import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { manifestConfiguration, restrictedConfigurations } from '../../../src/config/manifest.ts';
import { retryPolicy } from '../../../src/config/retry-policy.ts';
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
		const deciding = [
			'model.baseUrl',
			'model.name',
			'compaction.remoteEndpoint',
			'compaction.model',
		] as const;
		for (const key of deciding) {
			assert.equal(SETTINGS[key].scope, 'machine');
			assert(restrictedConfigurations().includes(`espalier.${key}`));
		}
	});

	it('make a policy of retries', () => {
		const policyOf = (values: Record<string, unknown>) =>
			retryPolicy(readSettings((key) => values[key]).settings);
		assert.deepEqual(policyOf({}), { maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 });
		assert.equal(policyOf({ 'retry.enabled': false, 'retry.maxRetries': 9 }).maxRetries, 0);
		assert.equal(policyOf({ 'retry.maxRetries': -1 }).maxRetries, 3);
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
