/**
 * Every setting, as data: the one source of the manifest's configuration, its validation and its
 * documentation. Keys are shown under `espalier.`.
 */

export interface Setting<T extends boolean | number | string> {
	default: T;
	description: string;
	/** VS Code's scope; `machine` for whatever decides where a conversation or a key is sent. */
	scope: 'machine' | 'window' | 'resource';
	/** Not read from an untrusted workspace. */
	restricted?: boolean;
	/** Least value of a number. */
	minimum?: number;
	/** The values of a text that has only these. */
	values?: readonly string[];
}

export const SETTINGS = {
	'compaction.enabled': {
		default: true,
		description:
			'Compacts by itself when the context is nearly full, or a server refuses a request as too long. Off leaves compaction to you.',
		scope: 'resource',
	} as Setting<boolean>,
	'compaction.mode': {
		default: 'auto',
		description:
			'What happens when a compaction is due: "auto" compacts, "ask" says so and leaves it to you, "off" does neither.',
		scope: 'resource',
		values: ['auto', 'ask', 'off'],
	} as Setting<string>,
	'compaction.thresholdPercent': {
		default: 0,
		description:
			'The share of the context window above which a compaction is due, in percent. 0 uses what the reserve leaves; a higher share than that has no effect.',
		scope: 'resource',
		minimum: 0,
	} as Setting<number>,
	'compaction.autoContinue': {
		default: true,
		description: 'Tells the model to go on after an automatic compaction that followed its turn.',
		scope: 'resource',
	} as Setting<boolean>,
	'compaction.reserveTokens': {
		default: 16_384,
		description:
			'Tokens of the context window kept free for the answer. Where this is 85 % of the window or more, 15 % of the window is used instead.',
		scope: 'resource',
		minimum: 1,
	} as Setting<number>,
	'compaction.keepRecentTokens': {
		default: 20_000,
		description:
			'Tokens of recent messages that a compaction leaves as they are; less where the window is small.',
		scope: 'resource',
		minimum: 1,
	} as Setting<number>,
	'compaction.remoteEndpoint': {
		default: '',
		description:
			'Address of a summary endpoint that is asked first: it is posted { systemPrompt, prompt, maxTokens } and answers { summary }. Your conversation is sent there.',
		scope: 'machine',
		restricted: true,
	} as Setting<string>,
	'compaction.model': {
		default: '',
		description:
			'A model of the connected server that makes the summaries, for example a cheaper one; the connected model is asked where it fails. Its window must not be smaller than espalier.model.contextWindow.',
		scope: 'machine',
		restricted: true,
	} as Setting<string>,
	'branchSummary.enabled': {
		default: false,
		description: 'Preselects "with a summary" when you leave a branch.',
		scope: 'resource',
	} as Setting<boolean>,
	'branchSummary.reserveTokens': {
		default: 16_384,
		description: 'Tokens of the window kept free when a branch is summarized.',
		scope: 'resource',
		minimum: 1,
	} as Setting<number>,
	'model.baseUrl': {
		default: '',
		description:
			'Base URL of an OpenAI-compatible server, for example http://localhost:11434/v1. Your conversation is sent there.',
		scope: 'machine',
		restricted: true,
	} as Setting<string>,
	'model.name': {
		default: '',
		description: 'The model to ask, as its server names it.',
		scope: 'machine',
		restricted: true,
	} as Setting<string>,
	'model.contextWindow': {
		default: 0,
		description:
			"Tokens of the model's context window. 0 finds it out: from what the server tells, else from what it refuses; 128,000 where nothing is known.",
		scope: 'machine',
		minimum: 0,
	} as Setting<number>,
	'model.maxOutputTokens': {
		default: 0,
		description: 'Most tokens of an answer, reasoning included. 0 leaves it to the server.',
		scope: 'machine',
		minimum: 0,
	} as Setting<number>,
	'retry.enabled': {
		default: true,
		description:
			'Tries a request again that failed for a passing reason: a busy server, a rate limit, a lost connection.',
		scope: 'resource',
	} as Setting<boolean>,
	'retry.maxRetries': {
		default: 3,
		description: 'How often a request is tried again.',
		scope: 'resource',
		minimum: 0,
	} as Setting<number>,
	'retry.baseDelayMs': {
		default: 2_000,
		description: 'Wait before the first retry, in ms; it doubles with each further one.',
		scope: 'resource',
		minimum: 0,
	} as Setting<number>,
	'retry.maxDelayMs': {
		default: 60_000,
		description:
			'The longest wait before a retry, in ms. Where the server asks for more, the request fails at once.',
		scope: 'resource',
		minimum: 0,
	} as Setting<number>,
};

export type SettingKey = keyof typeof SETTINGS;
export type Settings = { [K in SettingKey]: (typeof SETTINGS)[K]['default'] };

/** A configured value that cannot be used; its default is used instead. */
export interface SettingProblem {
	key: SettingKey;
	message: string;
}

/** Reads all settings through `get`; a value of the wrong kind becomes a problem and its default. */
export function readSettings(get: (key: SettingKey) => unknown): {
	settings: Settings;
	problems: SettingProblem[];
} {
	const problems: SettingProblem[] = [];
	const values: Partial<Record<SettingKey, unknown>> = {};
	for (const key of Object.keys(SETTINGS) as SettingKey[]) {
		const setting: Setting<boolean | number | string> = SETTINGS[key];
		const value = get(key) ?? setting.default;
		const expected = expectation(setting, value);
		values[key] = expected === undefined ? value : setting.default;
		if (expected !== undefined)
			problems.push({
				key,
				message: `The setting espalier.${key} must be ${expected}; ${String(setting.default)} is used.`,
			});
	}
	return { settings: values as Settings, problems };
}

/** What the value should have been; undefined where it is fine. */
function expectation(
	setting: Setting<boolean | number | string>,
	value: unknown,
): string | undefined {
	if (typeof value !== typeof setting.default) return `a ${typeof setting.default}`;
	if (setting.values && !setting.values.includes(String(value)))
		return `one of: ${setting.values.join(', ')}`;
	if (typeof value !== 'number') return undefined;
	const least = setting.minimum ?? 0;
	return Number.isFinite(value) && value >= least ? undefined : `a number of at least ${least}`;
}
