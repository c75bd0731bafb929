/**
 * The reader's position. At the end the view follows what comes; one pixel above it nothing moves
 * what is being read. The newest act of the reader always wins over a pending scroll.
 */

/** A place in the conversation: an item, and how far its top is from the top of the view. */
export interface ReadingPlace {
	itemId: string;
	offset: number;
}

/** Positions are whole or fractional with the zoom; less than this is the same position. */
const SAME_PX = 0.6;

const UPWARD_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

export class ScrollKeeper {
	private readonly view: HTMLElement;
	private readonly onChange: (following: boolean) => void;
	private readonly onSettled: (place: ReadingPlace | null) => void;
	private readonly sizes: ResizeObserver;
	private lastTop = 0;
	private isFollowing = true;
	private settle: ReturnType<typeof setTimeout> | undefined;

	/**
	 * @param view scrolls; its first child holds the items, each with a data-id
	 * @param onChange is told when following begins or ends
	 * @param onSettled is told where the reader is, a moment after scrolling; null at the end
	 */
	constructor(
		view: HTMLElement,
		onChange: (following: boolean) => void,
		onSettled: (place: ReadingPlace | null) => void,
	) {
		this.view = view;
		this.onChange = onChange;
		this.onSettled = onSettled;
		this.lastTop = view.scrollTop;
		view.addEventListener('scroll', () => this.scrolled(), { passive: true });
		view.addEventListener('wheel', (event) => event.deltaY < 0 && this.readerMovesUp(), {
			passive: true,
		});
		view.addEventListener('keydown', (event) => UPWARD_KEYS.has(event.key) && this.readerMovesUp());
		// Who opens a fold wants to read it, not to be carried past it.
		view.addEventListener('click', (event) => this.clicked(event), { capture: true });
		this.sizes = new ResizeObserver(() => this.resized());
		this.sizes.observe(view);
		if (view.firstElementChild) this.sizes.observe(view.firstElementChild);
	}

	get following(): boolean {
		return this.isFollowing;
	}

	dispose(): void {
		this.sizes.disconnect();
		clearTimeout(this.settle);
	}

	/** Goes to the end if the reader is following. */
	follow(): void {
		if (!this.isFollowing) return;
		if (this.distance() >= SAME_PX) this.view.scrollTop = this.view.scrollHeight;
		this.lastTop = this.view.scrollTop;
	}

	/** Goes to the end, and follows from now on. */
	jumpToEnd(): void {
		this.setFollowing(true);
		this.follow();
	}

	/** Shows the beginning of what is too high for the view, instead of its end; it must be read. */
	showStart(element: HTMLElement): void {
		if (!this.isFollowing || element.offsetHeight <= this.view.clientHeight) return;
		this.setFollowing(false);
		const top = this.view.getBoundingClientRect().top;
		this.view.scrollTop += element.getBoundingClientRect().top - top;
		this.lastTop = this.view.scrollTop;
	}

	/** Where the reader is: the first item that is at least partly in view. */
	place(): ReadingPlace | undefined {
		const top = this.view.getBoundingClientRect().top;
		for (const element of this.view.querySelectorAll<HTMLElement>('[data-id]')) {
			const box = element.getBoundingClientRect();
			const itemId = element.dataset.id;
			if (box.bottom > top && itemId) return { itemId, offset: box.top - top };
		}
		return undefined;
	}

	/** Puts an item back to where it was; false where it is gone. */
	restore({ itemId, offset }: ReadingPlace): boolean {
		const element = this.view.querySelector<HTMLElement>(`[data-id="${CSS.escape(itemId)}"]`);
		if (!element) return false;
		this.setFollowing(false);
		const now = element.getBoundingClientRect().top - this.view.getBoundingClientRect().top;
		if (Math.abs(now - offset) >= SAME_PX) this.view.scrollTop += now - offset;
		this.lastTop = this.view.scrollTop;
		return true;
	}

	private distance(): number {
		return this.view.scrollHeight - this.view.clientHeight - this.view.scrollTop;
	}

	/** A fold that closes may bring the end into view, and then there is nothing to jump to. */
	private resized(): void {
		if (this.distance() < SAME_PX) this.setFollowing(true);
		this.follow();
	}

	private scrolled(): void {
		const top = this.view.scrollTop;
		const distance = this.distance();
		// Content that shrinks also moves the top, but then the end stays in view.
		if (top < this.lastTop && distance >= SAME_PX) this.setFollowing(false);
		else if (top > this.lastTop && distance <= 1) this.setFollowing(true);
		this.lastTop = top;
		clearTimeout(this.settle);
		this.settle = setTimeout(() => {
			this.onSettled(this.isFollowing ? null : (this.place() ?? null));
		}, 200);
	}

	private readerMovesUp(): void {
		if (this.view.scrollHeight > this.view.clientHeight && this.view.scrollTop > 0)
			this.setFollowing(false);
	}

	private clicked(event: Event): void {
		if (event.target instanceof Element && event.target.closest('summary'))
			this.setFollowing(false);
	}

	private setFollowing(following: boolean): void {
		if (following === this.isFollowing) return;
		this.isFollowing = following;
		this.onChange(following);
	}
}
