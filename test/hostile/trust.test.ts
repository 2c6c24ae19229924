/** Files of other users: refused before a byte of them is read, whatever leads to them. With real uids, where the tests have root. */
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
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { ProgressListener } from '../../src/guard/progress-listener.ts';
import { compileCacheIn } from '../../state/process/compile-cache.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS, privateFolder } from '../../state/files/layout.ts';
import { putTmuxSocket } from '../../state/process/tmux-socket.ts';
import { MAIN, TestTown } from '../cli/town.ts';
import { listenAs, type Listener } from './listener.ts';
import { freshFolder } from '../world/over.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Whoever reads it says so: it is no TOML. */
const TRAP = 'mallory says = "not so';

let town: TestTown;
let elsewhere = '';
beforeEach(() => {
  town = new TestTown();
  elsewhere = freshFolder();
});

const give = (path: string): void => chownSync(path, NOBODY, NOBODY);
const at = (path: string): string => join(town.root, path);

/** Exit 2 in one sentence that names the thing, its owner and `more`; nothing of the trap. */
async function isRefused(words: readonly string[], thing: string, ...more: readonly string[]): Promise<void> {
  const ran = await town.bare(words, { cwd: town.root });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  for (const word of [thing, 'not a byte of it was read', ...more]) expect(ran.stderr).toContain(word);
  expect(ran.stderr).not.toMatch(/mallory|line 1/);
}

const TRUST = (): string => `town config trust ${town.root}`;

describe.runIf(isRoot)('somebody else’s', () => {
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
    lchownSync(link, NOBODY, NOBODY);
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

  test('record in a folder of ours is no record, and a pack of theirs judges nobody', async () => {
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
    // Where umask is 002, and nobody else is in the group of the same name.
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
    chownSync(at('town.toml'), 0, NOBODY);
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
    writeFileSync(join(lists, 'trusted'), `${String(NOBODY)} ${town.root}\n`);
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
    expect(readFileSync(join(town.home, '.config/townwatch/trusted'), 'utf8')).toBe(`${String(NOBODY)} ${town.root}\n`);
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
    expect((await town.run('config', 'show')).stdout).toContain(town.socket);
    symlinkSync(elsewhere, at('mail'));
    give(elsewhere);
    await isRefused(['--root', town.root, 'status'], elsewhere, 'belongs to');
    rmSync(at('mail'));
    chownSync(town.root, NOBODY - 1, NOBODY);
    await isRefused(['--root', town.root, 'status'], town.root, 'belongs to uid 65533');
  });
});

