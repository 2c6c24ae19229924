/** A root of Gas Town (C-12): each command that writes is refused there, nothing appears, and one that comes later is an alert. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Context } from '../../src/cli/context.ts';
import { build, run } from '../../src/cli/program.ts';
import { command, readsOnly } from '../../src/cli/tree/shape.ts';
import { realDisk } from '../../state/files/disk.ts';
import { GasTownRoot } from '../../state/files/gas-town.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { runProcess } from '../../src/guard/process.ts';
import { loadSettings } from '../../src/config/load.ts';
import { startTown } from '../../src/guard/start.ts';
import { freshFolder } from '../world/over.ts';
import { TestTown, until } from './town.ts';

/** As `gt install` leaves it, with a daemon of its own or after `gt down`. */
function gasTown(): string {
  const root = freshFolder();
  for (const folder of ['mayor', 'deacon', 'daemon', '.git']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'mayor/town.json'), '{"type":"town","version":2,"name":"gt"}\n');
  writeFileSync(join(root, 'deacon/heartbeat.json'), '{"timestamp":"2026-01-01T00:00:00Z","cycle":7}\n');
  return root;
}

const treeOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const stat = statSync(join(root, path));
      return stat.isFile() ? `${path}: ${readFileSync(join(root, path), 'utf8')}` : path;
    });

type Leaf = [words: string, argv: readonly string[], isReadOnly: boolean];

function leavesOf(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length > 0)
    return (command.commands as Command[]).flatMap((one) => leavesOf(one, [...words, one.name()]));
  const given = command.registeredArguments.filter(({ required }) => required).map(() => 'x');
  const options = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'x']);
  return [[words.join(' '), [...words, ...given, ...options], readsOnly(command)]];
}
const leaves = leavesOf(build(() => Promise.resolve()));
const contextOf = (root: string): Context => new Context({ root, json: true, rest: [] });

describe('by the tree of commands', () => {
  // Rules: C-12.
  test.each(leaves.filter(([, , isReadOnly]) => !isReadOnly))(
    '`%s` is refused, and writes nothing',
    async (_, argv) => {
      const root = gasTown();
      const before = treeOf(root);
      await expect(run(contextOf(root), argv)).rejects.toMatchObject({ code: 'gas_town', exit: 5 });
      expect(treeOf(root)).toEqual(before);
    },
  );

  test('a new command counts as one that writes, and each that only reads is in the tree', () => {
    expect(
      readsOnly(
        command(
          build(() => Promise.resolve()),
          'invent',
          'x',
        ),
      ),
    ).toBe(false);
    const reads = leaves.filter(([, , isReadOnly]) => isReadOnly).map(([words]) => words);
    expect(reads).toMatchInlineSnapshot(`
      [
        "status",
        "health",
        "doctor",
        "config check",
        "config show",
        "config trust",
        "service status",
        "demo",
        "session list",
        "session status",
        "session attach",
        "session logs",
        "workers",
        "watch",
        "explain",
        "hooks status",
        "rig list",
        "rig show",
        "polecat list",
        "polecat status",
        "polecat log",
        "polecat diff",
        "polecat git-state",
        "alerts list",
        "channel list",
        "mail inbox",
        "mail check",
        "why",
        "report",
        "costs",
        "timeline",
        "warrant list",
        "warrant show",
        "dog pool status",
        "dog dances",
        "dog show",
        "skill",
        "deacon status",
        "tickle status",
        "watchdog status",
        "boot status",
        "daemon status",
        "daemon logs",
        "rules test",
        "rules list",
        "rules check",
        "record",
        "completion",
      ]
    `);
  });
});

test('what only reads answers there, and writes nothing', async () => {
  const town = new TestTown();
  const root = gasTown();
  const before = treeOf(root);
  const looks = leaves.filter(
    ([words, , isReadOnly]) => isReadOnly && !['demo', 'config trust', 'record'].includes(words),
  );
  for (const [words, argv] of looks) {
    const more = words === 'watch' ? ['--once'] : [];
    const { code, stderr } = await town.bare(['--root', root, ...argv, ...more]);
    expect([words, code, stderr.includes('Error: ')]).not.toEqual([words, 5, false]);
  }
  expect(treeOf(root)).toEqual(before);
});

