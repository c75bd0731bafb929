/** Opening sessions for commands, and where commands that write put their result. */
import { resolve } from 'node:path';
import type { Model } from '../agent/model.ts';
import { retryPolicy } from '../config/retry-policy.ts';
import { readSettings } from '../config/settings-schema.ts';
import { copySession } from '../node/copy-session.ts';
import { FileSessionStorage } from '../node/file-session-storage.ts';
import { createOfflineSummarizer } from '../providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../providers/openai/openai-model.ts';
import { createSummaryModels, originOf } from '../providers/summary-models.ts';
import { AgentSession } from '../session/agent-session.ts';
import { SESSION_VERSION } from '../session/entries.ts';
import { SessionManager } from '../session/session-manager.ts';
import { UserError } from '../util/errors.ts';
import { UsageError, type CommandLine } from './arguments.ts';
import { tell } from './terminal.ts';

/** What a command prints: one JSON document, or text for a person. */
export interface CommandOutput {
	json: unknown;
	text: () => string;
}

const opened: SessionManager[] = [];

/** Opens a session for reading. */
export async function openSession(file: string): Promise<SessionManager> {
	const manager = await SessionManager.open(new FileSessionStorage(file));
	opened.push(manager);
	return manager;
}

/** Says what had to be repaired; some damage is found only when an entry is looked at. */
export function tellWarnings(): void {
	for (const { warnings } of opened)
		for (const { message } of warnings) tell(`warning: ${message}`);
}

/**
 * Runs a change on a session and stores its result where the command line says: in a copy that gets
 * its name when all is done, or at the end of the file itself.
 * @throws UserError where an old file would have to be changed in place
 */
export async function changeSession<T>(
	line: CommandLine,
	change: (session: AgentSession) => Promise<T>,
): Promise<T> {
	const manager = await openSession(line.file);
	const run = (target: SessionManager) => change(agentSession(target, line));
	if (line.out !== undefined) {
		if (resolve(line.out) === resolve(line.file))
			throw new UsageError('--out names the session itself; use --in-place to append to it.');
		return copySession(manager, line.out, run);
	}
	if (manager.fileVersion < SESSION_VERSION)
		throw new UserError(
			'old-version',
			`${line.file} is a version ${manager.fileVersion} file, which is never changed in place.`,
			{ kept: 'It was not touched.', hint: 'Use --out FILE: the copy becomes version 3.' },
		);
	return run(manager);
}

/** The session as the command line's options want it. */
export function agentSession(manager: SessionManager, line: CommandLine): AgentSession {
	return new AgentSession(manager, {
		model: () => Promise.resolve(activeModel(line)),
		summaryModels: () => summaryModels(line),
		retry: () => retryPolicy(readSettings(() => undefined).settings),
		offline: createOfflineSummarizer(),
		settings: () => ({
			compaction: { reserveTokens: line.reserve, keepRecentTokens: line.keepRecent },
			branchSummary: { enabled: false, reserveTokens: line.reserve },
			contextWindow: line.contextWindow,
		}),
	});
}

function activeModel(line: CommandLine): Model | undefined {
	if (line.summarizer !== 'openai') return undefined;
	const apiKey = process.env.OPENAI_API_KEY;
	return createOpenAIModel({
		baseUrl: baseUrl(line),
		model: line.model ?? '',
		contextWindow: line.contextWindow,
		...(apiKey ? { apiKey } : {}),
	});
}

/** The models asked for summaries before the active one, in order. */
export function summaryModels(line: CommandLine): Promise<Model[]> {
	const server = baseUrl(line);
	return createSummaryModels(
		{
			remoteEndpoint: line.remoteEndpoint ?? '',
			compactionModel: line.compactionModel ?? '',
			baseUrl: server,
			activeModel: line.model ?? '',
			contextWindow: line.contextWindow,
		},
		(origin) =>
			Promise.resolve(origin === originOf(server) ? process.env.OPENAI_API_KEY : undefined),
	);
}

function baseUrl(line: CommandLine): string {
	return line.baseUrl ?? process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
}
