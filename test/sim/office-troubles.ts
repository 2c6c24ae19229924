/** Troubles that come to a town and go again, and what a person must be told of each. */
import { DEACON, GONE, STALE, WELL } from '../world/deacon.ts';
import type { Order } from '../../machines/protocol.ts';
import type { TargetPlan } from './agent-plans.ts';
import type { Cause, Death } from './log.ts';
import type { Change, Office, Scene } from './office.ts';
import type { Expected, Stood } from './oracle-office.ts';

const SECOND = 1_000;

interface Trouble {
  readonly begins: (scene: Scene, sim: Office) => unknown;
  readonly ends: Trouble['begins'];
  readonly tells: readonly string[];
  /** Told too where it lasts long enough. */
  readonly may?: readonly string[];
  readonly isUnrecorded?: boolean;
  readonly lastsMs: number;
  /** After its end, until what was told of it must be over. */
  readonly overMs: number;
}
type Turn = Trouble['begins'];

/** One that is told by these names, stands so many seconds, and is over within so many more. */
const trouble = (
  [tells, lasts, over]: readonly [tells: string | readonly string[], lasts: number, over: number],
  begins: Turn,
  ends: Turn,
  more: Pick<Trouble, 'may' | 'isUnrecorded'> = {},
): Trouble => ({
  begins,
  ends,
  tells: [tells].flat(),
  lastsMs: lasts * SECOND,
  overMs: over * SECOND,
  ...more,
});
/** The worker's lives end so, while starts come to this. */
const dying =
  (of: Death | null, starts: Scene['starts'] = 'work'): Turn =>
  (scene, sim) => {
    scene.starts = starts;
    sim.doom(of);
  };
/** A step of the town's fails, or does not any more; a step that opens something does that at its start. */
const failing =
  (order: Order['type'], isAtStart = false): Turn =>
  (scene, sim) => {
    if (order !== 'discover') [scene.rigs, scene.hasLedger] = [['farm'], true];
    scene.failing.add(order);
    if (isAtStart) sim.kill();
  };
const works =
  (order: Order['type']): Turn =>
  ({ failing }) =>
    failing.delete(order);
/** There are these rigs, and the patrol of the last one comes to nothing. */
const brokenOf =
  (...rigs: readonly string[]): Turn =>
  (scene) => {
    [scene.rigs, scene.hasLedger] = [rigs, true];
    scene.brokenRigs.add(rigs.at(-1) ?? '');
  };
const rigIsGone: Turn = (scene) => ([scene.rigs, scene.hasLedger] = [[], false]);
const fullFor = (scene: Scene, sim: Office, ms: number): void => {
  scene.isDiskFull = true;
  sim.time.at(sim.time.now + ms, () => (scene.isDiskFull = false));
};
const configured =
  (broken: string | null): Turn =>
  (scene, sim) => {
    scene.broken = broken;
    sim.kill();
  };

const always = (cause: Cause) => ({ cause, from: 0, to: Infinity });
/** From now on the guest is such a one, and is heard. */
const hear =
  (how: Partial<TargetPlan>, force = false, looks: Scene['looks'] = 'work'): Turn =>
  (scene, sim) => {
    scene.looks = looks;
    sim.guest(how);
    sim.accuseGuest(force);
  };
const ANSWERS: Partial<TargetPlan> = { answer: { attempt: 1, afterMs: 0, by: 'screen' } };
/** Three times within seconds. */
const hearOften: Turn = (scene, sim) => {
  for (const n of [0, 1, 2]) sim.time.at(sim.time.now + n * 5 * SECOND, () => hear(ANSWERS)(scene, sim));
};
const LETTER = { from: 'worker', via: 'agent', subject: 'A word', body: '', writtenBy: null, sender: null } as const;

const BEGIN = 10 * SECOND;
const PAUSE = 10 * SECOND;
/** It comes and goes twice. */
const stoodOf = ({ lastsMs, overMs }: Trouble): readonly Stood[] =>
  [0, 1].map((n) => {
    const from = BEGIN + n * (lastsMs + overMs + PAUSE);
    return { from, to: from + lastsMs, overBy: from + lastsMs + overMs };
  });
export const changesOf = (one: Trouble): readonly Change[] =>
  stoodOf(one).flatMap(({ from, to }) => [
    { at: from, make: one.begins },
    { at: to, make: one.ends },
  ]);
export function expectedOf(one: Trouble): Expected {
  const { tells, may = [], isUnrecorded = false } = one;
  const stood = stoodOf(one);
  return { tells, may, stood, isUnrecorded, endsAt: (stood.at(-1)?.overBy ?? 0) + PAUSE };
}

