/** What other extensions get from `activate`: hooks into sessions, and nothing that could be misused. */
import type { HookOptions, HookRegistry } from '../extensibility/hooks/registry.ts';
import type { HookEvent, HookHandler } from '../extensibility/hooks/types.ts';

export interface EspalierApi {
	/** Rises when something that worked no longer does. */
	readonly version: 1;
	/**
	 * Registers a hook; the returned function takes it back. Hooks of one event run in the order of their
	 * registration, each with a time limit; one that fails is logged and passed over.
	 */
	onHook<E extends HookEvent>(event: E, handler: HookHandler<E>, options: HookOptions): () => void;
}

export function createApi(hooks: HookRegistry): EspalierApi {
	return Object.freeze({
		version: 1 as const,
		onHook: <E extends HookEvent>(event: E, handler: HookHandler<E>, options: HookOptions) =>
			hooks.on(event, handler, options),
	});
}
