// Types of boundaries.mjs for the unit test.

export interface Area {
	may: string[];
	types?: string[];
	node?: boolean;
	packages?: boolean;
	vscode?: boolean;
}

export interface Import {
	from: string;
	to: string;
	inside: boolean;
	typeOnly?: boolean;
}

export const areas: Record<string, Area>;
export function areaOf(file: string): string;
export function violation(found: Import): string | undefined;
