/**
 * kill -9 around every call of git and every durable step of a spawn and of a nuke, the ledger's system calls for the hook among them, and at
 * every system call by which git itself changes anything: the next command sets it right, and the bead is on the hook of the polecat that is
 * there, or on none.
 */
import { execFileSync, spawn as start } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, test, vi } from 'vitest';
import { nuke } from '../../../src/rigs/nuke.ts';
import { foldersOf } from '../../../src/rigs/place.ts';
import type { Yard } from '../../../src/rigs/yard.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { mayTrace } from '../../crash/strike.ts';
import { bead } from '../../ledger/beads.ts';
import { DAY } from '../../sim/seeds.ts';
import { hooksIn } from '../hooks.ts';
import { RigOn } from '../yard.ts';

const ACT = join(inject('programs'), 'rig-act.mjs');
const INSIDE = join(inject('programs'), 'inside.mjs');
const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
/** SQLite makes this call alone; where it cannot be traced, its statements stand for it in the tests of the ledger. */
const SQLITE = 'pwrite64';
/** What is struck: git when it is done, the others before and after. */
const KINDS = ['git', 'rename', 'unlink', 'mkdir', 'rmdir', ...(mayTrace() ? ([SQLITE] as const) : [])] as const;
type Kind = (typeof KINDS)[number];

/** Each test is up to thirty acts, and each of these some twenty programs. */
vi.setConfig({ testTimeout: 900_000 });

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

/** What git changes anything with, and by which system calls. */
const WITHIN = [
  ['spawn', 'worktree'],
  ['nuke', 'worktree'],
  ['nuke', 'update-ref'],
  ['nuke', '--remove-section'],
] as const;
const CALLS = ['write', 'fsync', 'rename', 'unlink', 'mkdir', 'rmdir'] as const;

interface Fall {
  readonly words: string;
  readonly call: string;
  readonly n: number;
}

/** A git that falls at its n-th call of a kind when it is called with these words, and its caller with it. */
function fallingGit(folder: string, { words, call, n }: Fall): string {
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'log');
  const script = [
    '#!/bin/sh',
    `case " $* " in *" ${words} "*) ;; *) exec ${GIT} "$@" ;; esac`,
    `strace -f -o ${log} -e trace=${call} -e inject=${call}:signal=SIGKILL:when=${String(n)} ${GIT} "$@"`,
    'code=$?',
    `grep -q 'killed by SIGKILL' ${log} && kill -9 "$PPID"`,
    'exit "$code"',
  ];
  writeFileSync(join(folder, 'git'), `${script.join('\n')}\n`, { mode: 0o755 });
  return folder;
}

const traceOf = (n: number): string[] => [
  '-D',
  '-f',
  '-b',
  'execve',
  '-o',
  '/dev/null',
  '-e',
  `trace=${SQLITE}`,
  '-e',
  `inject=${SQLITE}:signal=SIGKILL:when=${n}`,
];

/** How an act is killed. */
interface Strike {
  readonly kind: Kind | 'within git';
  readonly n: number;
  /** The git that is found first. */
  readonly git: (folder: string) => string | null;
}
const strikeAt = (kind: Kind, n: number): Strike => ({
  kind,
  n,
  git: (folder) => (kind === 'git' ? strikingGit(folder, n) : null),
});

