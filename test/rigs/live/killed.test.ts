/**
 * kill -9 around every call of git and every durable step of a spawn and of a nuke, the ledger's system calls for the hook among them: the
 * next command sets it right, and the bead is on the hook of whoever is there, or on nobody's.
 */
import { execFileSync, spawn as start } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { mend } from '../../../src/rigs/spawn.ts';
import { foldersOf, nuke } from '../../../src/rigs/nuke.ts';
import type { Yard } from '../../../src/rigs/yard.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { mayTrace } from '../../crash/strike.ts';
import { bead } from '../../ledger/beads.ts';
import { hooksIn } from '../hooks.ts';
import { RigOn } from '../yard.ts';

const ACT = join(import.meta.dirname, '../programs/act.ts');
const INSIDE = join(import.meta.dirname, '../../crash/inside.ts');
const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
/** SQLite makes this call alone; where it cannot be traced, its statements stand for it in the tests of the ledger. */
const SQLITE = 'pwrite64';
/** What is struck: git when it is done, the others before and after. */
const KINDS = ['git', 'rename', 'unlink', 'mkdir', 'rmdir', ...(mayTrace() ? ([SQLITE] as const) : [])] as const;
type Kind = (typeof KINDS)[number];

/** A git that counts its calls and kills its caller after the n-th. */
function strikingGit(folder: string, n: number): string {
  mkdirSync(folder, { recursive: true });
  const count = join(folder, 'count');
  rmSync(count, { force: true });
  const script = [
    '#!/bin/sh',
    `n=$(($(cat ${count} 2>/dev/null || echo 0) + 1))`,
    `echo "$n" > ${count}`,
    `${GIT} "$@"`,
    'code=$?',
    `[ "$n" = ${String(n)} ] && kill -9 "$PPID"`,
    'exit "$code"',
  ];
  writeFileSync(join(folder, 'git'), `${script.join('\n')}\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return folder;
}

const traceOf = (n: number): string[] => [
  ...['-D', '-f', '-b', 'execve', '-o', '/dev/null', '-e', `trace=${SQLITE}`],
  ...['-e', `inject=${SQLITE}:signal=SIGKILL:when=${n}`],
];

/** Runs one act; true = it was killed. Whatever else it ends with is a failure of the test. */
async function struck(rig: RigOn, what: 'spawn' | 'nuke', name: string, kind: Kind, n: number): Promise<boolean> {
  const PATH = process.env['PATH'] ?? '';
  const byGit = kind === 'git' ? `${strikingGit(join(rig.root, 'striking'), n)}${delimiter}` : '';
  const words = [ACT, what, rig.root, name];
  const node = [...(kind === 'git' || kind === SQLITE ? [] : ['--import', INSIDE]), ...words];
  const args = kind === SQLITE ? [...traceOf(n), process.execPath, ...node] : node;
  const child = start(kind === SQLITE ? 'strace' : process.execPath, args, {
    env: { ...process.env, PATH: `${byGit}${PATH}`, NODE_DISABLE_COMPILE_CACHE: '1', STRIKE: `${kind}:${n}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );
  const [said, [code, signal]] = await Promise.all([text(child.stderr), ended]);
  if (signal === 'SIGKILL') return true;
  expect([code, said]).toEqual([0, '']);
  return false;
}

const branchesOf = (rig: RigOn): string[] => rig.git('branch', '--format=%(refname:short)').trim().split('\n');

async function expectNothing(rig: RigOn, name: string): Promise<void> {
  expect(await rig.records.polecat({ rig: 'shop', name })).toBeNull();
  expect(existsSync(rig.dirOf(name))).toBe(false);
  expect(branchesOf(rig)).not.toContain(`polecat/${name}`);
  const folder = dirname(rig.dirOf(name));
  expect(existsSync(folder) ? readdirSync(folder).filter((one) => one.startsWith('.going-')) : []).toEqual([]);
  expect(rig.git('worktree', 'list', '--porcelain')).not.toMatch(new RegExp(`polecats/(\\.going-)?${name}\\b`));
}

async function nuked(rig: RigOn, name: string, hooks: Yard['hooks']): Promise<void> {
  const record = await rig.records.polecat({ rig: 'shop', name });
  if (record !== null) await nuke(rig.at({ hooks }), record, { pushes: false });
}

/** A rig, and the ledger of its town with a bead of the polecat's name. */
interface Shop {
  readonly rig: RigOn;
  readonly hooks: Yard['hooks'];
  /** Whose the bead is. */
  readonly hookOf: (name: string) => Promise<string>;
}
const OF_NOBODY = 'open, of nobody';
const ofItsOwn = (name: string): string => `hooked, of shop/polecats/${name}`;

