/**
 * Gives the beginning of each line of a byte stream, however long the line is: memory stays within one
 * limit, and what lies behind it in a line is passed over unread.
 */

const NEWLINE = 0x0a;

/**
 * Called for each line with the bytes that hold its beginning (valid during the call alone). `whole` is
 * false where the line goes on behind `end`, or where nobody knows whether it does.
 */
export type BeginningListener = (
	bytes: Uint8Array,
	start: number,
	end: number,
	whole: boolean,
) => void;

export class LineBeginnings {
	private readonly limit: number;
	private readonly onLine: BeginningListener;
	/** The beginning of a line that goes on in the next chunk; grows up to the limit. */
	private rest = new Uint8Array();
	private restLength = 0;
	/** True inside a line whose beginning is known but whose end has not come yet. */
	private inLine = false;
	private clipped = false;
	/** True after a gap: the bytes up to the next line end belong to a line whose beginning is unknown. */
	private skipping = false;

	/** @param limit the most bytes of a line that are kept */
	constructor(limit: number, onLine: BeginningListener) {
		this.limit = limit;
		this.onLine = onLine;
	}

	/** Takes the next chunk; its bytes may be reused afterwards. */
	push(chunk: Uint8Array): void {
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
			this.lineEnd(chunk, start, end);
			start = end + 1;
		}
		if (start < chunk.length && !this.skipping) this.keep(chunk, start, chunk.length);
	}

	/** Says that bytes are left out here: the next chunk begins somewhere inside a line. */
	gap(): void {
		if (this.inLine) {
			this.clipped = true;
			this.giveRest();
		}
		this.skipping = true;
	}

	/** Gives the last line where the stream ended without a line end. */
	finish(): void {
		if (this.inLine) this.giveRest();
	}

	private lineEnd(chunk: Uint8Array, start: number, end: number): void {
		if (this.skipping) this.skipping = false;
		else if (this.inLine) {
			this.keep(chunk, start, end);
			this.giveRest();
		} else {
			const whole = end - start <= this.limit;
			this.onLine(chunk, start, whole ? end : start + this.limit, whole);
		}
	}

	private keep(chunk: Uint8Array, start: number, end: number): void {
		this.inLine = true;
		const room = this.limit - this.restLength;
		const taken = Math.min(room, end - start);
		if (taken < end - start) this.clipped = true;
		if (taken === 0) return;
		this.makeRoom(this.restLength + taken);
		this.rest.set(chunk.subarray(start, start + taken), this.restLength);
		this.restLength += taken;
	}

	private makeRoom(length: number): void {
		if (length <= this.rest.length) return;
		const grown = new Uint8Array(Math.min(this.limit, Math.max(length, this.rest.length * 2)));
		grown.set(this.rest.subarray(0, this.restLength));
		this.rest = grown;
	}

	private giveRest(): void {
		this.onLine(this.rest, 0, this.restLength, !this.clipped);
		this.restLength = 0;
		this.inLine = false;
		this.clipped = false;
	}
}
