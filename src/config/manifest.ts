/** The settings as VS Code's manifest wants them. */
import { SETTINGS, type Setting, type SettingKey } from './settings-schema.ts';

const SECTION = 'espalier';

/** What package.json holds under contributes.configuration. */
export function manifestConfiguration() {
	const properties: Record<string, unknown> = {};
	for (const [order, key] of (Object.keys(SETTINGS) as SettingKey[]).entries()) {
		const setting: Setting<boolean | number | string> = SETTINGS[key];
		properties[`${SECTION}.${key}`] = {
			type: typeof setting.default,
			default: setting.default,
			description: setting.description,
			scope: setting.scope,
			order,
			...(setting.values === undefined ? {} : { enum: setting.values }),
			...(setting.minimum === undefined ? {} : { minimum: setting.minimum }),
		};
	}
	return { title: 'Espalier', properties };
}

/** The settings that an untrusted workspace cannot set. */
export function restrictedConfigurations(): string[] {
	return (Object.keys(SETTINGS) as SettingKey[])
		.filter((key) => (SETTINGS[key] as Setting<boolean | number | string>).restricted)
		.map((key) => `${SECTION}.${key}`);
}
