// Types of vscode-server.mjs for the end-to-end fixtures.

export interface ServerOptions {
	/** Random text that the URL must carry; without one every local user gets in. */
	token?: string;
	/** Workspace trust on (the default) or off. */
	trust?: boolean;
	dataDir: string;
	extensionsDir: string;
	env?: Record<string, string>;
	/** Needed for extension tests and development mode; hides notifications. */
	smokeTestDriver?: boolean;
	/** Begins the log's file name. */
	name?: string;
}

export interface Server {
	port: number;
	url: string;
	log: string;
	/** The exit code, once the server has ended for any reason. */
	ended: Promise<number>;
	/** Ends the server and everything it has started. */
	stop(): Promise<void>;
}

export interface WorkbenchAddress {
	port: number;
	folder: string;
	token?: string;
	extensionDevelopmentPath?: string;
	extensionTestsPath?: string;
}

export const codeServerVersion: string;
export function ensureServer(): Promise<string>;
export function linkExtensions(extensionsDir: string, folders: string[]): void;
export function startServer(options: ServerOptions): Promise<Server>;
export function workbenchUrl(address: WorkbenchAddress): string;
