/**
 * kill -9 at every system call by which the ledger makes anything durable: what was acknowledged is there, whole and once, and the file
 * is whole. Where tracing is denied, and beside it, around every call of SQLite.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { backupsIn } from '../../../state/ledger/backups.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { STEPS } from '../../../state/ledger/tables.ts';
import { inLanes, mayTrace } from '../../crash/strike.ts';
import { bead } from '../beads.ts';

const ACT = join(inject('programs'), 'ledger-act.mjs');
const STRIKE = join(inject('programs'), 'ledger-strike.mjs');
/** SQLite writes in the thread that asks, whose other calls of these kinds are harmless points more. */
const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink', 'rename', 'write'] as const;
const STATEMENTS = 'statements';
type Kind = (typeof CALLS)[number] | typeof STATEMENTS;
const IS_TRACED = mayTrace();
const KINDS: readonly Kind[] = IS_TRACED ? [...CALLS, STATEMENTS] : [STATEMENTS];
/** There are many of them, and each is between two system calls. */
const strideOf = (kind: Kind, stride: number): number => (kind === STATEMENTS && IS_TRACED ? 11 : stride);

/** Runs the act. `told`: the version that was acknowledged; null = nothing was. */
async function struck(root: string, agent: string, kind: Kind, n: number) {
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1', STRIKE: String(n) };
  const traced = ['-D', '-f', '-b', 'execve', '-o', '/dev/null', '-e', `trace=${kind}`];
  const inject = ['-e', `inject=${kind}:signal=SIGKILL:when=${n}`];
  const child =
    kind === STATEMENTS
      ? spawn(process.execPath, ['--import', STRIKE, ACT, root, agent], { env })
      : spawn('strace', [...traced, ...inject, process.execPath, ACT, root, agent], { env });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (code, signal) => resolve([code, signal])),
  );
  const [said, complaint, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const hit = signal === 'SIGKILL';
  if (!hit) expect([code, complaint]).toEqual([0, '']);
  return { hit, told: said === '' ? null : Number(said) };
}

/** What the next process finds there; it is whole, and says so itself. */
async function standing(root: string, what: string) {
  const ledger = openLedger({ root, wall: Date.now, checkBytes: Infinity });
  try {
    const [found] = await ledger.beads(['b']);
    const byLabel = found === undefined ? [] : (await ledger.list({ labels: found.labels }, { limit: 5 })).items;
    expect(byLabel, what).toEqual(found === undefined ? [] : [found]);
    return { found: found ?? null, isWhole: ledger.damage === null };
  } finally {
    ledger.close();
  }
}

/** What stands there after a kill; `told`: the version that was acknowledged. */
interface Point {
  readonly what: string;
  readonly told: number | null;
  readonly found: Bead | null;
  readonly isWhole: boolean;
}

/** Strikes at n = 1, 1 + stride, … of every kind until a run is not hit, each in a root as `make` lays it out. */
async function eachPoint(
  what: string,
  make: (root: string) => Promise<void> | void,
  check: (root: string, agent: string, point: Point) => Promise<void> | void,
  stride = 1,
): Promise<void> {
  const points = new Map<Kind, number>();
  const home = mkdtempSync(join(tmpdir(), 'town-ledger-'));
  try {
    const seed = join(home, 'seed');
    mkdirSync(seed);
    await make(seed);
    await inLanes(KINDS, async (kind) => {
      for (let n = 1; ; n += strideOf(kind, stride)) {
        const root = join(home, `${kind}-${n}`);
        cpSync(seed, root, { recursive: true });
        const agent = `agent-${kind}-${n}`;
        const { hit, told } = await struck(root, agent, kind, n);
        const what = `${kind} ${n}: acknowledged ${told ?? 'nothing'}`;
        await check(root, agent, { what, told, ...(await standing(root, what)) });
        rmSync(root, { recursive: true });
        points.set(kind, n);
        if (!hit) return;
      }
    });
  } finally {
    rmSync(home, { recursive: true });
  }
  process.stdout.write(`${what}: ${JSON.stringify(Object.fromEntries(points))}\n`);
  expect(points.get(STATEMENTS)).toBeGreaterThan(5);
}

