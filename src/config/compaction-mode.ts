/** What happens when a compaction is due, as the settings have it. */
import type { CompactionMode } from '../session/session-parts.ts';
import type { Settings } from './settings-schema.ts';

/** `compaction.enabled: false` is the same as the mode `off`; values are checked when they are read. */
export function compactionMode(settings: Settings): CompactionMode {
	if (!settings['compaction.enabled']) return 'off';
	const mode = settings['compaction.mode'];
	return mode === 'ask' || mode === 'off' ? mode : 'auto';
}
