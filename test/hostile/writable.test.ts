/** Our own files that other users may write: refused, and nothing in them counts. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TRAP, TRUST, at, elsewhere, isRefused, town, useStrangers } from './strangers.ts';

useStrangers();

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
    // A shared folder is no town's root, and closing it is no advice.
    const ran = await town.bare(['--root', open, 'status']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).not.toContain('chmod');
  });
});
