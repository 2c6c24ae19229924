/** Files of other users: refused before a byte of them is read, over any link to them. With real uids, where the tests have root. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FOLDERS } from '../../state/files/layout.ts';
import { MAIN } from '../cli/town.ts';
import { STRANGER_UID, TRAP, TRUST, at, elsewhere, give, isRefused, isRoot, town, useStrangers } from './strangers.ts';

useStrangers();

describe.runIf(isRoot)('another user’s', () => {
  const OWNER = /belongs to (nobody \(uid 65534\)|uid 65534), not to you/;

  test.each(['status', 'alive K7-3F', 'up', 'session list', 'daemon run', 'config check', 'doctor'])(
    'root: `town %s`',
    async (command) => {
      town.write('town.toml', TRAP);
      give(town.root);
      await isRefused(['--root', town.root, ...command.split(' ')], town.root, 'belongs to', 'chown 0', TRUST());
      expect(existsSync(at('daemon'))).toBe(false);
    },
  );

  test.each([...Object.values(FOLDERS), 'packs'])('folder %s in a root of ours', async (folder) => {
    mkdirSync(at(folder), { recursive: true });
    give(at(folder));
    await isRefused(['--root', town.root, 'status'], at(folder), 'belongs to', `chown 0 ${at(folder)}`);
  });

  test('town.toml, found by climbing: it is told, not passed over', async () => {
    const below = at('src/deep');
    mkdirSync(below, { recursive: true });
    town.write('town.toml', TRAP);
    give(at('town.toml'));
    const ran = await town.bare(['status'], { cwd: below });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(OWNER);
    expect(ran.stderr).toContain(TRUST());
  });

  test('town.toml in a root of ours, and what a link of ours leads to', async () => {
    town.write('town.toml', TRAP);
    give(at('town.toml'));
    await isRefused(['--root', town.root, 'status'], at('town.toml'), 'belongs to', 'chown 0');
    rmSync(at('town.toml'));
    writeFileSync(join(elsewhere, 'theirs'), TRAP);
    give(join(elsewhere, 'theirs'));
    symlinkSync(join(elsewhere, 'theirs'), at('town.toml'));
    await isRefused(['--root', town.root, 'status'], join(elsewhere, 'theirs'), 'belongs to');
  });

  test('link on the way to a root of ours, which could lead elsewhere a moment later, and a folder above it', async () => {
    const link = join(elsewhere, 'link');
    symlinkSync(town.root, link);
    chmodSync(elsewhere, 0o1777);
    expect(await town.bare(['--root', link, 'status'])).toMatchObject({ code: 3, stderr: '' });
    lchownSync(link, STRANGER_UID, STRANGER_UID);
    await isRefused(['--root', link, 'status'], link, 'belongs to');
    // No trust lifts that, so none is named.
    expect((await town.bare(['--root', link, 'status'])).stderr).not.toContain('config trust');
    give(town.home);
    await isRefused(['--root', town.root, 'status'], town.home, 'belongs to', TRUST());
  });

  test('folder that a link in our root leads to is refused with the line that trusts it by its own name, as is a root behind a link', async () => {
    const link = join(elsewhere, 'link');
    const theirs = join(elsewhere, 'theirs');
    mkdirSync(theirs);
    give(theirs);
    symlinkSync(theirs, at('mail'));
    await isRefused(['--root', town.root, 'status'], theirs, 'belongs to', `town config trust ${theirs}\``);
    expect((await town.run('status')).stderr).not.toContain(`${TRUST()}\``);
    expect((await town.run('config', 'trust', theirs)).code).toBe(0);
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
    rmSync(at('mail'));
    symlinkSync(town.root, link);
    give(town.root);
    await isRefused(['--root', link, 'status'], town.root, 'belongs to', `${TRUST()}\``);
    expect((await town.run('config', 'trust', link)).code).toBe(0);
    for (const root of [link, town.root]) expect((await town.bare(['--root', root, 'status'])).code).toBe(3);
  });

  test('record in a folder of ours is no record, and a pack of theirs judges no agent', async () => {
    mkdirSync(at('daemon'));
    town.write('daemon/town.toml.good', `[tmux]\nsocket = "/mallory"\n`);
    town.session('builder');
    town.write('town.toml', 'broken');
    for (const path of ['daemon/town.toml.good', 'sessions/builder.json']) give(at(path));
    const broken = await town.run('session', 'list');
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toContain('town.toml line 1');
    town.write('town.toml', '');
    const listed = await town.run('session', 'list');
    expect(listed.stdout).toMatch(/^builder +unknown .*its record cannot be read$/m);
    expect(listed.stderr).toMatch(/builder\.json.* it belongs to (nobody \(uid 65534\)|uid 65534)/);
    town.write('packs/claude.toml', TRAP);
    give(at('packs/claude.toml'));
    writeFileSync(join(elsewhere, 'screen'), 'a screen');
    const judged = await town.run('rules', 'test', join(elsewhere, 'screen'), '--agent', 'claude');
    expect(judged.stderr).toContain(`${at('packs/claude.toml')} belongs to`);
    expect(judged.stderr).not.toContain('mallory');
    expect(judged.code).toBe(0);
  });

  test('group’s: writable for a group that others are in', async () => {
    chmodSync(at('town.toml'), 0o664);
    // Where umask is 002, and no other user is in the group of the same name.
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
    chownSync(at('town.toml'), 0, STRANGER_UID);
    await isRefused(
      ['--root', town.root, 'status'],
      at('town.toml'),
      'may be written by others (mode 0664)',
      'chmod go-w',
    );
  });

  test('list of trusted roots names nothing and is not added to', async () => {
    give(town.root);
    const lists = join(town.home, '.config/townwatch');
    mkdirSync(lists, { recursive: true });
    writeFileSync(join(lists, 'trusted'), `${String(STRANGER_UID)} ${town.root}\n`);
    give(join(lists, 'trusted'));
    await isRefused(['--root', town.root, 'status'], town.root, 'belongs to');
    await isRefused(['config', 'trust', town.root], join(lists, 'trusted'), 'belongs to');
  });

  test('but trusted, for as long as it has the same owner', async () => {
    give(town.root);
    give(at('town.toml'));
    chmodSync(at('town.toml'), 0o666);
    const agent = await town.as('token', 'config', 'trust', town.root);
    expect(agent).toMatchObject({ code: 2, stdout: '' });
    for (const time of ['first', 'again']) {
      const done = await town.run('config', 'trust', town.root);
      expect({ time, ...done }).toMatchObject({ code: 0, stderr: '' });
    }
    expect(readFileSync(join(town.home, '.config/townwatch/trusted'), 'utf8')).toBe(
      `${String(STRANGER_UID)} ${town.root}\n`,
    );
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
    expect((await town.run('config', 'show')).stdout).toContain(town.socket);
    symlinkSync(elsewhere, at('mail'));
    give(elsewhere);
    await isRefused(['--root', town.root, 'status'], elsewhere, 'belongs to');
    rmSync(at('mail'));
    chownSync(town.root, STRANGER_UID - 1, STRANGER_UID);
    await isRefused(['--root', town.root, 'status'], town.root, 'belongs to uid 65533');
  });
});

/** As a sandbox does it: a user namespace in which this user is the only one with a number. */
test.runIf(isRoot && process.platform === 'linux')(
  'root’s own folders above count where a sandbox hides whose they are',
  () => {
    const uid = '12345';
    const files = [town.home, town.root, at('town.toml'), join(town.home, 'numbers.toml')];
    for (const path of files) chownSync(path, Number(uid), Number(uid));
    const as = ['--reuid', uid, '--regid', uid, '--clear-groups'];
    const run = () => {
      const words = [
        ...as,
        'unshare',
        '--user',
        '--map-current-user',
        process.execPath,
        MAIN,
        '--root',
        town.root,
        'status',
      ];
      return spawnSync('setpriv', words, { env: town.env(), cwd: '/', encoding: 'utf8' });
    };
    expect(run()).toMatchObject({ status: 3, stderr: '' });
    mkdirSync(at('daemon'));
    expect(run()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(at('daemon')) as string });
  },
);
