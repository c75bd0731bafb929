/** The part of JSON schema that tools describe their arguments with, and the check against it. */

interface Described {
	/** For the model. */
	description?: string;
}

export type ArgumentSchema = Described &
	(
		| { type: 'string'; enum?: readonly string[]; minLength?: number; maxLength?: number }
		| { type: 'integer' | 'number'; minimum?: number; maximum?: number }
		| { type: 'boolean' }
		| { type: 'array'; items: ArgumentSchema; minItems?: number; maxItems?: number }
		| ObjectSchema
	);

export interface ObjectSchema extends Described {
	type: 'object';
	properties: Record<string, ArgumentSchema>;
	required?: readonly string[];
	additionalProperties: false;
}

export type Checked = { arguments: Record<string, unknown> } | { problems: string[] };

/**
 * Holds arguments against a schema. An optional one that is null counts as absent, as some models send
 * it. Nothing else is converted: a wrong argument is named, so that the model can call again.
 */
export function checkArguments(schema: ObjectSchema, given: Record<string, unknown>): Checked {
	const checked = withoutNulls(schema, given);
	const problems = problemsOf(schema, checked, '');
	return problems.length > 0 ? { problems } : { arguments: checked };
}

function withoutNulls(
	{ required = [] }: ObjectSchema,
	given: Record<string, unknown>,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(given).filter(([name, value]) => value !== null || required.includes(name)),
	);
}

function problemsOf(schema: ArgumentSchema, value: unknown, where: string): string[] {
	const name = where || 'the arguments';
	switch (schema.type) {
		case 'string':
			if (typeof value !== 'string') return [`${name} must be a string`];
			if (schema.enum && !schema.enum.includes(value))
				return [`${name} must be one of ${schema.enum.map((each) => `"${each}"`).join(', ')}`];
			return rangeProblems(value.length, schema.minLength, schema.maxLength, `${name} must have`, [
				'character',
				'characters',
			]);
		case 'integer':
		case 'number':
			if (typeof value !== 'number' || !Number.isFinite(value)) return [`${name} must be a number`];
			if (schema.type === 'integer' && !Number.isSafeInteger(value))
				return [`${name} must be a whole number`];
			return rangeProblems(value, schema.minimum, schema.maximum, `${name} must be`);
		case 'boolean':
			return typeof value === 'boolean' ? [] : [`${name} must be true or false`];
		case 'array':
			if (!Array.isArray(value)) return [`${name} must be a list`];
			return [
				...rangeProblems(value.length, schema.minItems, schema.maxItems, `${name} must have`, [
					'item',
					'items',
				]),
				...value.flatMap((item: unknown, index) =>
					problemsOf(schema.items, item, `${where}[${index}]`),
				),
			];
		case 'object':
			return objectProblems(schema, value, where);
	}
}

function objectProblems(schema: ObjectSchema, value: unknown, where: string): string[] {
	if (typeof value !== 'object' || value === null || Array.isArray(value))
		return [`${where || 'the arguments'} must be an object`];
	const fields = new Map<string, unknown>(Object.entries(value));
	const known = new Map(Object.entries(schema.properties));
	const inside = (name: string) => (where ? `${where}.${name}` : name);
	const problems = (schema.required ?? [])
		.filter((name) => !fields.has(name))
		.map((name) => `${inside(name)} is missing`);
	for (const [name, field] of fields) {
		const property = known.get(name);
		if (property) problems.push(...problemsOf(property, field, inside(name)));
		else
			problems.push(
				`${inside(name)} is not known (there are: ${[...known.keys()].join(', ') || 'none'})`,
			);
	}
	return problems;
}

function rangeProblems(
	value: number,
	least: number | undefined,
	most: number | undefined,
	must: string,
	[one, many]: readonly [string, string] | readonly [] = [],
): string[] {
	const unit = (count: number) => (one ? ` ${count === 1 ? one : many}` : '');
	if (least !== undefined && value < least) return [`${must} at least ${least}${unit(least)}`];
	if (most !== undefined && value > most) return [`${must} at most ${most}${unit(most)}`];
	return [];
}
