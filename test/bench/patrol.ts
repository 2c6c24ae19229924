/**
 * What patrols cost: the town's memory with its ledger open, and the CPU of a cycle of every rig where all is well: 20 rigs, 500
 * agents at work, 5,000 beads of work that wait for others, 100,000 that are closed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { WitnessSeen } from '../../machines/witness/observation.ts';
import { witnessCycle } from '../../machines/witness/cycle.ts';
import { actInRig, surveyRig, type RoundNeeds } from '../../src/patrols/thread/rig-round.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { townRound } from '../patrols/town-round.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { figure, type Figure } from './figure.ts';
import { fillLedger } from './fill.ts';
import { median, namesOf, pause, residentMb, withTown } from './town.ts';

const RIGS = 20;
const AGENTS = 500;
const OPEN = 5_000;
const CLOSED = 100_000;
const ROUNDS = 5;
const SESSIONS = 100;
const LETTERS = 1_000;
const BEGAN = Date.UTC(2026, 0, 1);

const rigOf = (n: number): string => `rig${n % RIGS}`;

/** The first are on hooks, the others wait for the last open one, and behind them lies what is closed. */
function beadOf(n: number): Bead {
  const isClosed = n >= OPEN;
  const isHooked = n < AGENTS;
  return newBead({
    id: `tw-b${n}`,
    title: `work ${n}`,
    description: 'x'.repeat(200),
    createdBy: 'mayor',
    rig: rigOf(n),
    createdAt: new Date(BEGAN + n * 1_000).toISOString(),
    ...(isClosed && { status: 'closed', closedAt: new Date(BEGAN + n * 2_000).toISOString() }),
    ...(isHooked && { status: 'hooked', assignee: `${rigOf(n)}/polecats/p${n}` }),
    ...(!isClosed &&
      !isHooked && {
        dependencies: [{ on: `tw-b${n % AGENTS}`, type: 'blocks', createdAt: '', createdBy: '', extra: {} }],
      }),
  });
}

const refuse = () => Promise.reject(new Error('a calm patrol asks no town'));

export function needsOf(root: string, own: { disk: Disk; records: RigRecords; ledger: Ledger }): RoundNeeds {
  return {
    settings: { ...DEFAULTS, rigs: {} },
    disk: own.disk,
    ledger: own.ledger,
    client: { ask: refuse, askIfUp: refuse, overview: refuse, unrecorded: 'unknown' },
    standings: () => Promise.resolve(() => 'lives'),
    asked: () => undefined,
    yard: {
      root,
      records: own.records,
      hooks: {
        bead: refuse,
        check: refuse,
        hook: refuse,
        unhook: refuse,
        heldBy: refuse,
        lastBranch: refuse,
        keepBranch: refuse,
      },
      sessions: { start: refuse, standing: refuse, forget: refuse },
      standingIn: refuse,
      wall: Date.now,
      note: () => undefined,
    },
  };
}

/** Every agent lives and works: nothing is judged, so that no git is started. */
async function measureCycles(root: string): Promise<Figure[]> {
  const disk = realDisk(root, 0);
  const records = new RigRecords({ disk, wall: Date.now });
  const ledger = openLedger({ root, wall: Date.now, keeps: LEDGER.keptBytes });
  try {
    fillLedger(root, OPEN + CLOSED, beadOf);
    const rigs = Array.from({ length: RIGS }, (_, n) => {
      return { name: rigOf(n), repo: root, commonDir: join(root, '.git'), agent: null, base: null, addedAt: BEGAN };
    });
    for (const rig of rigs) await records.saveRig(rig);
    for (let n = 0; n < AGENTS; n += 1) {
      const who = { rig: rigOf(n), name: `p${n}`, uuid: `u-${n}`, bead: `tw-b${n}`, command: ['x'], at: Date.now() };
      await records.savePolecat({ ...who, step: 'running', base: 'a'.repeat(40), main: null, tip: null });
    }
    const needs = { ...needsOf(root, { disk, records, ledger }), settings: { ...DEFAULTS, rigs: {} } };
    const processes = createProcesses();
    const spent: number[] = [];
    let seen = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = process.cpuUsage();
      const reports = await Promise.all(
        rigs.map((rig) => surveyRig(needs, rig, { handled: {}, stands: [], isAsked: false })),
      );
      const looks = { root, sessions: () => Promise.resolve([]), processes };
      await townRound({ ...needs, ...looks, records, note: () => undefined }, Date.now());
      const { user, system } = process.cpuUsage(before);
      spent.push((user + system) / 1_000);
      seen = reports.reduce((sum, { polecats }) => sum + polecats.length, 0);
      const isBusy = (one: WitnessSeen): boolean =>
        witnessCycle(one, DEFAULTS.patrols).some(({ acts }) => acts.length > 0);
      if (reports.some(isBusy)) throw new Error('it was not calm');
    }
    if (seen !== AGENTS) throw new Error(`${seen} of ${AGENTS} agents were seen`);
    const among = `${RIGS} rigs, ${AGENTS} agents at work, ${OPEN} open and ${CLOSED} closed beads`;
    return [figure(`CPU of a calm patrol over ${among}`, median(spent), 150, 'ms')];
  } finally {
    ledger.close();
  }
}

