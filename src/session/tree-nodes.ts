/** A session's tree as nested nodes, as scripts like to walk it. Views page through an outline instead. */
import type { SessionEntry } from './entries.ts';
import type { SessionTree } from './session-tree.ts';

export interface TreeNode {
	entry: SessionEntry;
	/** In the order of the file. */
	children: TreeNode[];
	label?: string;
}

/** One node for each root. A chain of any length is built without recursion. */
export function treeNodes(tree: SessionTree, labels: ReadonlyMap<string, string>): TreeNode[] {
	const nodes = new Map<string, TreeNode>();
	for (const entry of tree.entries()) {
		const label = labels.get(entry.id);
		nodes.set(entry.id, { entry, children: [], ...(label === undefined ? {} : { label }) });
	}
	const roots: TreeNode[] = [];
	for (const [id, node] of nodes) {
		const parentId = tree.parentOf(id);
		const siblings = parentId === null ? roots : nodes.get(parentId)?.children;
		siblings?.push(node);
	}
	return roots;
}
