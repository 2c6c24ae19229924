/**
 * What ten thousand of one kind leave behind: what `status` and `mail inbox` take beside the same town at rest, how many alerts and
 * escalations are open, and how often `[notify] command` started. Each kind floods a town of its own, through the doors that
 * people, agents and the town itself use.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { raiseBySender } from '../../src/ledger/sender-budget.ts';
import { requestTriage } from '../../src/triage/requests.ts';
import { realDisk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { figure, type Figure } from './figure.ts';
import { benchTown, cpuMs, fineCpuMs, median, pause, type BenchTown } from './town.ts';

const MANY = 10_000;
const ROUNDS = 15;
/** A town that has seen the flood sends the second notice, which counts it, after a minute. */
const SETTLE_MS = 75_000;
/** A town at rest takes less CPU than this … */
const CALM_MS = 60;
/** … in this time. */
const LOOK_MS = 3_000;
const MOST_LOOKS = 100;
const STATUS_EXITS = [0, 1, 3, 4];
const RIG = 'shop';

interface Flood {
  readonly what: string;
  readonly count: number;
  /** Alerts that may stand at the end, the one with the count among them, and escalations that they may be about. */
  readonly alerts: number;
  readonly escalations?: number;
  readonly pour: (town: BenchTown, count: number) => unknown;
}

const letterFile = (nth: number, to: string, from: string) => {
  const at = Date.now() - MANY * 10 + nth;
  const id = `m-${at}-${(0x10000000 + nth).toString(16)}`;
  const words = { id, from, to, subject: `letter ${nth}`, body: 'text', sent_at: new Date(at).toISOString() };
  const text = JSON.stringify({ schema: 'mail/1', ...words, via: 'agent', urgent: false, needs_response: false });
  return { name: `${id}.json`, text };
};

function pourFiles(
  town: BenchTown,
  folder: string,
  count: number,
  one: (nth: number) => { name: string; text: string },
) {
  const into = join(town.root, folder);
  mkdirSync(into, { recursive: true });
  for (let nth = 0; nth < count; nth += 1) {
    const { name, text } = one(nth);
    writeFileSync(join(into, name), text);
  }
}

async function inLedger(town: BenchTown, work: (ledger: Ledger) => Promise<void>): Promise<void> {
  const ledger = openLedger({ root: town.root, wall: Date.now });
  try {
    await work(ledger);
  } finally {
    ledger.close();
  }
}

const lettersTo = (to: string, folder: string) => (town: BenchTown, count: number) =>
  pourFiles(town, `mail/${folder}/new`, count, (nth) => letterFile(nth, to, 'nux'));

const casesOf = (type: 'stuck_agent' | 'dirty_polecat', why: string) => (town: BenchTown, count: number) =>
  inLedger(town, async (ledger) => {
    for (let nth = 0; nth < count; nth += 1) {
      const about = { type, agent: `${RIG}/polecats/p${nth}`, rig: RIG, why: `${why} ${nth}` };
      await requestTriage(ledger, { ...about, by: `${RIG}/witness`, now: Date.now(), policy: TRIAGE });
    }
  });

const pourEscalations = (town: BenchTown, count: number) =>
  inLedger(town, async (ledger) => {
    for (let nth = 0; nth < count; nth += 1) {
      const words = { title: `I cannot decide ${nth}`, reason: 'x', severity: 'high', related: null } as const;
      await raiseBySender(ledger, { ...words, by: 'nux', now: Date.now() });
    }
  });

