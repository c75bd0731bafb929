/** The answer that is coming: all of it for a page that has just loaded, the rest for the others. */
import type { LivePart } from '../../protocol/chat-item.ts';

export class LiveAnswer {
	private all: LivePart[] | null = null;
	private unsent: LivePart[] = [];

	/** All that has come; null while no answer is streaming. */
	get parts(): readonly LivePart[] | null {
		return this.all;
	}

	/** Forgets what came; `streaming` says whether more is expected. */
	reset(streaming: boolean): void {
		this.all = streaming ? [] : null;
		this.unsent = [];
	}

	add(part: LivePart): void {
		append((this.all ??= []), part);
		append(this.unsent, part);
	}

	/** What has come since the last call. */
	takeUnsent(): LivePart[] {
		const parts = this.unsent;
		this.unsent = [];
		return parts;
	}
}

/** Adds a piece to a list of parts; neighbours of one type are one part. */
function append(parts: LivePart[], part: LivePart): void {
	const last = parts.at(-1);
	if (last?.type === part.type) last.text += part.text;
	else parts.push({ ...part });
}