/** Long enough for an agent to run steadily after its longest wait. */
const STEADY = 80;
export const TROUBLES: Readonly<Record<string, Trouble>> = {
  'an agent keeps crashing': trouble(['crash-loop/worker', 60, STEADY], dying('crash'), dying(null)),
  'an agent ends at once': trouble(['ends-at-once/worker', 60, STEADY], dying('clean exit'), dying(null)),
  'starts fail': trouble(['start-failing/worker', 60, STEADY], dying('crash', 'fail'), dying(null)),
  'a name is taken': trouble(['name-taken/worker', 40, 40], dying('crash', 'taken'), dying(null)),
  'no look can judge a life': trouble(
    ['life-unknown/worker', 60, 20],
    (_, { agents }) => agents.become('worker', { hindered: [always('hidden')] }),
    (_, { agents }) => agents.become('worker', { hindered: [] }),
  ),
  'tmux is silent': trouble(
    ['tmux-unknown', 60, 20],
    (_, { agents }) => (agents.isHidden = true),
    (_, { agents }) => (agents.isHidden = false),
  ),
  'processes outlive their agent': trouble(
    ['survivors/worker', 40, 20],
    (_, { agents, worker }) => agents.end(worker, 'crash', true, true),
    (_, { agents }) => {
      for (const { alive, procs } of agents.lives.values()) if (!alive) procs.clear();
    },
  ),
  'a step of the daemon fails': trouble(['daemon-step/discovery', 90, 30], failing('discover'), works('discover')),
  'the Deacon is silent': trouble(
    [[`deacon-silent/${DEACON.name}`, `deacon-unreachable/${DEACON.name}`], 150, 40],
    (scene) => (scene.seen = STALE),
    (scene) => (scene.seen = WELL),
  ),
  'the Deacon waits for a person': trouble(
    [`deacon-blocked/${DEACON.name}`, 40, 40],
    (scene) => (scene.seen = { ...STALE, pane: 'blocked', what: 'Proceed?' }),
    (scene) => (scene.seen = WELL),
    { may: [`deacon-silent/${DEACON.name}`] },
  ),
  'the Deacon is down': trouble(
    [`deacon-down/${DEACON.name}`, 80, 30],
    (scene) => ([scene.seen, scene.found] = [GONE, 'absent']),
    (scene) => ([scene.seen, scene.found] = [WELL, 'alive']),
  ),
  'the disk refuses': trouble(
    ['disk', 40, 20],
    (scene, sim) => {
      scene.isDiskFull = true;
      sim.agents.end(sim.worker, 'crash'); // so that there is something to save
    },
    (scene) => (scene.isDiskFull = false),
    { isUnrecorded: true },
  ),
  'the configuration is broken': trouble(['config-broken', 20, 20], configured('line 3'), configured(null)),

  'a hearing needs a person': trouble(
    ['dance-escalated/guest', 30, 30],
    hear({ untouchableAt: 0 }, true),
    hear(ANSWERS),
  ),
  'a hearing meets a dialog': trouble(['needs-input/guest', 30, 30], hear({ hindered: [always('dialog')] }), (_, sim) =>
    sim.guest({}),
  ),
  'a hearing meets a usage limit': trouble(
    ['usage-limit/guest', 30, 30],
    hear({ hindered: [always('limited')] }),
    hear(ANSWERS),
  ),
  'an execution leaves survivors': trouble(
    ['dance-survivors/', 30, 30],
    (scene, sim) => {
      scene.isClearing = false;
      hear({ immortal: true }, true)(scene, sim);
    },
    hear(ANSWERS),
  ),
  // A restart tries it once more (D-12), which takes it up again.
  'a hearing fails': trouble(['dance-failed/', 30, 30], hear({}, false, 'fall'), hear(ANSWERS)),
  'a hearing lasts too long': trouble(
    ['dance-overdue/', 80, 30],
    hear(ANSWERS, false, 'fail'),
    (scene) => (scene.looks = 'work'),
  ),
  'one target is heard too often': trouble(['heard-often/guest', 24, 40], hearOften, () => undefined),
  'one target is heard too often, and the disk is full when that is over': trouble(
    ['heard-often/guest', 24, 100],
    (scene, sim) => {
      hearOften(scene, sim);
      sim.time.at(sim.time.now + 25 * SECOND, () => fullFor(scene, sim, 30 * SECOND));
    },
    () => undefined,
    { may: ['disk'] },
  ),
  'the Deacon has a letter without a rule': trouble(
    ['deacon-mail', 30, 20],
    (scene, sim) => {
      scene.letters = [{ ...LETTER, id: `m-${sim.time.now}`, sentAt: sim.wall }];
      if (!scene.isDeaconActor) sim.kill();
      scene.isDeaconActor = true;
    },
    (scene) => (scene.letters = []),
  ),
  'the patrol of one rig comes to nothing, that of another of a like name works': trouble(
    ['patrol-fails/farm2', 60, 20],
    brokenOf('farm', 'farm2'),
    (scene) => scene.brokenRigs.delete('farm2'),
  ),
  'the patrol of a rig comes to nothing, and the disk is full when it works again': trouble(
    ['patrol-fails/farm', 60, 100],
    brokenOf('farm'),
    (scene, sim) => {
      scene.brokenRigs.delete('farm');
      fullFor(scene, sim, 30 * SECOND);
    },
    { may: ['disk'] },
  ),
  'the patrol of a rig comes to nothing until the rig is gone, and the ledger with it': trouble(
    ['patrol-fails/farm', 60, 30],
    brokenOf('farm'),
    rigIsGone,
  ),
  'the ledger cannot be opened': trouble(
    ['ledger-fails/open', 30, 20],
    failing('openLedger', true),
    works('openLedger'),
  ),
  'the ledger cannot be opened until it is gone': trouble(
    ['ledger-fails/open', 30, 30],
    failing('openLedger', true),
    rigIsGone,
  ),
  'the ledger cannot be backed up': trouble(
    ['ledger-fails/backup', 40, 30],
    failing('backUpLedger'),
    works('backUpLedger'),
  ),
};