test.each([['up'], ['up', '--force'], ['restart'], ['down'], ['daemon', 'run'], ['bd', 'create', 'x']])(
  '`%s %s` as a person types it: exit 5, one sentence',
  async (...words) => {
    const town = new TestTown();
    const root = gasTown();
    const before = treeOf(root);
    const ran = await town.bare(['--root', root, ...words]);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(ran.stderr).toContain(`${root} is a root of Gas Town (it holds mayor/town.json)`);
    expect(treeOf(root)).toEqual(before);
  },
);

test('`status` and `doctor` say that no town can be started there', async () => {
  const town = new TestTown();
  const root = gasTown();
  const text = `${root} is a root of Gas Town`;
  const status = await town.bare(['--root', root, 'status', '--json']);
  expect(status.code).toBe(3);
  expect(JSON.parse(status.stdout)).toMatchObject({
    data: { barred_why: expect.stringContaining(text) as string },
  });
  const shown = (await town.bare(['--root', root, 'status'])).stdout;
  expect([
    shown.includes('town up'),
    shown.replaceAll(/\s+/g, ' ').includes('give another folder with --root DIR'),
  ]).toEqual([false, true]);
  const doctor = await town.bare(['--root', root, 'doctor', '--json']);
  expect(doctor.code).toBe(1);
  expect(JSON.stringify(JSON.parse(doctor.stdout))).toContain(`"bad","text":"${text}"`);
});

test('each door below the commands is closed there too', async () => {
  const root = gasTown();
  const before = treeOf(root);
  const disk = realDisk(root, 0);
  const acts = [
    () => disk.write('x', ''),
    () => disk.append('x', ''),
    () => disk.mkdir('daemon/x'),
    () => disk.rename('deacon/heartbeat.json', 'x'),
    () => disk.remove('deacon/heartbeat.json'),
    () => Promise.resolve().then(() => openLedger({ root, wall: Date.now })),
    () => startTown(loadSettings({ root })),
  ];
  for (const act of acts) await expect(act()).rejects.toBeInstanceOf(GasTownRoot);
  const said: [number, string][] = [];
  const exit = await runProcess(
    loadSettings({ root }),
    { guarded: false, version: '0', level: 'silent', misread: () => null, tell: (...words) => void said.push(words) },
    () => Promise.reject(new Error('no engine is made there')),
  );
  expect([exit, said[0]?.[1]]).toEqual([5, expect.stringContaining('is a root of Gas Town')]);
  expect(treeOf(root)).toEqual(before);
});

// Rules: C-12.
test('one that comes later is an alert until it is gone; the town goes on, serves its agents, and can be ended', async () => {
  const town = await new TestTown().up();
  const alerts = () => town.names('alerts').filter((name) => name.includes('gas-town'));
  mkdirSync(join(town.root, 'mayor'));
  town.write('mayor/town.json', '{}');
  await until(alerts, (all) => all.length > 0);
  expect((await town.run('mail', 'send', 'overseer', '-s', 'x', '-m', 'y')).code).toBe(0);
  rmSync(join(town.root, 'mayor'), { recursive: true });
  await until(alerts, (all) => all.length === 0);

  const daemon = spawn('flock', [join(town.root, 'daemon/daemon.lock'), 'sleep', '100000'], { detached: true });
  onTestFinished(() => void process.kill(-(daemon.pid ?? 0), 'SIGKILL'));
  await until(alerts, (all) => all.length > 0);
  expect((await town.run('alerts', 'list')).stdout).toContain('holds daemon/daemon.lock');
  town.write('mayor/town.json', '{}');
  expect((await town.run('down')).code).toBe(0);
  expect((await town.run('up')).code).toBe(5);
});
