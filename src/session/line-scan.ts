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
	/** Where in the file the chunk begins that is being taken. */
	private chunkOffset: number;

	/** @param offset where in the file the first chunk begins */
	constructor(offset: number, onLine: LineListener) {
		this.chunkOffset = offset;
		this.onLine = onLine;
	}

	/**
	 * Takes the next chunk, or the lines of it that begin from `at` on and before `until`; its bytes may be
	 * reused once it was taken to its end.
	 * @returns where the lines begin that were not taken
	 */
	push(chunk: Uint8Array, at = 0, until = chunk.length): number {
		const stop = Math.min(until, chunk.length);
		let start = at;
		while (start < stop) {
			const end = chunk.indexOf(NEWLINE, start);
			if (end < 0) {
				// A copy: the slice of a Node buffer would be a view of bytes that are reused.
				this.rest.push(new Uint8Array(chunk.subarray(start)));
				this.restBytes += chunk.length - start;
				start = chunk.length;
				break;
			}
			if (this.restBytes > 0) this.endRest(chunk.subarray(start, end));
			else this.onLine(chunk, start, end, this.chunkOffset + start);
			start = end + 1;
		}
		if (start === chunk.length) this.chunkOffset += chunk.length;
		return start;
	}

	/** Hands over a last line without a newline. */
	finish(): void {
		if (this.restBytes > 0) this.endRest(new Uint8Array());
	}

	/** Where in the file the bytes end that were pushed. */
	get offset(): number {
		return this.chunkOffset;
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
		// `chunkOffset` is still that of the chunk in which the line ends.
		const offset = this.chunkOffset - this.restBytes;
		this.rest = [];
		this.restBytes = 0;
		this.onLine(line, 0, line.length, offset);
	}
}
