/** Reads an answer's text, but no more of it than a limit. */

export interface BoundedText {
	text: string;
	/** False where the answer is longer than the limit; the rest was not read. */
	complete: boolean;
}

/** @param limit bytes */
export async function readText(response: Response, limit: number): Promise<BoundedText> {
	const body: ReadableStream<Uint8Array> | null = response.body;
	const reader = body?.getReader();
	const decoder = new TextDecoder();
	let text = '';
	let size = 0;
	for (;;) {
		const next = await reader?.read();
		if (!next?.value) return { text: text + decoder.decode(), complete: true };
		size += next.value.byteLength;
		text += decoder.decode(next.value, { stream: true });
		if (size <= limit) continue;
		await reader?.cancel();
		return { text, complete: false };
	}
}
