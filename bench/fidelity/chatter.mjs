// The held-out sessions' small requests: about what is seen rather than about code, in plain words.

const PARTS =
	'header,footer,sidebar,search box,settings page,login form,date picker,toast,empty state,progress bar,user menu,filter row,map view,price label,help text,photo gallery,notification badge,onboarding,breadcrumb,share sheet'.split(
		',',
	);
const STATES =
	'on small screens,in landscape,in dark mode,after a reload,while offline,for guests,with long names,on the first visit,with a slow connection,when there is just one entry'.split(
		',',
	);
const TURNS = [
	[
		'the {part} looks a bit off {state}',
		'It was the line height. The {part} lines up with its neighbours {state} as well.',
	],
	[
		'only show the {part} when there is something in it',
		'The {part} stays hidden as long as it has nothing to show. {State} that was the case already.',
	],
	[
		'no animation for the {part}, it is annoying',
		'Removed the animation of the {part} and the two style rules that nothing else used.',
	],
	[
		"the {part} shouldn't jump {state}",
		'Gave the {part} a fixed height, so nothing moves {state} any more.',
	],
	[
		'could the {part} remember where it was {state}?',
		'It does now. I put the position into session storage instead of the address, which stays readable that way.',
	],
	[
		'use the darker grey for the {part}',
		'Switched the {part} to the darker grey; the contrast is 5.1 to 1 now.',
	],
	[
		'why does the {part} flicker {state}',
		'Because it was drawn twice: once with stale data, once with the answer. The first drawing is gone.',
	],
	[
		'make the {part} a little wider {state}, and keep the corners round',
		'Wider by a fifth, the corners are as they were.',
	],
	[
		'the {part} must not cover the keyboard',
		'It moves up with the keyboard. Went with the visual viewport for that, because resize events come late.',
	],
	[
		'hm, the {part} has too much padding {state}',
		'Halved the padding, and the tap area is still as large as before.',
	],
	[
		'can you check that the {part} works {state}',
		'It does. I tried it {state}, with and without text.',
	],
	['please never autofocus the {part}', 'Done, the {part} waits for a tap or a key now.'],
	[
		'there is an error in the console from the {part} {state}, not urgent',
		'A handler ran after its view was gone. It is taken off on leaving now, and the console is quiet.',
	],
];

/** The same shape as filler.mjs gives. */
export function chatterTurn(seed) {
	let state = seed;
	const pick = (list) => {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		return list[(state >> 8) % list.length];
	};
	const [part, when] = [pick(PARTS), pick(STATES)];
	const fill = (text) =>
		text
			.replaceAll('{part}', part)
			.replaceAll('{state}', when)
			.replaceAll('{State}', when[0].toUpperCase() + when.slice(1));
	const [request, answer] = pick(TURNS).map(fill);
	const path = `ui/${part.replace(/ /g, '-')}/${pick(['index', 'style', 'view', 'state'])}.tsx`;
	const command = pick(['', '', 'yarn jest ui', 'git diff --stat']);
	return {
		...{ request, answer, path, command },
		intro: pick([`Looking at the ${part}.`, `The ${part} first.`, 'Let me see.']),
		result: command === 'yarn jest ui' ? 'Tests:       58 passed, 58 total' : ' 1 file changed',
	};
}