async function withBead(root: string): Promise<void> {
  const ledger = openLedger({ root, wall: Date.now });
  const made = bead('b', { status: 'hooked', assignee: 'first', labels: ['of:first'] });
  await ledger.put(made, { expects: 0, write: 'made' });
  ledger.close();
}

/** As the first version of the tables held it. */
function withOldBead(root: string): void {
  openLedger({ root, wall: Date.now, steps: STEPS.slice(0, 1) }).close();
  const {
    version: _,
    official: _official,
    ...body
  } = bead('b', { status: 'hooked', assignee: 'first', labels: ['of:first'] });
  const database = new DatabaseSync(join(root, 'ledger/town.db'));
  const columns = 'id, version, writes, body, status, is_closed, type, priority, assignee, rig, is_wisp, newest';
  const values = ['b', 1, '["made"]', JSON.stringify(body), 'hooked', 0, 'task', 2, 'first', '', 0, 0];
  database.prepare(`INSERT INTO beads (${columns}) VALUES (${values.map(() => '?').join(', ')})`).run(...values);
  database.prepare('INSERT INTO labels VALUES (?, ?, ?)').run('of:first', 0, 'b');
  database.close();
}

// Rules: P-5.
test('a commit: the bead is on the old hook or on the new one, never on both or none, and the same write once more is one', async () => {
  await eachPoint('commit', withBead, async (root, agent, { what, told, found, isWhole }) => {
    expect(isWhole, what).toBe(true);
    expect([found?.status, found?.labels], what).toEqual(['hooked', [`of:${found?.assignee}`]]);
    expect(['first 1', `${agent} 2`], what).toContain(`${found?.assignee} ${found?.version}`);
    if (told !== null) expect(found?.version, what).toBe(told);
    // The killed process asks once more, with what it had read.
    const ledger = openLedger({ root, wall: Date.now });
    const again = bead('b', { status: 'hooked', assignee: agent, labels: [`of:${agent}`] });
    const put = await ledger.put(again, { expects: 1, write: agent });
    ledger.close();
    expect(put, what).toMatchObject({ is: 'done', bead: { version: 2, assignee: agent } });
  });
});

test('the making of a ledger: it is there, or it is made by the next', async () => {
  await eachPoint(
    'making',
    () => undefined,
    (_root, agent, { what, told, found, isWhole }) => {
      expect(isWhole, what).toBe(true);
      expect([null, agent], what).toContain(found?.assignee ?? null);
      if (told !== null) expect(found?.assignee, what).toBe(agent);
    },
    5,
  );
});

test('a migration: nothing is lost, and what stood before it is in a backup', async () => {
  await eachPoint(
    'migration',
    withOldBead,
    (root, agent, { what, found, isWhole }) => {
      expect(isWhole, what).toBe(true);
      expect(['first', agent], what).toContain(found?.assignee);
      expect(backupsIn(join(root, 'ledger/backups')).at(-1), what).toMatchObject({ schema: 1 });
    },
    5,
  );
});

test('a restoring: the backup takes the place, and the damaged file is in quarantine, never gone', async () => {
  await eachPoint(
    'restoring',
    async (root) => {
      await withBead(root);
      const ledger = openLedger({ root, wall: Date.now });
      await ledger.backUp(1_000);
      ledger.close();
      writeFileSync(join(root, 'ledger/town.db'), Buffer.alloc(20_000, 7));
    },
    (root, agent, { what, told, found }) => {
      expect(['first', agent], what).toContain(found?.assignee);
      if (told !== null) expect(found?.assignee, what).toBe(agent);
      const kept = existsSync(join(root, 'quarantine')) ? readdirSync(join(root, 'quarantine')) : [];
      expect(
        kept.filter((name) => name.endsWith('ledger-town.db')),
        what,
      ).toHaveLength(1);
    },
  );
});
