/** Tells an Enter that sends from one that belongs to an input method or to the text. */

/** Some input methods end the composition first and deliver its Enter as a plain key just after. */
const AFTER_COMPOSITION_MS = 100;

/** The key code that browsers give to keys an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229;

export interface KeyPress {
	key: string;
	keyCode: number;
	isComposing: boolean;
	shiftKey: boolean;
	ctrlKey: boolean;
	altKey: boolean;
	metaKey: boolean;
	timeStamp: number;
}

export class EnterKey {
	private compositionEnd = Number.NEGATIVE_INFINITY;

	/** Notes the end of a composition, at the event's time stamp. */
	compositionEnded(timeStamp: number): void {
		this.compositionEnd = timeStamp;
	}

	/** True where this key press means "send". */
	sends(press: KeyPress): boolean {
		if (press.key !== 'Enter' || press.isComposing) return false;
		if (press.keyCode === TAKEN_BY_INPUT_METHOD) return false;
		if (press.timeStamp - this.compositionEnd < AFTER_COMPOSITION_MS) return false;
		return !press.shiftKey && !press.altKey;
	}
}
