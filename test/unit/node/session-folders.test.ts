import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	ompFolderNames,
	piFolderName,
	sameFolder,
	sessionFolders,
	type SessionPlaces,
} from '../../../src/node/session-folders.ts';
import { summarize, type SessionSummary } from '../../../src/session/session-summary.ts';

const linux = { home: '/home/ann', temporary: '/tmp', platform: 'linux' } as const;
const windows = {
	...{ home: 'C:\\Users\\ann', temporary: 'C:\\Users\\ann\\Temp' },
	platform: 'win32',
} as const;

function about(cwd: string): SessionSummary {
	const line = Buffer.from(`${JSON.stringify({ type: 'session', id: 'a', version: 3, cwd })}\n`);
	return summarize(line, new Uint8Array(), { bytes: line.length, modified: 0 });
}
const headless = { ...about(''), kind: 'not-a-session' as const };

describe('session folders', () => {
	it('have the names that pi gives them', () => {
		assert.equal(piFolderName('/home/ann/my-app'), '--home-ann-my-app--');
		assert.equal(piFolderName('C:\\Users\\ann\\app'), '--C--Users-ann-app--');
	});

	it('have the names that oh-my-pi gives and gave them', () => {
		assert.deepEqual(ompFolderNames('/home/ann/dev/app', linux), [
			'-dev-app',
			'--home-ann-dev-app--',
		]);
		assert.deepEqual(ompFolderNames('/home/ann', linux), ['-', '--home-ann--']);
		assert.deepEqual(ompFolderNames('/tmp/x/y', linux), ['-tmp-x-y', '--tmp-x-y--']);
		assert.deepEqual(ompFolderNames('/tmp', linux), ['-tmp', '--tmp--']);
		assert.deepEqual(ompFolderNames('/srv/app', linux), ['--srv-app--']);
		assert.deepEqual(ompFolderNames('/home/anna', linux), ['--home-anna--']);
		assert.deepEqual(ompFolderNames('C:\\Users\\ann\\dev', windows), [
			'-dev',
			'--C--Users-ann-dev--',
		]);
	});

	it('are the same where their paths mean the same', () => {
		assert.ok(sameFolder('/a/b', '/a/b/', 'linux'));
		assert.ok(sameFolder('/a/b', '/a/x/../b', 'linux'));
		assert.ok(!sameFolder('/a/b', '/a/B', 'linux'));
		assert.ok(!sameFolder('/a/b', '/a/b/c', 'linux'));
		assert.ok(!sameFolder('', '', 'linux'));
		assert.ok(!sameFolder('/a', 'a', 'linux'));
		assert.ok(sameFolder('c:\\Dev\\App', 'C:\\dev\\app\\', 'win32'));
		assert.ok(!sameFolder('c:\\dev', 'd:\\dev', 'win32'));
	});

	describe('of a workspace', () => {
		let root: string;
		let places: SessionPlaces;

		beforeEach(async () => {
			root = await realpath(await mkdtemp(join(tmpdir(), 'espalier-folders-')));
			const storage = join(root, 'workspaceStorage');
			for (const path of ['aaa/espalier.espalier', 'bbb/somebody.espalier', 'ccc/other.tool'])
				await mkdir(join(storage, path), { recursive: true });
			places = {
				own: join(storage, 'aaa', 'espalier.espalier', 'sessions'),
				global: join(root, 'globalStorage', 'espalier.espalier', 'sessions'),
				workspaceStorage: storage,
				cwds: ['/srv/app'],
				...linux,
				env: {},
			};
		});
		afterEach(() => rm(root, { recursive: true, force: true }));

		const paths = async (changes: Partial<SessionPlaces> = {}) =>
			(await sessionFolders({ ...places, ...changes })).map(({ group, archived, path }) => [
				`${group}${archived ? ' (archived)' : ''}`,
				path.replace(root, ''),
			]);

		it('are ours, those of other storages, pi’s and oh-my-pi’s, each once (C13)', async () => {
			const own = '/workspaceStorage/aaa/espalier.espalier/sessions';
			const sibling = '/workspaceStorage/bbb/somebody.espalier/sessions';
			const global = '/globalStorage/espalier.espalier/sessions';
			assert.deepEqual(await paths(), [
				['workspace', own],
				['workspace (archived)', `${own}/archived`],
				['no-folder', global],
				['no-folder (archived)', `${global}/archived`],
				['workspace', sibling],
				['workspace (archived)', `${sibling}/archived`],
				['pi', '/home/ann/.pi/agent/sessions/--srv-app--'],
				['omp', '/home/ann/.omp/agent/sessions/--srv-app--'],
			]);
		});

		it('follow the environment, and keep the usual places', async () => {
			const env = {
				PI_CODING_AGENT_DIR: '~/elsewhere',
				PI_CODING_AGENT_SESSION_DIR: '/data/pi',
			};
			const foreign = (await paths({ env, cwds: ['/home/ann/app'] })).slice(6);
			assert.deepEqual(foreign, [
				['pi', '/home/ann/elsewhere/sessions/--home-ann-app--'],
				['pi', '/home/ann/.pi/agent/sessions/--home-ann-app--'],
				['omp', '/home/ann/elsewhere/sessions/-app'],
				['omp', '/home/ann/.omp/agent/sessions/-app'],
				['omp', '/home/ann/.omp/agent/sessions/--home-ann-app--'],
				['pi', '/data/pi'],
			]);
		});

		it('are ours alone where no workspace is open', async () => {
			const [first] = await paths({ own: places.global });
			assert.deepEqual(first, ['no-folder', '/globalStorage/espalier.espalier/sessions']);
		});

		it('take from shared folders what their header says is of this workspace', async () => {
			const env = { PI_CODING_AGENT_SESSION_DIR: '/data/pi' };
			const folders = await sessionFolders({ ...places, env });
			const accepting = (summary: SessionSummary) =>
				folders
					.filter((folder) => !folder.archived && folder.accepts(summary))
					.map(({ group, path }) => `${group} ${path.split('/').at(-1)}`);
			const all = ['workspace sessions', 'no-folder sessions'];
			assert.deepEqual(accepting(about('/srv/app')), [
				...all,
				...['workspace sessions', 'pi --srv-app--', 'omp --srv-app--', 'pi pi'],
			]);
			// "/srv-app" has the same encoded name.
			assert.deepEqual(accepting(about('/srv-app')), all);
			assert.deepEqual(accepting(headless), [...all, 'pi --srv-app--', 'omp --srv-app--']);
		});

		it('count every root, and where links lead', async () => {
			await mkdir(join(root, 'real'));
			await symlink(join(root, 'real'), join(root, 'link'));
			const folders = await sessionFolders({
				...places,
				cwds: [join(root, 'link'), '/srv/other'],
			});
			const sibling = folders.find(({ path }) => path.includes('bbb'));
			assert.ok(sibling);
			for (const cwd of [join(root, 'link'), join(root, 'real'), '/srv/other'])
				assert.ok(sibling.accepts(about(cwd)), cwd);
			assert.ok(!sibling.accepts(about('/srv/app')));
		});
	});
});
