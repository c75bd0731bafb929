/** The calls and the command that are at work: whole for a page that has just loaded, then what is new. */
import {
	NO_OUTPUT,
	withOutput,
	type LiveRun,
	type QuestionView,
	type Tail,
} from '../../protocol/live-run.ts';
import type { Question } from '../agent/approvals.ts';

export class LiveRuns {
	private runs: LiveRun[] = [];
	private readonly unsent = new Map<string, Tail>();

	/** All that is at work; taking it is sending it. */
	take(): LiveRun[] {
		this.unsent.clear();
		return this.runs.map((run) => ({ ...run }));
	}

	/** What was printed since the last call, by run. */
	takeOutput(): { id: string; output: Tail }[] {
		const outputs = [...this.unsent].map(([id, output]) => ({ id, output }));
		this.unsent.clear();
		return outputs;
	}

	startCall(callId: string): void {
		this.end(callId);
		const id = crypto.randomUUID();
		this.runs.push({ kind: 'tool', id, callId, question: null, output: NO_OUTPUT });
	}

	startCommand(command: string, inContext: boolean): void {
		const id = crypto.randomUUID();
		this.runs.push({ kind: 'command', id, command, inContext, output: NO_OUTPUT });
	}

	/** Adds what a call, or the command where there is none, has printed. */
	addOutput(callId: string | undefined, text: string): void {
		const run = this.runs.find((each) => isOf(each, callId));
		if (!run) return;
		const more = { text, cut: 0 };
		run.output = withOutput(run.output, more);
		this.unsent.set(run.id, withOutput(this.unsent.get(run.id) ?? NO_OUTPUT, more));
	}

	/** Ends a call, or the command where there is none. */
	end(callId?: string): void {
		this.runs = this.runs.filter((run) => !isOf(run, callId));
	}

	get isEmpty(): boolean {
		return this.runs.length === 0;
	}

	/** Takes over which calls wait for approval. */
	setQuestions(questions: readonly Question[]): void {
		const byCall = new Map(questions.map((each) => [each.request.toolCallId, each]));
		// A page's counterpart that is made anew knows of no call yet.
		for (const callId of byCall.keys())
			if (!this.runs.some((run) => isOf(run, callId))) this.startCall(callId);
		for (const run of this.runs) {
			if (run.kind !== 'tool') continue;
			const question = byCall.get(run.callId);
			run.question = question ? questionView(question) : null;
		}
	}

	clear(): void {
		this.runs = [];
		this.unsent.clear();
	}
}

function isOf(run: LiveRun, callId: string | undefined): boolean {
	return run.kind === 'tool' ? run.callId === callId : callId === undefined;
}

function questionView({ requestId, request, grant }: Question): QuestionView {
	const { act, toolName: tool } = request;
	const told = { requestId, tool, lasting: grant !== undefined };
	switch (act.kind) {
		case 'run':
			return { ...told, kind: 'run', text: act.command, folder: act.folder };
		case 'write':
		case 'edit': {
			const kind = act.before === undefined ? 'create' : 'change';
			return { ...told, kind, text: act.path, folder: null };
		}
		case 'other':
			return {
				...told,
				kind: 'other',
				text: JSON.stringify(act.arguments, undefined, 2),
				folder: null,
			};
	}
}
