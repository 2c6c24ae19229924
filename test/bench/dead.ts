/**
 * What a cycle costs in a rig full of polecats that are dead and whose worktrees are gone: its CPU, that of each program it starts
 * among it. Their branches are there, half of them with commits that are on no remote.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newBead } from '../../machines/ledger/bead.ts';
import { addressOf, branchOf } from '../../machines/rigs/names.ts';
import { witnessCycle } from '../../machines/witness/cycle.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { surveyRig } from '../../src/patrols/thread/rig-round.ts';
import { realDisk } from '../../state/files/disk.ts';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { POLECATS } from '../../state/rigs/schemas.ts';
import { figure, type Figure } from './figure.ts';
import { fillLedger } from './fill.ts';
import { needsOf } from './patrol.ts';

const COUNTS = [300, 10_000];
/** The first cycle notes what it saw, and the later ones are those that a night is made of. */
const CYCLES = 3;
const HOUR = 3_600_000;
const RIG = 'shop';

interface Repository {
  readonly repo: string;
  readonly commits: readonly [pushed: string, own: string];
}

function repositoryIn(root: string, count: number): Repository {
  const [repo, origin] = [join(root, 'repo'), join(root, 'origin.git')];
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  const git = (...words: string[]): string => execFileSync('git', ['-C', repo, ...who, ...words], { encoding: 'utf8' });
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', origin]);
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('remote', 'add', 'origin', origin);
  git('push', '-q', 'origin', 'main');
  const pushed = git('rev-parse', 'HEAD').trim();
  const own = git('commit-tree', '-p', pushed, '-m', 'own', `${pushed}^{tree}`).trim();
  const lines = Array.from({ length: count }, (_, nth) => {
    return `create refs/heads/${branchOf({ rig: RIG, name: `p${nth}` })} ${nth % 2 === 0 ? pushed : own}\n`;
  });
  execFileSync('git', ['-C', repo, 'update-ref', '--stdin'], { input: lines.join('') });
  git('pack-refs', '--all');
  return { repo, commits: [pushed, own] };
}

/** User + system time of this process and of each program that it saw end, in ms. */
function spentMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

async function measureCycles(root: string, count: number): Promise<Figure[]> {
  const { repo, commits } = repositoryIn(root, count);
  const town = join(root, 'town');
  mkdirSync(town);
  const disk = realDisk(town, 0);
  const records = new RigRecords({ disk, wall: Date.now });
  const ledger = openLedger({ root: town, wall: Date.now });
  try {
    const began = Date.now() - HOUR;
    const rig = { name: RIG, repo, commonDir: join(repo, '.git'), agent: null, base: null, addedAt: began };
    await records.saveRig(rig);
    const [base] = commits;
    fillLedger(town, count, (nth) => {
      const words = { id: `tw-b${nth}`, title: `work ${nth}`, description: '', createdBy: 'mayor', rig: RIG };
      const assignee = addressOf({ rig: RIG, name: `p${nth}` });
      return newBead({ ...words, status: 'hooked', assignee, createdAt: new Date(began).toISOString() });
    });
    mkdirSync(join(town, 'polecats'), { recursive: true });
    for (let nth = 0; nth < count; nth += 1) {
      const bead = nth % 2 === 0 ? `tw-b${nth}` : null;
      const who = { rig: RIG, name: `p${nth}`, uuid: `u-${nth}`, bead, command: ['x'], at: began };
      const record = { ...who, step: 'running', base, main: { branch: 'main', commit: base }, tip: null } as const;
      // Durable files would take longer than all that is measured.
      const { path, text } = POLECATS.fileOf(record);
      writeFileSync(join(town, path), text);
    }
    const needs = needsOf(town, { disk, records, ledger });
    const dead = { ...needs, standings: () => Promise.resolve(() => 'ended' as const) };
    const [spent, took]: [number[], number[]] = [[], []];
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const [cpu, wall] = [spentMs(), performance.now()];
      const seen = await surveyRig(dead, rig, { handled: {}, stands: [], isAsked: false });
      witnessCycle(seen, DEFAULTS.patrols);
      spent.push(spentMs() - cpu);
      took.push(performance.now() - wall);
      if (seen.polecats.length !== count) throw new Error(`${seen.polecats.length} of ${count} polecats were seen`);
    }
    const text = `${count.toLocaleString('en')} dead polecats without worktrees`;
    return [
      figure(`CPU of a cycle over ${text}, the first`, spent[0] ?? NaN, count, 'ms'),
      figure('… a later one', spent.at(-1) ?? NaN, count, 'ms'),
      figure('… from its begin to its end', took.at(-1) ?? NaN, 60_000, 'ms'),
    ];
  } finally {
    ledger.close();
  }
}

export async function measureDead(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const count of COUNTS) {
    const root = mkdtempSync(join(tmpdir(), 'town-bench-'));
    try {
      figures.push(...(await measureCycles(root, count)));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return figures;
}
