/** Sessions with tool outputs, for tests of pruning. */
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from './session-builder.ts';

/** `results` calls of bash, each with an output of so many tokens: `r1` is the oldest. */
export function sessionWithOutputs(results: number, tokens: number): SessionBuilder {
	const session = new SessionBuilder();
	session.user('begin', 'u1');
	for (let number = 1; number <= results; number++) {
		session.message(assistant('', [toolCall(`c${number}`, 'bash')]), `a${number}`);
		const text = `${number} ${textOfTokens(tokens)}`.slice(0, tokens * 4);
		session.message(toolResult(`c${number}`, text, 'bash'), `r${number}`);
	}
	return session;
}
