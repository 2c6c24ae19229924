/** A uid without HOME and without an entry in passwd, as in a container: its home is asked for only where it is needed. */
import type * as os from 'node:os';
import { afterAll, expect, test, vi } from 'vitest';
import { freshFolder } from '../../world/over.ts';

// Other files of the same process have these modules already: here they are loaded once more, without a home.
vi.resetModules();
vi.doMock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  homedir: () => {
    throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  },
}));
afterAll(() => {
  vi.doUnmock('node:os');
  vi.resetModules();
});
const { findRoot } = await import('../../../src/config/root.ts');
const { configuration } = await import('../../../src/cli/doctor/tmux.ts');
const { loadSettings } = await import('../../../src/config/load.ts');

test('a root that is named is found, also where it would be looked up in the list of trusted ones', () => {
  const root = freshFolder();
  expect(findRoot({ flag: root, env: {} })).toMatchObject({ root, from: '--root' });
  expect(findRoot({ env: { TOWN_ROOT: root } })).toMatchObject({ root, from: 'TOWN_ROOT' });
});

test('without one, a sentence says what to type', () => {
  expect(() => findRoot({ env: {}, cwd: '/' })).toThrow(
    /no root is given, and this user has no home folder.*--root DIR/,
  );
});

test('doctor looks at tmux all the same', async () => {
  const root = freshFolder();
  const settings = loadSettings({ root, set: [`tmux.socket=${root}/s`], env: {} });
  expect((await configuration({ settings, socketPath: `${root}/s` }))[0]?.health).toBe('ok');
});
