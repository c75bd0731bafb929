/** What the person said. */
import type { UserItem } from '../../protocol/chat-item.ts';
import { plural } from '../format.ts';
import { PlainText } from './shown-text.tsx';

export function User({ item }: { item: UserItem }) {
	return (
		<>
			<h2 class="role">You</h2>
			<PlainText kind="typed" shown={item.text} entryId={item.id} />
			{item.images > 0 && <p class="quiet">{`with ${plural(item.images, 'image')}`}</p>}
		</>
	);
}
