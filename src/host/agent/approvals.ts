/** Asks the person before a tool writes or runs, and remembers what they allowed for longer. */
import type { ApprovalPort, ApprovalRequest } from '../../agent/tool.ts';
import { clipMiddle } from '../../util/clip-text.ts';
import { Emitter } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { grantFor, isSameGrant, parseGrants } from './approval-rules.ts';
import type { ApprovalScope, Grant } from './approval-rules.ts';

/** What a person decides; the model is told the reason of a refusal. */
export type ApprovalDecision = { allow: ApprovalScope } | { refuse: string };

/** A call that waits for a person. */
export interface Question {
	requestId: string;
	sessionId: string;
	request: ApprovalRequest;
	/** What allowing it for longer would cover; absent where it can only be allowed once. */
	grant: Grant | undefined;
}

/** Something allowed for longer, and for how long. */
export interface GrantInForce {
	grant: Grant;
	scope: Exclude<ApprovalScope, 'once'>;
	/** The session that it is for; absent for the workspace. */
	sessionId?: string;
}

export interface ApprovalParts {
	/** The workspace's memory. */
	memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
	/** False in a workspace that the person does not trust: nothing is allowed there. */
	isTrusted(): boolean;
	log: Logger;
}

const WORKSPACE_GRANTS = 'allowedTools';
/** Characters of a reason that the model is told. */
const LONGEST_REASON = 4_000;
const WITHDRAWN = 'the turn was stopped before anybody answered.';

interface Waiting extends Question {
	settle(answer: 'allow' | { refused: string }): void;
}

export class Approvals {
	/** Fires when a question comes or goes. */
	readonly onDidChange: Emitter<void>;
	private readonly parts: ApprovalParts;
	private readonly waiting = new Map<string, Waiting>();
	private readonly sessionGrants = new Map<string, Grant[]>();
	private workspaceGrants: Grant[];

	constructor(parts: ApprovalParts) {
		this.parts = parts;
		this.workspaceGrants = parseGrants(parts.memory.get(WORKSPACE_GRANTS));
		this.onDidChange = new Emitter((error) => parts.log.error(`A view failed: ${String(error)}`));
	}

	/**
	 * Who is asked for a session's tools.
	 * @param folder the workspace folder that these work in, an absolute path
	 */
	forSession(sessionId: string, folder: string): ApprovalPort {
		return { ask: (request, signal) => this.ask({ sessionId, folder, request }, signal) };
	}

	/** The questions of a session, or of all, the oldest first. */
	pending(sessionId?: string): Question[] {
		const all = [...this.waiting.values()];
		return sessionId === undefined ? all : all.filter((each) => each.sessionId === sessionId);
	}

	/** The question, while it waits. */
	question(requestId: string): Question | undefined {
		return this.waiting.get(requestId);
	}

	/**
	 * Answers a question.
	 * @returns false where it does not wait (any more), or cannot be allowed for so long: nothing is done
	 */
	answer(requestId: string, decision: ApprovalDecision): boolean {
		const question = this.waiting.get(requestId);
		if (!question) return false;
		if ('refuse' in decision) {
			this.settle(question, { refused: refusal(decision.refuse) });
			return true;
		}
		const { grant, sessionId } = question;
		if (decision.allow !== 'once') {
			if (!grant) return false;
			this.remember({ grant, scope: decision.allow, sessionId });
		}
		this.settle(question, 'allow');
		return true;
	}

	/** All that is allowed for longer than once. */
	grants(): GrantInForce[] {
		const ofSessions = [...this.sessionGrants].flatMap(([sessionId, grants]) =>
			grants.map((grant) => ({ grant, scope: 'session' as const, sessionId })),
		);
		const ofWorkspace = this.workspaceGrants.map((grant) => ({
			grant,
			scope: 'workspace' as const,
		}));
		return [...ofSessions, ...ofWorkspace];
	}

	/** Takes grants back: what they covered is asked again. */
	revoke(grants: readonly GrantInForce[]): void {
		for (const { grant, scope, sessionId = '' } of grants) {
			const others = (all: readonly Grant[]) => all.filter((each) => !isSameGrant(each, grant));
			if (scope === 'workspace') this.saveWorkspace(others(this.workspaceGrants));
			else this.sessionGrants.set(sessionId, others(this.sessionGrants.get(sessionId) ?? []));
		}
	}

	private ask(
		{ sessionId, folder, request }: { sessionId: string; folder: string; request: ApprovalRequest },
		signal: AbortSignal,
	): Promise<'allow' | { refused: string }> {
		if (!this.parts.isTrusted())
			return Promise.resolve({ refused: 'the workspace is not trusted.' });
		if (signal.aborted) return Promise.resolve({ refused: WITHDRAWN });
		const grant = grantFor(request, folder);
		if (grant && this.isGranted(grant, sessionId)) return Promise.resolve('allow');
		return new Promise((resolve) => {
			const withdraw = () => this.settle(question, { refused: WITHDRAWN });
			const question: Waiting = {
				requestId: crypto.randomUUID(),
				sessionId,
				request,
				grant,
				settle: (answer) => {
					signal.removeEventListener('abort', withdraw);
					resolve(answer);
				},
			};
			signal.addEventListener('abort', withdraw, { once: true });
			this.waiting.set(question.requestId, question);
			this.onDidChange.emit();
		});
	}

	private settle(question: Waiting, answer: 'allow' | { refused: string }): void {
		this.waiting.delete(question.requestId);
		question.settle(answer);
		this.onDidChange.emit();
	}

	private isGranted(wanted: Grant, sessionId: string): boolean {
		const grants = [...this.workspaceGrants, ...(this.sessionGrants.get(sessionId) ?? [])];
		return grants.some((grant) => isSameGrant(grant, wanted));
	}

	private remember({ grant, scope, sessionId }: Required<GrantInForce>): void {
		if (this.isGranted(grant, sessionId) && scope === 'session') return;
		if (scope === 'workspace') {
			const others = this.workspaceGrants.filter((each) => !isSameGrant(each, grant));
			this.saveWorkspace([...others, grant]);
		} else this.sessionGrants.set(sessionId, [...(this.sessionGrants.get(sessionId) ?? []), grant]);
	}

	private saveWorkspace(grants: Grant[]): void {
		this.workspaceGrants = grants;
		this.parts.memory.update(WORKSPACE_GRANTS, grants).then(undefined, (error: unknown) => {
			const why = errorText(error);
			this.parts.log.error(`What is allowed in this workspace could not be saved: ${why}`);
		});
	}
}

/** As the model is told it. */
function refusal(reason: string): string {
	const told = clipMiddle(reason.trim(), LONGEST_REASON);
	return told ? `the person refused, and says: ${told}` : 'the person refused.';
}
