/** Which model a session's path names: what its newest model change says, whoever wrote it. */
import { modelOfChange } from './context.ts';
import type { ModelName } from './observations.ts';
import type { SessionTree } from './session-tree.ts';

/** The model of the newest change on the path to `leafId`; undefined where there is none that names one. */
export function chosenModelOnPath(tree: SessionTree, leafId: string | null): ModelName | undefined {
	if (tree.countOf('model_change') === 0) return undefined;
	for (const entry of tree.upFrom(leafId, (type) => type === 'model_change')) {
		const model = entry.type === 'model_change' ? modelOfChange(entry) : null;
		if (model) return model;
	}
	return undefined;
}
