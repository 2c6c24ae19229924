/** Another user’s listener in the place of tmux or of a town: no command says a word to it. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { tellerTo } from '../../src/guard/progress-teller.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import { compileCacheIn } from '../../state/process/compile-cache.ts';
import { realDisk } from '../../state/files/disk.ts';
import { privateFolder } from '../../state/files/layout.ts';
import { putTmuxSocket } from '../../state/process/tmux-socket.ts';
import { listenAs, type Listener } from './listener.ts';
import { STRANGER_UID, at, elsewhere, give, isRoot, town, useStrangers } from './strangers.ts';

useStrangers();

describe.runIf(isRoot)('a listener of another user’s', () => {
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
    await using theirs = await listenAs(STRANGER_UID, socket, join(elsewhere, 'heard'));
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
    await using theirs = await listenAs(STRANGER_UID, socket, join(elsewhere, 'heard'));
    town.write('daemon/daemon.pid', JSON.stringify({ schema: 'daemon/1', pid: process.pid, socket }));
    for (const words of ['status', 'alive K7-3F', 'nudge builder hello']) {
      const ran = await town.bare(['--root', town.root, ...words.split(' ')]);
      expect({ words, heard: theirs.heard() }).toEqual({ words, heard: '' });
      if (words === 'status') expect(ran).toMatchObject({ code: 2, stdout: '' });
      if (words === 'status') expect(ran.stderr).toContain('not to you: no town is called there');
    }
    expect(theirs.heard()).toBe('');
  });

  test('in place of a guard hears nothing of its town', async () => {
    const root = join(elsewhere, 'town');
    mkdirSync(join(root, 'daemon'), { recursive: true });
    give(join(root, 'daemon'));
    give(elsewhere);
    await using theirs = await listenAs(STRANGER_UID, join(root, 'daemon/guard.sock'), join(elsewhere, 'heard'));
    const teller = tellerTo(root, { pid: process.pid, started: '1' }, PROCESS);
    teller.tell(1, false);
    await pause(300);
    teller.close();
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
