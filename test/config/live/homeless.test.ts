/** A uid without HOME and without an entry in passwd, as in a container: its home is asked for only where it is needed. */
// In the project that gives each file modules of its own: it replaces one.
import type * as os from 'node:os';
import { expect, test, vi } from 'vitest';
import { findRoot } from '../../../src/config/root.ts';
import { configuration } from '../../../src/cli/doctor/tmux.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { freshFolder } from '../../world/over.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  homedir: () => {
    throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
  },
}));

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
