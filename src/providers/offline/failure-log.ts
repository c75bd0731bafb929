/** Owns knowing which failures are still open: a failure ends when the same command or edit succeeds. */
import {
	checkName,
	covers,
	failureText,
	hasFailed,
	isCheck,
	segmentsOf,
	shownCommand,
} from './commands.ts';
import type { FailureFact } from './outline.ts';

/** Failures that were no check count only when they are this recent, in turns. */
const RECENT_TURNS = 2;
/** Errors of commands that are no check: telling, but nobody runs them again to see them pass. */
const GRAVE = /\b(?:fatal|panic|error|exception|denied|refused)\b|Error:/i;
const MOST_OPEN = 8;
const MOST_FIXED = 12;

interface Failure extends FailureFact {
	segments: string[];
	turn: number;
	check: boolean;
	/** True once another check passed after this failure. */
	passedSince: boolean;
}

export class FailureLog {
	#open: Failure[] = [];
	readonly #fixed: string[] = [];
	readonly checks = new Map<string, string>();

	/** Takes over what an earlier summary left open. */
	carry(failures: readonly FailureFact[]): void {
		for (const failure of failures)
			this.#open.push({
				...failure,
				segments: segmentsOf(failure.command),
				turn: 0,
				check: true,
				passedSince: failure.stale ?? false,
			});
	}

	/** Records a shell command's result. Returns true where it failed. */
	command(command: string, output: string, isError: boolean, turn: number): boolean {
		const segments = segmentsOf(command);
		if (segments.length === 0) return false;
		const failed = hasFailed(segments, output, isError);
		const shown = shownCommand(command);
		const check = segments.find(isCheck);
		if (failed) {
			const last = segments.filter(isCheck).slice(-1);
			this.#fail({
				command: shown,
				text: failureText(output),
				segments: last.length > 0 ? last : segments.slice(-1),
				turn,
				check: check !== undefined,
				passedSince: false,
			});
		} else this.#pass(segments);
		if (check) {
			for (const known of this.checks.keys())
				if (checkName(known) === checkName(check)) this.checks.delete(known);
			this.checks.set(check, failed ? 'failed last' : 'passed last');
		}
		return failed;
	}

	/** Records the result of any other tool, told apart by name and path. */
	tool(name: string, output: string, isError: boolean, turn: number): void {
		if (isError)
			this.#fail({
				command: name,
				text: failureText(output),
				segments: [name],
				turn,
				check: false,
				passedSince: false,
			});
		else this.#pass([name]);
	}

	#fail(failure: Failure): void {
		this.#open = this.#open.filter(
			(open) =>
				!failure.segments.some((segment) => open.segments.some((old) => covers(segment, old))),
		);
		this.#open.push(failure);
	}

	#pass(segments: readonly string[]): void {
		if (this.#open.length === 0) return;
		const check = segments.some(isCheck);
		this.#open = this.#open.filter((open) => {
			const passed =
				open.segments.some((old) => segments.some((segment) => covers(segment, old))) ||
				(open.command === '' && segments.some((done) => isCheck(done) && open.text.includes(done)));
			if (passed && open.check)
				this.#fixed.push(`\`${open.command}\` failed (${open.text}), then passed`);
			open.passedSince ||= check;
			return !passed;
		});
	}

	/**
	 * What still fails after turn number `lastTurn`, oldest first. Of failures with the same message the
	 * newest stands for all.
	 */
	open(lastTurn: number): { blocked: FailureFact[]; stale: FailureFact[] } {
		const byText = new Map<string, Failure>();
		for (const failure of this.#open) {
			byText.delete(failure.text);
			byText.set(failure.text, failure);
		}
		const blocked: FailureFact[] = [];
		const stale: FailureFact[] = [];
		for (const { command, text, check, turn, passedSince, stale: was } of byText.values()) {
			const recent = turn > lastTurn - RECENT_TURNS;
			const grave = GRAVE.test(text);
			if (!recent && (check ? was || passedSince : grave))
				stale.push({ command, text, stale: true });
			else if (recent || check) blocked.push({ command, text });
		}
		return { blocked: blocked.slice(-MOST_OPEN), stale: stale.slice(-MOST_OPEN) };
	}

	fixed(): string[] {
		return this.#fixed.slice(-MOST_FIXED);
	}
}
