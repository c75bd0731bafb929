/** A session in bytes, for tests: read in chunks of any size, out of one buffer that is reused. */
import type { LinePlace } from '../../src/session/entry-store.ts';
import {
	linePlaces,
	type FileChange,
	type SessionStorage,
} from '../../src/session/session-storage.ts';

const NEWLINE = 0x0a;

export class BytesSessionStorage implements SessionStorage {
	readonly location = '(bytes)';
	private bytes: Uint8Array;
	private readonly chunkBytes: number;

	constructor(bytes: Uint8Array, chunkBytes = 1 << 20) {
		this.bytes = bytes;
		this.chunkBytes = chunkBytes;
	}

	async *chunks(from: number): AsyncIterable<Uint8Array> {
		const buffer = new Uint8Array(Math.min(this.chunkBytes, this.bytes.length));
		for (let at = from; at < this.bytes.length; at += buffer.length) {
			const chunk = this.bytes.subarray(at, at + buffer.length);
			buffer.set(chunk);
			yield buffer.subarray(0, chunk.length);
			// Whoever still looks at a chunk that is no longer valid sees nonsense.
			buffer.fill(0xff);
		}
	}

	read(offset: number, length: number): Uint8Array {
		return this.bytes.subarray(offset, offset + length);
	}

	append(lines: readonly string[]): Promise<LinePlace[]> {
		const isTorn = this.bytes.length > 0 && this.bytes.at(-1) !== NEWLINE;
		const closing = isTorn ? '\n' : '';
		const lengths = lines.map((line) => Buffer.byteLength(line));
		const places = linePlaces(lengths, this.bytes.length + closing.length);
		const text = closing + lines.map((line) => `${line}\n`).join('');
		this.bytes = Buffer.concat([this.bytes, Buffer.from(text)]);
		return Promise.resolve(places);
	}

	change(): Promise<FileChange> {
		return Promise.resolve('none');
	}

	lock(): Promise<() => Promise<void>> {
		return Promise.resolve(() => Promise.resolve());
	}
}
