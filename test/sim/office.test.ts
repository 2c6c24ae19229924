/** Law 8 in virtual time: troubles that come and go twice, with a town that is killed anywhere in between. */
import { describe, expect, test, vi } from 'vitest';
import { DEACON, GONE, STALE, WELL } from '../world/deacon.ts';
import { OfficeSim, type OfficePlant, type OfficeRan, type Scene } from './office.ts';
import { judgeOffice, type Expected } from './oracle-office.ts';

vi.setConfig({ testTimeout: 180_000 });

const SECOND = 1_000;

interface Trouble {
  readonly begins: (scene: Scene, sim: OfficeSim) => void;
  readonly ends: (scene: Scene, sim: OfficeSim) => void;
  readonly tells: readonly string[];
  /** Told too where it lasts long enough. */
  readonly may?: readonly string[];
  readonly isUnrecorded?: boolean;
  readonly lastsMs: number;
  /** After its end, until what was told of it must be over. */
  readonly overMs: number;
}

/** Long enough for an agent to run steadily after its longest wait. */
const STEADY_MS = 80 * SECOND;
const TROUBLES: Readonly<Record<string, Trouble>> = {
  'an agent keeps crashing': {
    begins: (scene, sim) => {
      scene.agent = 'crashes';
      sim.doomAll();
    },
    ends: (scene) => (scene.agent = 'lives'),
    ...{ tells: ['crash-loop/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'an agent ends at once': {
    begins: (scene, sim) => {
      scene.agent = 'ends';
      sim.doomAll();
    },
    ends: (scene) => (scene.agent = 'lives'),
    ...{ tells: ['ends-at-once/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'starts fail': {
    begins: (scene, sim) => {
      [scene.starts, scene.agent] = ['fails', 'crashes'];
      sim.doomAll();
    },
    ends: (scene) => ([scene.starts, scene.agent] = ['works', 'lives']),
    ...{ tells: ['start-failing/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'a name is taken': {
    begins: (scene, sim) => {
      [scene.starts, scene.agent] = ['taken', 'crashes'];
      sim.doomAll();
    },
    ends: (scene) => ([scene.starts, scene.agent] = ['works', 'lives']),
    ...{ tells: ['name-taken/worker'], lastsMs: 40 * SECOND, overMs: 40 * SECOND },
  },
  'nobody can judge a life': {
    begins: (scene) => (scene.isLifeUnknown = true),
    ends: (scene) => (scene.isLifeUnknown = false),
    ...{ tells: ['life-unknown/worker'], lastsMs: 60 * SECOND, overMs: 20 * SECOND },
  },
  'tmux is silent': {
    begins: (scene) => (scene.server = 'unknown'),
    ends: (scene) => (scene.server = 'up'),
    ...{ tells: ['tmux-unknown'], lastsMs: 60 * SECOND, overMs: 20 * SECOND },
  },
  'processes outlive their agent': {
    begins: (scene, sim) => {
      scene.survivors = [{ pid: 7_001, started: '1@boot' }];
      sim.endLives('worker');
    },
    ends: (scene) => (scene.survivors = []),
    ...{ tells: ['survivors/worker'], lastsMs: 40 * SECOND, overMs: 20 * SECOND },
  },
  'a step of the daemon fails': {
    begins: (scene) => void scene.failing.add('discover'),
    ends: (scene) => void scene.failing.delete('discover'),
    ...{ tells: ['daemon-step/discovery'], lastsMs: 90 * SECOND, overMs: 30 * SECOND },
  },
  'the Deacon is silent': {
    begins: (scene) => (scene.seen = STALE),
    ends: (scene) => (scene.seen = WELL),
    tells: [`deacon-silent/${DEACON.name}`, `deacon-unreachable/${DEACON.name}`],
    ...{ lastsMs: 150 * SECOND, overMs: 40 * SECOND },
  },
  'the Deacon waits for a person': {
    begins: (scene) => (scene.seen = { ...STALE, pane: 'blocked', what: 'Proceed?' }),
    ends: (scene) => (scene.seen = WELL),
    ...{ tells: [`deacon-blocked/${DEACON.name}`], may: [`deacon-silent/${DEACON.name}`] },
    ...{ lastsMs: 40 * SECOND, overMs: 40 * SECOND },
  },
  'the Deacon is down': {
    begins: (scene) => ([scene.seen, scene.found] = [GONE, 'absent']),
    ends: (scene) => ([scene.seen, scene.found] = [WELL, 'alive']),
    ...{ tells: [`deacon-down/${DEACON.name}`], lastsMs: 80 * SECOND, overMs: 30 * SECOND },
  },
  'the disk refuses': {
    begins: (scene, sim) => {
      scene.isDiskFull = true;
      sim.endLives('worker'); // so that there is something to save
    },
    ends: (scene) => (scene.isDiskFull = false),
    ...{ tells: ['disk'], isUnrecorded: true, lastsMs: 40 * SECOND, overMs: 20 * SECOND },
  },
  'the configuration is broken': {
    begins: (scene, sim) => {
      scene.broken = 'line 3';
      sim.kill();
    },
    ends: (scene, sim) => {
      scene.broken = null;
      sim.kill();
    },
    ...{ tells: ['config-broken'], lastsMs: 20 * SECOND, overMs: 20 * SECOND },
  },
};

const BEGIN = 10 * SECOND;
const PAUSE = 10 * SECOND;
async function play(trouble: Trouble, killAt?: number, plant?: OfficePlant): Promise<readonly [OfficeRan, string[]]> {
  const { begins, ends, tells, may = [], isUnrecorded = false, lastsMs, overMs } = trouble;
  const stood = [0, 1].map((n) => {
    const from = BEGIN + n * (lastsMs + overMs + PAUSE);
    return { from, to: from + lastsMs, overBy: from + lastsMs + overMs };
  });
  const changes = stood.flatMap(({ from, to }) => [
    { at: from, make: begins },
    { at: to, make: ends },
  ]);
  const ran = await new OfficeSim(changes, killAt, plant).run((stood.at(-1)?.overBy ?? 0) + PAUSE);
  return [ran, judgeOffice(ran, { tells, may, stood, isUnrecorded } satisfies Expected)];
}

/** Of all places where a kill may come, so many are tried, others each day, and so many just before something is told. */
const KILLS = process.env['SIM_KILLS'] === 'all' ? Infinity : 8;
const DAY = Math.floor(Date.now() / 86_400_000);
function some(of: readonly number[]): readonly number[] {
  const stride = Math.max(1, Math.floor(of.length / KILLS));
  return of.filter((_, n) => n % stride === DAY % stride);
}
const chosen = (steps: number, edges: readonly number[]): Set<number> =>
  new Set([...some(Array.from({ length: steps }, (_, n) => n + 1)), ...some(edges)]);

describe.each(Object.entries(TROUBLES))('%s', (_, trouble) => {
  test('is told once each time, and over once', async () => {
    expect((await play(trouble))[1]).toEqual([]);
  });

  test('also where the town is killed at any step', async () => {
    const [{ steps, edges }] = await play(trouble);
    for (const killAt of chosen(steps, edges)) {
      const [{ log }, found] = await play(trouble, killAt);
      expect(found, `killed at step ${killAt} of ${steps}: ${JSON.stringify(log)}`).toEqual([]);
    }
  });
});

/** What the oracle must say about each planted fault, whichever trouble it shows in. */
const SEEN: Readonly<Record<OfficePlant, RegExp>> = {
  'loses ends': /open in the end/,
  'tells each time': /: alert at \d+ and again/,
  'ends what stands': /while its cause stands/,
  'forgets what others told': /no alert between|open in the end/,
  'tells nobody': /no alert between/,
};
test.each(Object.entries(SEEN))('the oracle sees a planted fault: %s', async (plant, sentence) => {
  const trouble = TROUBLES['an agent keeps crashing'] as Trouble;
  const isSeen = async (killAt?: number) =>
    (await play(trouble, killAt, plant as OfficePlant))[1].some((one) => sentence.test(one));
  if (await isSeen()) return;
  const [{ edges }] = await play(trouble);
  for (const killAt of edges) if (await isSeen(killAt)) return;
  expect.unreachable(`no finding like ${String(sentence)}`);
});
