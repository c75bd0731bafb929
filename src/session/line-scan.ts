/** Finds the lines of a file in its bytes, chunk by chunk, without turning them into text. */

const NEWLINE = 0x0a;

/**
 * Called for each line with the bytes that hold it (valid during the call alone), where in them it
 * begins and ends, and where in the file it begins.
 */
export type LineListener = (bytes: Uint8Array, start: number, end: number, offset: number) => void;

export class LineScanner {
	private readonly onLine: LineListener;
	/** The beginning of a line whose end has not come yet. */
	private rest: Uint8Array[] = [];
	private restBytes = 0;
	/** Where in the file the next chunk begins. */
	private nextOffset: number;

	/** @param offset where in the file the first chunk begins */
	constructor(offset: number, onLine: LineListener) {
		this.nextOffset = offset;
		this.onLine = onLine;
	}

	/** Takes the next chunk; its bytes may be reused afterwards. */
	push(chunk: Uint8Array): void {
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
			if (this.restBytes > 0) this.endRest(chunk.subarray(start, end));
			else this.onLine(chunk, start, end, this.nextOffset + start);
			start = end + 1;
		}
		if (start < chunk.length) {
			// A copy: the slice of a Node buffer would be a view of bytes that are reused.
			this.rest.push(new Uint8Array(chunk.subarray(start)));
			this.restBytes += chunk.length - start;
		}
		this.nextOffset += chunk.length;
	}

	/** Hands over a last line without a newline. */
	finish(): void {
		if (this.restBytes > 0) this.endRest(new Uint8Array());
	}

	/** Where in the file the bytes end that were pushed. */
	get offset(): number {
		return this.nextOffset;
	}

	/** Bytes of a last line that no newline has ended yet. */
	get pendingBytes(): number {
		return this.restBytes;
	}

	private endRest(end: Uint8Array): void {
		const line = new Uint8Array(this.restBytes + end.length);
		let at = 0;
		for (const part of this.rest) {
			line.set(part, at);
			at += part.length;
		}
		line.set(end, at);
		// `nextOffset` is still that of the chunk in which the line ends.
		const offset = this.nextOffset - this.restBytes;
		this.rest = [];
		this.restBytes = 0;
		this.onLine(line, 0, line.length, offset);
	}
}