function pourGates(town: BenchTown, count: number): void {
  const made = new Date(Date.now() - 3_600_000).toISOString();
  const lines = Array.from({ length: count }, (_, nth) => {
    const gate = { id: `tw-gate-${nth}`, title: `gate ${nth}`, issue_type: 'gate', status: 'open', created_at: made };
    return JSON.stringify({ ...gate, updated_at: made, await_type: 'timer', timeout: 60e9 });
  });
  const file = join(town.root, 'gates.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  town.town(['bead', 'import', file]);
}

async function pourPolecats(town: BenchTown, count: number): Promise<void> {
  const records = new RigRecords({ disk: realDisk(town.root, 0) });
  const base = execFileSync('git', ['-C', join(town.root, 'repo'), 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  for (let nth = 0; nth < count; nth += 1) {
    const who = { rig: RIG, name: `p${nth}`, uuid: `u-${nth}`, bead: null, command: ['x'], at: Date.now() - 3_600_000 };
    await records.savePolecat({ ...who, step: 'running', base, main: null, tip: null });
  }
}

const FLOODS: readonly Flood[] = [
  { what: 'letters to a person', count: MANY, alerts: 0, pour: lettersTo('overseer', 'overseer') },
  { what: 'letters to a person', count: 10 * MANY, alerts: 0, pour: lettersTo('overseer', 'overseer') },
  {
    what: 'letters that no witness knows',
    count: MANY,
    alerts: 1,
    pour: lettersTo(`${RIG}/witness`, `${RIG}+witness`),
  },
  {
    what: 'warrants for unknown targets',
    count: MANY,
    alerts: 6,
    pour: (town, count) =>
      pourFiles(town, 'deacon/dogs/warrants', count, (nth) => {
        const warrant = { id: `w-${nth}`, target: `absent-${nth}`, reason: 'silent', requester: 'nux' };
        return { name: `w-${nth}.json`, text: JSON.stringify({ ...warrant, filed_at: new Date().toISOString() }) };
      }),
  },
  {
    what: 'files for quarantine',
    count: MANY,
    alerts: 6,
    pour: (town, count) =>
      pourFiles(town, 'deacon/dogs/warrants', count, (nth) => ({ name: `w-${nth}.json`, text: '{' })),
  },
  { what: 'dead polecats', count: MANY, alerts: 6, pour: pourPolecats },
  {
    what: 'refused pushes',
    count: MANY,
    alerts: 6,
    pour: casesOf('dirty_polecat', 'the remote refused its push: protected branch'),
  },
  { what: 'triage cases', count: MANY, alerts: 6, pour: casesOf('stuck_agent', 'no progress since cycle') },
  { what: 'overdue gates', count: MANY, alerts: 6, pour: pourGates },
  { what: 'escalations of one agent', count: MANY, alerts: 6, escalations: 11, pour: pourEscalations },
];

interface Cost {
  readonly status: number;
  readonly inbox: number;
}

/** A program says how much CPU it took when it ends: other work on the machine changes that little. */
const REPORT = 'data:text/javascript,process.on("exit",()=>console.error(`cpu ${process.cpuUsage().user}`))';

/** CPU of the command (user) and of the town while that answers, in ms: the middle of some rounds. */
function costOf(town: BenchTown, townPid: number): Cost {
  const cost = (words: readonly string[]): number => {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const before = fineCpuMs(townPid);
      const [node = '', ...args] = town.argv(words);
      const { stderr } = spawnSync(node, ['--import', REPORT, ...args], { env: town.env, encoding: 'utf8' });
      return Number(/^cpu (\d+)$/m.exec(stderr)?.[1]) / 1_000 + fineCpuMs(townPid) - before;
    });
    return median(rounds);
  };
  return { status: cost(['status']), inbox: cost(['mail', 'inbox']) };
}

/** Until the town has worked off what was poured, and is at rest again. */
async function untilCalm(townPid: number): Promise<void> {
  for (let tries = 0; tries < MOST_LOOKS; tries += 1) {
    const before = cpuMs(townPid);
    await pause(LOOK_MS);
    if (cpuMs(townPid) - before < CALM_MS) return;
  }
}

function rigIn(town: BenchTown): void {
  const repo = join(town.root, 'repo');
  const remote = join(town.root, 'remote.git');
  const git = (...words: string[]) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words]);
  git('init', '-q', '-b', 'main', repo);
  git('-C', repo, 'commit', '-q', '--allow-empty', '-m', 'one');
  git('init', '-q', '--bare', remote);
  git('-C', repo, 'remote', 'add', 'origin', remote);
  git('-C', repo, 'push', '-q', '-u', 'origin', 'main');
  town.town(['rig', 'add', RIG, '--repo', repo]);
}

/** A town with one rig, and a `[notify] command` that writes each message down. */
function townToFlood(): { readonly town: BenchTown; readonly told: () => number } {
  const town = benchTown('');
  const rung = join(town.root, 'rung');
  writeFileSync(rung, '');
  const command = ['sh', '-c', `cat >> ${rung}; echo >> ${rung}`];
  appendFileSync(join(town.root, 'town.toml'), `\n[notify]\ncommand = ${JSON.stringify(command)}\n`);
  rigIn(town);
  town.town(['up']);
  const told = (): number =>
    readFileSync(rung, 'utf8')
      .split('\n')
      .filter((line) => line !== '').length;
  return { town, told };
}

const patrolled = (town: BenchTown): void => {
  for (const words of [
    ['witness', 'patrol', RIG],
    ['deacon', 'patrol'],
    ['witness', 'patrol', RIG],
  ])
    town.town(words, [0, 1]);
};

function openIn(town: BenchTown): { readonly alerts: number; readonly escalations: number } {
  const inStatus = JSON.parse(town.town(['status', '--json'], STATUS_EXITS).stdout) as { data: { alerts: unknown[] } };
  const listed = JSON.parse(town.town(['escalation', 'list', '--limit', '1000', '--json']).stdout) as {
    data: unknown[];
  };
  return { alerts: inStatus.data.alerts.length, escalations: listed.data.length };
}

async function measureFlood({ what, count, alerts, escalations = alerts, pour }: Flood): Promise<Figure[]> {
  const { town, told } = townToFlood();
  try {
    const { pid } = await town.statusWhen(({ actors }) => actors.some(({ id }) => id.endsWith(`witness:${RIG}`)));
    const idle = costOf(town, pid);
    await pour(town, count);
    patrolled(town);
    await pause(SETTLE_MS);
    await untilCalm(pid);
    const full = costOf(town, pid);
    const open = openIn(town);
    return [
      figure(`${count.toLocaleString('en')} ${what}: \`status\``, full.status / idle.status, 2, 'x at rest'),
      figure('… `mail inbox`', full.inbox / idle.inbox, 2, 'x at rest'),
      figure('… open alerts', open.alerts, alerts, ''),
      figure('… open escalations', open.escalations, escalations, ''),
      figure('… starts of `[notify] command`', told(), 2, ''),
    ];
  } finally {
    town.close();
  }
}

/** Says on standard error what each flood showed as soon as it is over: all of them take a quarter of an hour. */
export async function measureFloods(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const flood of FLOODS) {
    const measured = await measureFlood(flood);
    for (const one of measured) process.stderr.write(`${one.what}: ${one.measured}\n`);
    figures.push(...measured);
  }
  return figures;
}