async function eachPoint(
  what: string,
  kind: Kind,
  at: (shop: Shop, name: string, n: number) => Promise<boolean>,
): Promise<number> {
  const rig = new RigOn();
  const ledger = openLedger({ root: rig.town, wall: Date.now });
  const hookOf = async (name: string): Promise<string> => {
    const [found] = await ledger.beads([name]);
    if (found === undefined) return 'gone';
    return `${found.status}, of ${found.assignee === '' ? 'nobody' : found.assignee}`;
  };
  try {
    for (let n = 1; ; n += 1) {
      const name = `${what}${n}`;
      await ledger.put(bead(name), { expects: 0, write: name });
      if (!(await at({ rig, hooks: hooksIn(ledger), hookOf }, name, n))) return n - 1;
    }
  } finally {
    ledger.close();
    rig.end();
  }
}

/** Where it does not happen, or once. */
const MOST_HAVE: Readonly<Partial<Record<Kind, number>>> = { unlink: -1, rmdir: -1, mkdir: 0 };

test.each(KINDS)('a spawn killed at each %s is gone on with, or undone, and leaves nothing half', async (kind) => {
  const points = await eachPoint('s', kind, async ({ rig, hooks, hookOf }, name, n) => {
    const hit = await struck(rig, 'spawn', name, kind, n);
    const record = await rig.records.polecat({ rig: 'shop', name });
    if (n % 2 === 0 && record !== null) {
      // As a list does. Whether the session runs is the town's word.
      const lives = existsSync(join(rig.root, `session-${name}`));
      const standing = () => Promise.resolve(lives ? ('lives' as const) : ('none' as const));
      const now = await mend(rig.at({ hooks, sessions: { ...rig.at().yard.sessions, standing } }), record);
      expect(now?.step ?? 'gone').toBe(lives ? 'running' : 'gone');
      if (now === null) await expectNothing(rig, name);
    } else if (hit && record?.step !== 'running') await rig.spawn(name, { hooks }, name);
    const now = await rig.records.polecat({ rig: 'shop', name });
    if (now !== null) {
      expect(now.step).toBe('running');
      expect(rig.gitIn(rig.dirOf(name), 'status', '--porcelain', '--branch')).toBe(`## polecat/${name}\n`);
    }
    expect(await hookOf(name)).toBe(now === null ? OF_NOBODY : ofItsOwn(name));
    await nuked(rig, name, hooks);
    await expectNothing(rig, name);
    expect(await hookOf(name)).toBe(OF_NOBODY);
    return hit;
  });
  process.stdout.write(`spawn killed at ${kind}: ${points} points\n`);
  expect(points).toBeGreaterThan(MOST_HAVE[kind] ?? 3);
});

test.each(KINDS)('a nuke killed at each %s loses nothing, and the next one ends it', async (kind) => {
  const points = await eachPoint('n', kind, async ({ rig, hooks, hookOf }, name, n) => {
    const record = await rig.spawn(name, { hooks }, name);
    writeFileSync(join(rig.dirOf(name), 'file'), name);
    rig.gitIn(rig.dirOf(name), 'commit', '-qam', name);
    rig.gitIn(rig.dirOf(name), 'push', '-q', 'origin', `polecat/${name}`);
    const hit = await struck(rig, 'nuke', name, kind, n);
    // Somebody leaves something in it, wherever it stands by now.
    const { dir, aside } = foldersOf(rig.at(), record);
    const place = [dir, aside].find((one) => existsSync(join(one, '.git')));
    if (place !== undefined) {
      writeFileSync(join(place, 'precious'), 'mine');
      await expect(nuked(rig, name, hooks)).rejects.toThrow(expect.objectContaining({ exit: 5 }) as Error);
      expect(existsSync(join(dir, 'precious'))).toBe(true);
      expect(await hookOf(name)).toBe(ofItsOwn(name));
      rmSync(join(dir, 'precious'));
    }
    await nuked(rig, name, hooks);
    await expectNothing(rig, name);
    expect(await hookOf(name)).toBe(OF_NOBODY);
    expect(rig.gitIn(rig.origin, 'show', `polecat/${name}:file`)).toBe(name);
    return hit;
  });
  process.stdout.write(`nuke killed at ${kind}: ${points} points\n`);
  expect(points).toBeGreaterThan(kind === 'mkdir' || kind === 'rmdir' ? -1 : 0);
});
