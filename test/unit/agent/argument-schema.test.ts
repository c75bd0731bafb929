import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { checkArguments, type ObjectSchema } from '../../../src/agent/argument-schema.ts';

const schema: ObjectSchema = {
	type: 'object',
	properties: {
		path: { type: 'string', minLength: 1 },
		limit: { type: 'integer', minimum: 1, maximum: 10 },
		kind: { type: 'string', enum: ['a', 'b'] },
		all: { type: 'boolean' },
		items: { type: 'array', items: { type: 'number' }, maxItems: 3 },
	},
	required: ['path'],
	additionalProperties: false,
};

const problems = (given: Record<string, unknown>) => {
	const checked = checkArguments(schema, given);
	return 'problems' in checked ? checked.problems : [];
};

describe('tool arguments against their schema', () => {
	it('takes all that fits, and nulls as absent', () => {
		fc.assert(
			fc.property(
				fc.record(
					{
						path: fc.string({ minLength: 1 }),
						limit: fc.option(fc.integer({ min: 1, max: 10 })),
						kind: fc.constantFrom('a', 'b', null),
						all: fc.option(fc.boolean()),
						items: fc.option(
							fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 3 }),
						),
					},
					{ requiredKeys: ['path'] },
				),
				(given) => {
					const fitting = Object.fromEntries(
						Object.entries(given).filter(([, value]) => value !== null),
					);
					assert.deepEqual(checkArguments(schema, given), { arguments: fitting });
				},
			),
		);
	});

	it('never throws, and lets through only what has the types', () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.constantFrom('path', 'limit', 'kind', 'x', '__proto__'), fc.anything()),
				(given) => {
					const checked = checkArguments(schema, given);
					if ('problems' in checked) return;
					assert.equal(typeof checked.arguments.path, 'string');
					assert(['number', 'undefined'].includes(typeof checked.arguments.limit));
					assert(!('x' in checked.arguments));
				},
			),
		);
	});

	it('names each problem so that it can be mended', () => {
		assert.deepEqual(problems({}), ['path is missing']);
		assert.deepEqual(problems({ path: '' }), ['path must have at least 1 character']);
		assert.deepEqual(problems({ path: null }), ['path must be a string']);
		assert.deepEqual(problems({ path: 'a', limit: '5' }), ['limit must be a number']);
		assert.deepEqual(problems({ path: 'a', limit: 1.5 }), ['limit must be a whole number']);
		assert.deepEqual(problems({ path: 'a', limit: 11 }), ['limit must be at most 10']);
		assert.deepEqual(problems({ path: 'a', kind: 'c' }), ['kind must be one of "a", "b"']);
		assert.deepEqual(problems({ path: 'a', items: [1, 'x'] }), ['items[1] must be a number']);
		assert.deepEqual(problems({ path: 'a', constructor: 1 }), [
			'constructor is not known (there are: path, limit, kind, all, items)',
		]);
	});
});
