/** What reaches the terminal: text of sessions must not steer it. */

/** Control characters but line ends and tabs, and those that change the direction of text. */

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function printable(text: string): string {
	return text.replace(STEERING, '\ufffd');
}

/** A message to the person, on standard error. */
export function tell(message: string): void {
	console.error(printable(message));
}

/** Text for the person on standard output; resolves when it has left the process. */
export function printText(text: string): Promise<void> {
	return print(printable(text));
}

/** The one document on standard output; JSON escapes control characters itself. */
export function printJson(value: unknown): Promise<void> {
	return print(JSON.stringify(value, undefined, '\t'));
}

/** A reader that has seen enough and hung up is no failure. */
function print(text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		process.stdout.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EPIPE') resolve();
			else reject(error);
		});
		process.stdout.write(`${text}\n`, (error) => {
			if (!error) resolve();
		});
	});
}