describe('ours, but others may write', () => {
  const MODE = 'may be written by others (mode 0777)';

  test.each(['.', 'daemon', 'deacon/dogs/warrants', 'packs'])('%s', async (folder) => {
    mkdirSync(at(folder), { recursive: true });
    chmodSync(at(folder), 0o777);
    await isRefused(['--root', town.root, 'status'], at(folder), MODE, `chmod go-w ${at(folder)}`, TRUST());
    chmodSync(at(folder), 0o755);
    expect(await town.run('status')).toMatchObject({ code: 3, stderr: '' });
  });

  test('town.toml; a town that came up before goes on with what it knew', async () => {
    town.write('town.toml', TRAP);
    chmodSync(at('town.toml'), 0o646);
    await isRefused(['--root', town.root, 'status'], at('town.toml'), 'may be written by others (mode 0646)');
    town.write('daemon/town.toml.good', '');
    const ran = await town.run('status');
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/may be written by others \(mode 0646\): not a byte .*last good configuration is used/);
    await isRefused(['--root', town.root, 'up'], at('town.toml'), 'may be written by others (mode 0646)');
  });

  test.each(['mail/mayor', 'mail/mayor/new'])('%s, below a folder of mail: nothing in it counts', async (folder) => {
    await town.run('mail', 'send', 'mayor', '--subject', 'hi');
    chmodSync(at(folder), 0o777);
    for (const words of [
      ['inbox', '--for', 'mayor'],
      ['send', 'mayor', '--subject', 'again'],
    ]) {
      const ran = await town.run('mail', ...words);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toBe(
        `town: ${at(folder)} ${MODE}: nothing in it counts; \`chmod go-w ${at(folder)}\` mends that\n`,
      );
    }
    chmodSync(at(folder), 0o700);
    expect(await town.data('mail', 'inbox', '--for', 'mayor')).toMatchObject([{ subject: 'hi' }]);
  });

  test('records and letters, each one file: a sentence, and nothing of it counts', async () => {
    town.session('builder');
    town.write('deacon/dogs/warrants/w.json', JSON.stringify({ target: 'builder', reason: 'x', requester: 'cron' }));
    await town.run('mail', 'send', 'mayor', '--subject', 'hi', '--from', 'builder');
    const [letter = ''] = town.names('mail/mayor/new');
    town.write('rigs/shop.json', '{}');
    const files = [
      'sessions/builder.json',
      'deacon/dogs/warrants/w.json',
      `mail/mayor/new/${letter}`,
      'rigs/shop.json',
    ];
    for (const file of files) chmodSync(at(file), 0o666);
    const lists = [
      ['session', 'list'],
      ['warrant', 'list'],
      ['mail', 'inbox', '--for', 'mayor'],
      ['rig', 'list'],
    ];
    for (const [n, words] of lists.entries()) {
      const { stdout, stderr } = await town.run(...words);
      expect(stdout).not.toMatch(/running|silent|cron|hi/);
      expect(stderr).toContain(files[n] ?? '');
      expect(stderr).toContain('it may be written by others (mode 0666); `chmod go-w` on it mends that');
    }
    for (const file of files) chmodSync(at(file), 0o600);
    expect((await town.run('mail', 'inbox', '--for', 'mayor')).stdout).toContain('hi');
  });

  test('keeps no agent of the town from its answer', async () => {
    mkdirSync(at('mail'));
    chmodSync(at('mail'), 0o777);
    const ran = await town.as('token', 'alive', 'K7-3F');
    expect(ran).toMatchObject({ code: 0, stdout: 'ALIVE K73F\n' });
    expect(ran.stderr).toContain('may be written by others');
  });

  test('a folder above it, unless everybody keeps to their own there', async () => {
    const open = join(elsewhere, 'open');
    mkdirSync(join(open, 'town/daemon'), { recursive: true });
    chmodSync(open, 0o777);
    await isRefused(['--root', join(open, 'town'), 'status'], open, MODE);
    await isRefused(['--root', join(open, 'new'), 'up'], open, MODE);
    chmodSync(open, 0o1777);
    expect(await town.bare(['--root', join(open, 'town'), 'status'])).toMatchObject({ code: 3, stderr: '' });
    // A shared folder is nobody's root, and closing it is no advice.
    const ran = await town.bare(['--root', open, 'status']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).not.toContain('chmod');
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

describe.runIf(isRoot)('a listener of somebody else’s', () => {
  const WORDS = ['status', 'session list', 'watch', 'doctor', 'up', 'restart', 'daemon run', 'down --purge'];

  /** Every command, none of which may say a word to it. */
  async function isLeftAlone(theirs: Listener, refusal: RegExp): Promise<void> {
    for (const words of WORDS) {
      const env = { ANTHROPIC_API_KEY: 'secret' };
      const ran = await town.bare(['--root', town.root, ...words.split(' ')], { env });
      expect({ words, heard: theirs.heard() }).toEqual({ words, heard: '' });
      if (!['up', 'restart', 'daemon run'].includes(words)) continue;
      expect({ words, ...ran }).toMatchObject({ words, code: 5, stdout: '' });
      expect(ran.stderr).toMatch(refusal);
    }
  }

  test('in place of tmux hears nothing, and no town comes up; doctor says whose it is', async () => {
    const socket = join(elsewhere, 'tmux');
    give(elsewhere);
    await using theirs = await listenAs(NOBODY, socket, join(elsewhere, 'heard'));
    town.configure('', socket);
    await isLeftAlone(theirs, /belongs to .*65534.*, not to you: tmux is not called there; .*set \[tmux\] socket to/);
    const found = await town.data<{ check: string; health: string; text: string }[]>('doctor');
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'tmux socket',
        health: 'bad',
        text: expect.stringContaining(elsewhere) as string,
      }),
    );
    // Where it is on record as well.
    rmSync(at('daemon/stopped'));
    await putTmuxSocket(realDisk(town.root, 0), socket);
    town.configure();
    await isLeftAlone(theirs, /it is unknown \(.*belongs to .*65534.*tmux is not called there/);
  });

  test('of ours in a folder where others may put theirs is as good as theirs', async () => {
    chmodSync(elsewhere, 0o1777);
    const socket = join(elsewhere, 'tmux');
    await using own = await listenAs(0, socket, join(town.home, 'heard'));
    town.configure('', socket);
    await isLeftAlone(own, /may be written by others \(mode 1777\): tmux is not called there; set \[tmux\] socket to/);
  });

  test('in place of a town hears nothing, neither a token', async () => {
    const socket = join(elsewhere, 'sock');
    give(elsewhere);
    await using theirs = await listenAs(NOBODY, socket, join(elsewhere, 'heard'));
    town.write('daemon/daemon.pid', JSON.stringify({ schema: 'daemon/1', pid: process.pid, socket }));
    for (const words of ['status', 'alive K7-3F', 'nudge builder hello']) {
      const ran = await town.bare(['--root', town.root, ...words.split(' ')]);
      expect({ words, heard: theirs.heard() }).toEqual({ words, heard: '' });
      if (words === 'status') expect(ran).toMatchObject({ code: 2, stdout: '' });
      if (words === 'status') expect(ran.stderr).toContain('not to you: no town is called there');
    }
    const ear = new ProgressListener({ maxHeaderBytes: 1_000, maxMessageBytes: 1_000 }, () => undefined);
    ear.listenAt(socket);
    await pause(300);
    ear.close();
    expect(theirs.heard()).toBe('');
  });

  test('folder in place of our own for temporary files: no compiled code is taken from it', () => {
    chmodSync(elsewhere, 0o1777);
    const folder = join(elsewhere, privateFolder(), 'node-compile-cache');
    expect(compileCacheIn(elsewhere)).toBe(folder);
    give(folder);
    expect(compileCacheIn(elsewhere)).toBeNull();
    rmSync(folder, { recursive: true });
    give(join(elsewhere, privateFolder()));
    expect(compileCacheIn(elsewhere)).toBeNull();
  });
});
