/** What the agent works with: asked anew for each turn, since trust and the project's files change. */
import type { ApprovalPort, Tool } from '../agent/tool.ts';
import type { SessionCommands } from './command-run.ts';

export interface AgentSetup {
	systemPrompt?: string;
	/** What the model may call; nothing where absent. */
	tools?: readonly Tool[];
	/** Who allows what tools write and run; they may do neither where absent. */
	approval?: ApprovalPort;
	/** Runs a person's `!` commands; refused where absent. */
	commands?: SessionCommands;
}
