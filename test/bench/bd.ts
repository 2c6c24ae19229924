/**
 * What one command costs from its start to its end, beside the `bd` on PATH: asked is a half of that. Where there is no `bd`, what
 * `bd` 1.0.5 took on another machine stands for it. Told by `time`; without one there are no figures.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figure, type Figure } from './figure.ts';
import { median, withTown } from './town.ts';

const ROUNDS = 9;
const KB_PER_MB = 1_024;
const RECORDED = { cpuMs: 180, peakMb: 123 } as const;
type Cost = Readonly<Record<keyof typeof RECORDED, number>>;
const VERBS = {
  create: ['create', 'work', '--json'],
  list: ['list', '--json', '--limit=0'],
  ready: ['ready', '--json'],
  close: ['close', '{id}', '--json'],
} as const;
type Verb = keyof typeof VERBS;

interface Bd {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** null = it could not be run, or measured. */
function costOf({ argv, cwd, env }: Bd, verb: Verb, id: string): Cost | null {
  const words = VERBS[verb].map((word) => word.replace('{id}', id));
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const done = spawnSync('/usr/bin/time', ['-f', '%U %S %M', ...argv, ...words], { cwd, env, encoding: 'utf8' });
    const [user, system, peak] = done.stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
    if (done.status !== 0 || user === undefined || system === undefined || peak === undefined) return null;
    costs.push({ cpuMs: (user + system) * 1_000, peakMb: peak / KB_PER_MB });
  }
  // Time is told in hundredths of a second: their mean tells more than the one in the middle.
  const cpuMs = costs.reduce((sum, cost) => sum + cost.cpuMs, 0) / costs.length;
  return { cpuMs, peakMb: median(costs.map(({ peakMb }) => peakMb)) };
}

function costs(bd: Bd): Partial<Record<Verb, Cost>> {
  const made = spawnSync(bd.argv[0] ?? '', [...bd.argv.slice(1), 'create', 'first', '--silent'], {
    ...bd,
    encoding: 'utf8',
  });
  const id = made.stdout.trim();
  const all = (Object.keys(VERBS) as Verb[]).map((verb) => [verb, costOf(bd, verb, id)] as const);
  return Object.fromEntries(all.filter(([, cost]) => cost !== null));
}

/** Of the `bd` on PATH in a folder of its own; empty = there is none. */
function theirs(): Partial<Record<Verb, Cost>> {
  const home = mkdtempSync(join(tmpdir(), 'town-bench-'));
  try {
    const bd: Bd = { argv: ['bd'], cwd: home, env: { PATH: process.env['PATH'], HOME: home, BD_JSON_ENVELOPE: '1' } };
    spawnSync('git', ['init', '-q'], bd);
    return spawnSync('bd', ['init', '--prefix', 'tt', '--quiet'], bd).status === 0 ? costs(bd) : {};
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export const costsBesideBd = (): Promise<Figure[]> =>
  withTown('', async (town) => {
    const [mine, other] = [costs({ argv: town.argv(['bd']), cwd: town.root, env: town.env }), theirs()];
    return Object.entries(mine).flatMap(([verb, { cpuMs, peakMb }]) => {
      const theirsOf = other[verb as Verb] ?? RECORDED;
      return [
        figure(`CPU of \`town bd ${verb}\`, asked: half of bd's`, cpuMs, theirsOf.cpuMs / 2, 'ms'),
        figure('… its memory at most', peakMb, theirsOf.peakMb / 2, 'MB'),
      ];
    });
  });