/** Runs one act; true = it was killed. Any other end is a failure of the test. */
async function struck(rig: RigOn, what: 'spawn' | 'nuke', name: string, { kind, n, git }: Strike): Promise<boolean> {
  const PATH = process.env['PATH'] ?? '';
  const folder = git(join(rig.root, 'striking'));
  const byGit = folder === null ? '' : `${folder}${delimiter}`;
  const words = [ACT, what, rig.root, name];
  const node = [...(folder !== null || kind === SQLITE ? [] : ['--import', INSIDE]), ...words];
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
  expect(existsSync(folder) ? readdirSync(folder).filter((one) => /^\.(going|making)-/.test(one)) : []).toEqual([]);
  expect(rig.git('worktree', 'list', '--porcelain')).not.toMatch(
    new RegExp(`polecats/(\\.(going|making)-)?${name}\\b`),
  );
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
const OF_NO_AGENT = 'open, of no agent';
const ofItsOwn = (name: string): string => `hooked, of shop/polecats/${name}`;

/** Each day another fifth of the points; STRIKES=all strikes at each. */
const STRIDE = process.env['STRIKES'] === 'all' ? 1 : 5;
const BEGIN = 2 + (DAY % STRIDE);

/** Strikes at the first point and at every fifth after it, until the act is not hit; the last point that was. */
async function eachPoint(
  what: 's' | 'n',
  strikeOf: (n: number) => Strike,
  at: (shop: Shop, name: string, strike: Strike) => Promise<boolean>,
): Promise<number> {
  const rig = new RigOn();
  const ledger = openLedger({ root: rig.town, wall: Date.now });
  const disk = realDisk(rig.town, 0);
  const hookOf = async (name: string): Promise<string> => {
    const [found] = await ledger.beads([name]);
    if (found === undefined) return 'gone';
    return `${found.status}, of ${found.assignee === '' ? 'no agent' : found.assignee}`;
  };
  try {
    let last = 0;
    for (let n = 1; ; n = n === 1 ? BEGIN : n + STRIDE) {
      const name = `${what}${n}`;
      await ledger.put(bead(name), { expects: 0, write: name });
      if (!(await at({ rig, hooks: hooksIn(ledger, disk), hookOf }, name, strikeOf(n)))) return last;
      last = n;
    }
  } finally {
    ledger.close();
    rig.end();
  }
}

async function spawnStruck({ rig, hooks, hookOf }: Shop, name: string, strike: Strike): Promise<boolean> {
  const hit = await struck(rig, 'spawn', name, strike);
  const record = await rig.records.polecat({ rig: 'shop', name });
  if (strike.n % 2 === 0 && record !== null) {
    // What a person, or the patrol, does about one that is half made. Whether the session runs is the town's word.
    const lives = existsSync(join(rig.root, `session-${name}`));
    if (lives && record.step !== 'running') await rig.spawn(name, { hooks }, name);
    if (!lives) {
      await nuked(rig, name, hooks);
      await expectNothing(rig, name);
    }
  } else if (hit && record?.step !== 'running') await rig.spawn(name, { hooks }, name);
  const now = await rig.records.polecat({ rig: 'shop', name });
  if (now !== null) {
    expect(now.step).toBe('running');
    expect(rig.gitIn(rig.dirOf(name), 'status', '--porcelain', '--branch')).toBe(`## polecat/${name}\n`);
  }
  expect(await hookOf(name)).toBe(now === null ? OF_NO_AGENT : ofItsOwn(name));
  await nuked(rig, name, hooks);
  await expectNothing(rig, name);
  expect(await hookOf(name)).toBe(OF_NO_AGENT);
  return hit;
}

async function nukeStruck({ rig, hooks, hookOf }: Shop, name: string, strike: Strike): Promise<boolean> {
  const record = await rig.spawn(name, { hooks }, name);
  writeFileSync(join(rig.dirOf(name), 'file'), name);
  rig.gitIn(rig.dirOf(name), 'commit', '-qam', name);
  rig.gitIn(rig.dirOf(name), 'push', '-q', 'origin', `polecat/${name}`);
  const hit = await struck(rig, 'nuke', name, strike);
  // Something is left in it, wherever it stands whole by now.
  const { dir, aside } = foldersOf(rig.at(), record);
  const place = [dir, aside].find((one) => existsSync(join(one, '.git')));
  if (place !== undefined && rig.gitIn(place, 'status', '--porcelain') === '') {
    writeFileSync(join(place, 'precious'), 'mine');
    await expect(nuked(rig, name, hooks)).rejects.toThrow(expect.objectContaining({ exit: 5 }) as Error);
    expect(existsSync(join(dir, 'precious'))).toBe(true);
    expect(await hookOf(name)).toBe(ofItsOwn(name));
    rmSync(join(dir, 'precious'));
  }
  // It is the whole repository's, and git says so to each user of it: a person takes it away.
  rmSync(join(rig.top, '.git/packed-refs.lock'), { force: true });
  await nuked(rig, name, hooks);
  await expectNothing(rig, name);
  expect(await hookOf(name)).toBe(OF_NO_AGENT);
  expect(rig.gitIn(rig.origin, 'show', `polecat/${name}:file`)).toBe(name);
  return hit;
}

/** Where it does not happen, or once. */
const MOST_HAVE: Readonly<Partial<Record<Kind, number>>> = { unlink: -1, rmdir: -1, mkdir: 0 };

test.each(KINDS)('a spawn killed at each %s is gone on with, or undone, and leaves nothing half', async (kind) => {
  const points = await eachPoint('s', (n) => strikeAt(kind, n), spawnStruck);
  process.stdout.write(`spawn killed at ${kind}: up to point ${points}\n`);
  expect(points).toBeGreaterThan(MOST_HAVE[kind] ?? 1);
});

// Rules: P-6.
test.each(KINDS)('a nuke killed at each %s loses nothing, and the next one ends it', async (kind) => {
  const points = await eachPoint('n', (n) => strikeAt(kind, n), nukeStruck);
  process.stdout.write(`nuke killed at ${kind}: up to point ${points}\n`);
  expect(points).toBeGreaterThan(kind === 'mkdir' || kind === 'rmdir' ? -1 : 0);
});

describe.runIf(mayTrace())('killed within git', () => {
  test.each(WITHIN)('%s: %s', async (what, words) => {
    const points: Record<string, number> = {};
    for (const call of CALLS) {
      const strikeOf = (n: number): Strike => {
        return { kind: 'within git', n, git: (folder) => fallingGit(folder, { words, call, n }) };
      };
      const act = what === 'spawn' ? spawnStruck : nukeStruck;
      points[call] = await eachPoint(what === 'spawn' ? 's' : 'n', strikeOf, act);
    }
    process.stdout.write(`${what} killed within git ${words}: ${JSON.stringify(points)}\n`);
    expect(Math.max(...Object.values(points))).toBeGreaterThan(0);
  });
});
