// Lint rules: typed rules for all TypeScript, and the borders between the areas of src/.
import tseslint from 'typescript-eslint';
import { boundaries } from './scripts/lib/boundaries-rule.mjs';

export default tseslint.config(
	{ ignores: ['dist/', 'out/', '.vscode-test/', '.peers/', 'test/fixtures/', 'sample/'] },
	{
		files: ['**/*.ts', '**/*.tsx'],
		ignores: ['**/*.d.mts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: { parserOptions: { projectService: true } },
		rules: {
			eqeqeq: ['error', 'always', { null: 'ignore' }],
			'no-empty': ['error', { allowEmptyCatch: false }],
			'no-console': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			// Ports are asynchronous even where an implementation has nothing to wait for.
			'@typescript-eslint/require-await': 'off',
			'@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
		},
	},
	{
		files: ['src/cli.ts', 'src/cli/**'],
		rules: { 'no-console': 'off' },
	},
	{
		files: ['src/**/*.ts', 'src/**/*.tsx'],
		plugins: { espalier: { rules: { boundaries } } },
		rules: { 'espalier/boundaries': 'error' },
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			// Assertions look at methods without calling them.
			'@typescript-eslint/unbound-method': 'off',
		},
	},
	{
		files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
		rules: {
			eqeqeq: 'error',
			'no-empty': 'error',
			'no-unused-vars': 'error',
			'no-unreachable': 'error',
			'prefer-const': 'error',
		},
	},
);
