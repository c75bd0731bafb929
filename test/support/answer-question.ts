/** Answers the question that a command of the extension puts on the screen. For the extension host. */
import * as vscode from 'vscode';

/** Runs a command with an argument, and answers its question with a workbench command. */
export async function runAndAnswer(
	command: string,
	argument: unknown,
	answer: string,
): Promise<void> {
	const done = Promise.resolve(vscode.commands.executeCommand(command, argument));
	let finished = false;
	void done.finally(() => (finished = true));
	// The question may not be on the screen yet when it is answered first.
	for (let tries = 0; !finished && tries < 50; tries++) {
		await new Promise((resolve) => setTimeout(resolve, 100));
		await vscode.commands.executeCommand(answer);
	}
	await done;
}