/** As many letters as a night brings to one witness, each read, handled and put away. */
async function measureMail(root: string): Promise<Figure[]> {
  const disk = realDisk(root, 0);
  const records = new RigRecords({ disk });
  const ledger = openLedger({ root, wall: Date.now, keeps: LEDGER.keptBytes });
  try {
    const rig = { name: 'post', repo: root, commonDir: join(root, '.git'), agent: null, base: null, addedAt: BEGAN };
    await records.saveRig(rig);
    const box = join(root, 'mail', 'post+witness', 'new');
    mkdirSync(box, { recursive: true });
    for (let n = 0; n < LETTERS; n += 1) {
      const id = `m-${n}`;
      const words = { id, from: 'post/nux', to: 'post/witness', subject: 'POLECAT_STARTED nux', body: '' };
      const more = { sent_at: new Date(BEGAN + n).toISOString(), via: 'agent', urgent: false, needs_response: false };
      writeFileSync(join(box, `${id}.json`), JSON.stringify({ schema: 'mail/1', ...words, ...more }));
    }
    const before = performance.now();
    const needs = needsOf(root, { disk, records, ledger });
    const steps = witnessCycle(
      await surveyRig(needs, rig, { handled: {}, stands: [], isAsked: false }),
      DEFAULTS.patrols,
    );
    const archives = steps.flatMap(({ acts }) => acts.filter((act) => act.act === 'archive'));
    const outcomes = await actInRig(needs, rig, archives);
    const ms = performance.now() - before;
    const done = outcomes.filter((one) => one.done).length;
    if (done !== LETTERS) throw new Error(`${done} of ${LETTERS} letters were put away`);
    return [figure(`${LETTERS} letters to a witness, handled in one cycle`, ms, 1_000, 'ms')];
  } finally {
    ledger.close();
  }
}

const measureMemory = (): Promise<Figure[]> =>
  withTown('', async (town) => {
    const repo = join(town.root, 'repo');
    mkdirSync(repo);
    execFileSync('git', ['init', '-q', repo]);
    town.town(['rig', 'add', 'shop', '--repo', repo]);
    town.town(['up']);
    await town.start(namesOf('gt', SESSIONS), { restart: 'transient' });
    const { pid } = await town.statusWhen(({ actors }) => actors.some(({ id }) => id.endsWith('witness:shop')));
    town.town(['rig', 'add', 'bank', '--repo', repo]);
    await town.statusWhen(({ actors }) => actors.some(({ id }) => id.endsWith('witness:bank')));
    await pause(10_000);
    const patrolling = residentMb(pid);
    await pause(60_000);
    const what = `town's memory at ${SESSIONS} sessions, with a ledger and two rigs`;
    return [
      figure(`${what}, patrolled`, patrolling, 105, 'MB'),
      figure('… between two rounds', residentMb(pid), 105, 'MB'),
    ];
  });

export async function measurePatrol(): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), 'town-bench-'));
  try {
    return [...(await measureCycles(root)), ...(await measureMail(root)), ...(await measureMemory())];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
