// What stands between the facts of a scripted session: file contents, and small requests done at once.

const NOUNS =
	'account address batch buffer cache channel cursor digest entry event field filter frame group header index item ledger limit line list lock marker member method node offset option order packet page parser path pointer pool query queue range record region reply request result route row rule sample schema scope segment session shard signal slot snapshot source stage state status stream table target task ticket timer token topic tree unit value vector view window worker zone'.split(
		' ',
	);
const VERBS =
	'apply build check clear collect compare copy count decode drain emit encode expand fetch find flush format group hash insert join load map mark merge move notify open parse patch pick print push queue rank read reduce remove render replace reset resolve rotate scan select send skip sort split store swap sync trim update verify walk wrap write'.split(
		' ',
	);

function picker(seed) {
	let state = seed;
	return (list) => {
		state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
		return list[(state >> 8) % list.length];
	};
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** The contents of a file; some 45 characters a line. */
export function output(seed, path, lines = 40 + (seed % 50)) {
	const pick = picker(seed);
	const made = [`// ${path}`];
	while (made.length < lines) {
		const [verb, noun, other] = [pick(VERBS), pick(NOUNS), pick(NOUNS)];
		const name = `${verb}${capital(noun)}`;
		made.push(
			pick([
				`export function ${name}(${other}, ${noun}s) {`,
				`\tconst ${noun} = ${verb}${capital(other)}(${other}.${noun}, ${seed % 97});`,
				`\tif (!${noun}.${other}) return ${verb}${capital(other)}(${noun});`,
				`\tfor (const ${noun} of ${other}.${noun}s) ${verb}(${noun});`,
				`\treturn { ${noun}, ${other}: ${name}(${noun}) };`,
				`}`,
				`/** ${capital(verb)}s the ${noun} of each ${other}. */`,
			]),
		);
	}
	return made.join('\n');
}

/** What an assistant says before it looks at a file. */
export function narration(seed, path) {
	const pick = picker(seed);
	const file = path.split('/').at(-1);
	return pick([
		`Let me look at ${file} first.`,
		`Now ${path}.`,
		`I want to see how ${file} handles the ${pick(NOUNS)} before changing anything.`,
		`Checking ${file} for the ${pick(NOUNS)}.`,
		`${capital(file)} is next.`,
		`That leads to ${file}, so let me read it.`,
	]);
}

/** A request that is done in the turn that makes it; nothing of it need be remembered. */
export function smallTurn(seed) {
	const pick = picker(seed);
	const [noun, other, verb] = [pick(NOUNS), pick(NOUNS), pick(VERBS)];
	const name = `${verb}${capital(noun)}`;
	const path = `lib/${noun}/${verb}-${other}.ts`;
	const [request, answer] = pick([
		[
			`can you rename ${name} to ${verb}${capital(other)}`,
			`Renamed it in ${path} and its callers.`,
		],
		[
			`The comment above ${name} is wrong, fix it please.`,
			`The comment says now that ${name} takes the ${other} by value.`,
		],
		[
			`typo in the ${noun} message: "${other.slice(0, -1)}" lacks its last letter`,
			`Fixed the typo in ${path}.`,
		],
		[
			`Move ${name} into its own file.`,
			`${capital(name)} lives in ${path} now; the old file imports it from there.`,
		],
		[
			`What does ${name} return for an empty ${other}?`,
			`It returns undefined: the loop never runs. I added a line to its doc comment that says so.`,
		],
		[`sort the imports in ${path}`, `Sorted. Nothing else in the file changed.`],
		[
			`the ${noun} test takes ages, have a look?`,
			`It waited for a real timer. It uses a fake clock now and takes 40 ms.`,
		],
		[
			`Add a log line when the ${noun} is empty.`,
			`Added a debug line to ${name}; it names the ${other}.`,
		],
		[
			`${name} should only run when there is a ${other}, otherwise skip it`,
			`It returns early without a ${other} now, and the callers no longer check for one themselves.`,
		],
		[
			`don't allocate a new ${noun} in every iteration of ${name}, that shows up in profiles`,
			`I decided to reuse one ${noun} for the whole loop instead of making one each time; ${path} has it.`,
		],
		[
			`Make sure ${name} closes the ${other} when it throws.`,
			`The ${other} is closed in a finally block. I also found that the happy path closed it twice, which did no harm but is gone.`,
		],
		[
			`in ${path} use a Map rather than an object please`,
			`${capital(name)} keeps its ${noun}s in a Map now. Lookups went from ${1 + (seed % 8)}2 ms to 3 ms for the large sample.`,
		],
	]);
	const command = pick(['', '', 'npm test -- lib', 'npx tsc --noEmit', 'git diff --stat']);
	const result = { 'npm test -- lib': '  41 passing (2s)', 'git diff --stat': ' 1 file changed' };
	return {
		...{ request, answer, path, command },
		intro: narration(seed, path),
		result: result[command] ?? '(no output)',
	};
}
