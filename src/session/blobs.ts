/**
 * oh-my-pi keeps large images, and very long texts, outside its sessions, under the hash of their bytes.
 * They are put in where a model is to see them; the session is never changed.
 */
import type { AgentMessage } from './messages.ts';

/** Where the bytes lie; undefined where they are no more. */
export interface BlobStore {
	base64(sha256: string): Promise<string | undefined>;
	text(sha256: string): Promise<string | undefined>;
}

const IMAGE = /^blob:sha256:([0-9a-f]{64})$/;
const TEXT = /^blobtext:sha256:([0-9a-f]{64})$/;
const GONE =
	'(This was kept outside the session by oh-my-pi, and is not on this machine any more.)';

/** The kind and the hash of what a part of a message stands for; undefined for an ordinary part. */
function referenceIn(part: unknown): { image: boolean; sha256: string } | undefined {
	if (typeof part !== 'object' || part === null) return undefined;
	const { type, data, text } = part as Record<string, unknown>;
	const image = type === 'image' && typeof data === 'string' ? IMAGE.exec(data)?.[1] : undefined;
	if (image) return { image: true, sha256: image };
	const long = type === 'text' && typeof text === 'string' ? TEXT.exec(text)?.[1] : undefined;
	return long ? { image: false, sha256: long } : undefined;
}

/** The messages with what they refer to; those that refer to nothing come back as they are. */
export function withBlobs(
	messages: readonly AgentMessage[],
	store: BlobStore,
): Promise<AgentMessage[]> {
	return Promise.all(
		messages.map(async (message) => {
			const content: unknown = 'content' in message ? message.content : undefined;
			if (!Array.isArray(content) || !content.some(referenceIn)) return message;
			const parts = await Promise.all(content.map((part: unknown) => withBlob(part, store)));
			return { ...message, content: parts } as AgentMessage;
		}),
	);
}

async function withBlob(part: unknown, store: BlobStore): Promise<unknown> {
	const reference = referenceIn(part);
	if (!reference) return part;
	const { image, sha256 } = reference;
	const found = await (image ? store.base64(sha256) : store.text(sha256));
	if (found === undefined) return { type: 'text', text: GONE };
	return image ? { ...(part as object), data: found } : { type: 'text', text: found };
}
