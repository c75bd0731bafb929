// The scripted sessions of the benchmark, ready to be replayed.
import { chatterTurn } from './chatter.mjs';
import { smallTurn } from './filler.mjs';
import { Script } from './script.mjs';
import * as bugHunt from './sessions/bug-hunt.mjs';
import * as dataPipeline from './sessions/data-pipeline.mjs';
import * as embeddedReview from './sessions/embedded-review.mjs';
import * as featureBuild from './sessions/feature-build.mjs';
import * as mobileRelease from './sessions/mobile-release.mjs';
import * as refactor from './sessions/refactor.mjs';
import * as researchOps from './sessions/research-ops.mjs';

const modules = [
	bugHunt,
	featureBuild,
	refactor,
	researchOps,
	dataPipeline,
	mobileRelease,
	embeddedReview,
];

/**
 * All sessions: name, entries, facts, fileCalls, and isHeldOut where nobody tuned on it. Sessions that
 * are held out have small talk of their own too.
 */
export function scriptedSessions() {
	return modules.map(({ name, write, isHeldOut = false }, index) => {
		const script = new Script(index + 1, isHeldOut ? chatterTurn : smallTurn);
		write(script);
		const { entries, facts, fileCalls } = script;
		return { name, isHeldOut, entries, facts, fileCalls };
	});
}
