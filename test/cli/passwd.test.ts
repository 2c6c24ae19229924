/** A uid without an entry in passwd and without HOME, as a container gives it: with --root given no command fails by that. */
import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { build } from '../../src/cli/program.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { MAIN, type Ran, TestTown } from './town.ts';

const UID = 12_345;
/** Only root may become another user; for other users HOME alone is missing. */
const AS_UNKNOWN = process.getuid?.() === 0 ? ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'] : [];
const EVERY = join(import.meta.dirname, 'programs/every.ts');
const FAULT = /uv_os_|userInfo|homedir|ERR_SYSTEM_ERROR|no home folder/;

class Container extends TestTown {
  /** All that it holds belongs to that uid. */
  give(): void {
    if (AS_UNKNOWN.length === 0) return;
    const all = readdirSync(this.home, { recursive: true, encoding: 'utf8' });
    for (const path of ['', ...all]) chownSync(join(this.home, path), UID, UID);
  }

  unknown(...words: readonly string[]): Ran {
    const { HOME: _, ...env } = this.env();
    const [program = '', ...args] = [...AS_UNKNOWN, process.execPath, ...words];
    const { status, stdout, stderr } = spawnSync(program, args, { env, cwd: '/', encoding: 'utf8' });
    return { code: status, stdout, stderr };
  }

  /** They have no HOME to be known by. */
  override async end(): Promise<void> {
    const processes = createProcesses();
    const left = () => processes.carrying(`TMPDIR=${this.home}`);
    for (let found = await left(); found.length > 0; found = await left())
      for (const proc of found) processes.signal(proc, 'KILL');
    await super.end();
  }

  cli(...words: readonly string[]): Ran {
    return this.unknown(MAIN, '--root', this.root, ...words);
  }
}

/** They start a town, or go on for ever. */
const APART = /^(up|restart|demo|daemon run)$/;

function leaves(at: Command, path: readonly string[] = []): string[][] {
  if (at.commands.length > 0) return at.commands.flatMap((one) => leaves(one, [...path, one.name()]));
  if (APART.test(path.join(' '))) return [];
  const must = at.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'x']);
  return [
    [...path, ...at.registeredArguments.map(() => 'builder'), ...must, ...(path[0] === 'watch' ? ['--once'] : [])],
  ];
}

test('every command', () => {
  const town = new Container();
  town.session('builder');
  const all = leaves(build(() => Promise.resolve()));
  expect(all.length).toBeGreaterThan(100);
  const calls = all.map((argv) => ({ argv: ['--root', town.root, ...argv], env: {} }));
  const [from, to] = [join(town.home, 'calls.json'), join(town.home, 'put.json')];
  writeFileSync(from, JSON.stringify({ to, isTerminal: false, calls }));
  town.give();
  expect(town.unknown(EVERY, from).stderr).toBe('');
  const put = JSON.parse(readFileSync(to, 'utf8')) as { argv: string[]; said: string }[];
  expect(put).toHaveLength(all.length);
  expect(put.filter(({ said }) => FAULT.test(said))).toEqual([]);
});

test('a town that runs: up, an agent, a record of its screen, doctor, down', () => {
  const town = new Container();
  town.give();
  expect(town.cli('up', '--force')).toMatchObject({ code: 0, stderr: '' });
  expect(town.cli('session', 'start', 'builder', '--dir', '/', '--', 'cat')).toMatchObject({ code: 0, stderr: '' });
  expect(town.cli('record', 'builder')).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) as string });
  // Where systemd ends processes at logout, doctor says that it does not know this user.
  expect(town.cli('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('logout: ') as string });
  expect(town.cli('down', '--purge')).toMatchObject({ code: 0 });
});
