/** Troubles that come to a town and go again, and what a person must be told of each. */
import { DEACON, GONE, STALE, WELL } from '../world/deacon.ts';
import { CLEAN, CRASH } from '../world/machine.ts';
import type { OfficeSim, Scene } from './office.ts';

const SECOND = 1_000;

export interface Trouble {
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

/** From now on hearings of the guest go so, and there is one. */
const hear =
  (how: Scene['heard'], force = false) =>
  (scene: Scene, sim: OfficeSim): void => {
    scene.heard = how;
    sim.accuse(force);
  };
const LETTER = { from: 'worker', via: 'agent', subject: 'A word', body: '', writtenBy: null, sender: null } as const;

/** Long enough for an agent to run steadily after its longest wait. */
const STEADY_MS = 80 * SECOND;
export const TROUBLES: Readonly<Record<string, Trouble>> = {
  'an agent keeps crashing': {
    begins: (_, sim) => sim.doom(CRASH),
    ends: (_, sim) => sim.doom(null),
    ...{ tells: ['crash-loop/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'an agent ends at once': {
    begins: (_, sim) => sim.doom(CLEAN),
    ends: (_, sim) => sim.doom(null),
    ...{ tells: ['ends-at-once/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'starts fail': {
    begins: (scene, sim) => {
      scene.starts = 'fails';
      sim.doom(CRASH);
    },
    ends: (scene, sim) => {
      scene.starts = 'works';
      sim.doom(null);
    },
    ...{ tells: ['start-failing/worker'], lastsMs: 60 * SECOND, overMs: STEADY_MS },
  },
  'a name is taken': {
    begins: (scene, sim) => {
      scene.starts = 'taken';
      sim.doom(CRASH);
    },
    ends: (scene, sim) => {
      scene.starts = 'works';
      sim.doom(null);
    },
    ...{ tells: ['name-taken/worker'], lastsMs: 40 * SECOND, overMs: 40 * SECOND },
  },
  'nobody can judge a life': {
    begins: (_, { machine }) => void machine.unseen.add('worker'),
    ends: (_, { machine }) => machine.unseen.clear(),
    ...{ tells: ['life-unknown/worker'], lastsMs: 60 * SECOND, overMs: 20 * SECOND },
  },
  'tmux is silent': {
    begins: (_, { machine }) => (machine.tmux = 'unknown'),
    ends: (_, { machine }) => (machine.tmux = 'up'),
    ...{ tells: ['tmux-unknown'], lastsMs: 60 * SECOND, overMs: 20 * SECOND },
  },
  'processes outlive their agent': {
    begins: (_, sim) => sim.crash({ pid: 7_001, started: '1@boot', program: 'sleep' }),
    ends: (_, { machine }) => machine.left.clear(),
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
      sim.crash(); // so that there is something to save
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

  'a hearing needs a person': {
    begins: hear('escalates', true),
    ends: hear('answers'),
    ...{ tells: ['dance-escalated/guest'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'a hearing meets a dialog': {
    begins: (scene, sim) => {
      scene.isAsking = true;
      hear('dialog')(scene, sim);
    },
    ends: (scene) => (scene.isAsking = false),
    ...{ tells: ['needs-input/guest'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'a hearing meets a usage limit': {
    begins: (scene, sim) => {
      scene.isAsking = true;
      hear('limited')(scene, sim);
    },
    ends: hear('answers'),
    ...{ tells: ['usage-limit/guest'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'an execution leaves survivors': {
    begins: hear('survives', true),
    ends: hear('answers'),
    ...{ tells: ['dance-survivors/'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'a hearing fails': {
    begins: hear('falls'),
    ends: hear('answers'),
    // A restart tries it once more (D-12), which takes it up again.
    ...{ tells: ['dance-failed/'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'a hearing lasts too long': {
    begins: hear('blind'),
    ends: (scene) => (scene.heard = 'answers'),
    ...{ tells: ['dance-overdue/'], lastsMs: 80 * SECOND, overMs: 30 * SECOND },
  },
  'one target is heard too often': {
    begins: (scene, sim) => {
      for (const n of [0, 1, 2]) sim.time.at(sim.time.now + n * 5 * SECOND, () => hear('answers')(scene, sim));
    },
    ends: () => undefined,
    ...{ tells: ['heard-often/guest'], lastsMs: 24 * SECOND, overMs: 40 * SECOND },
  },
  'one target is heard too often, and the disk is full when that is over': {
    begins: (scene, sim) => {
      for (const n of [0, 1, 2]) sim.time.at(sim.time.now + n * 5 * SECOND, () => hear('answers')(scene, sim));
      sim.time.at(sim.time.now + 25 * SECOND, () => (scene.isDiskFull = true));
      sim.time.at(sim.time.now + 55 * SECOND, () => (scene.isDiskFull = false));
    },
    ends: () => undefined,
    ...{ tells: ['heard-often/guest'], may: ['disk'], lastsMs: 24 * SECOND, overMs: 100 * SECOND },
  },
  'the Deacon has a letter without a rule': {
    begins: (scene, sim) => {
      scene.letters = [{ ...LETTER, id: `m-${sim.time.now}`, sentAt: sim.wall }];
      if (!scene.isDeaconActor) sim.kill();
      scene.isDeaconActor = true;
    },
    ends: (scene) => (scene.letters = []),
    ...{ tells: ['deacon-mail/'], lastsMs: 30 * SECOND, overMs: 20 * SECOND },
  },
  'the patrol of one rig comes to nothing, that of another of a like name works': {
    begins: (scene) => {
      [scene.rigs, scene.hasLedger] = [['farm', 'farm2'], true];
      scene.brokenRigs.add('farm2');
    },
    ends: (scene) => void scene.brokenRigs.delete('farm2'),
    ...{ tells: ['patrol-fails/farm2'], lastsMs: 60 * SECOND, overMs: 20 * SECOND },
  },
  'the patrol of a rig comes to nothing, and the disk is full when it works again': {
    begins: (scene) => {
      [scene.rigs, scene.hasLedger] = [['farm'], true];
      scene.brokenRigs.add('farm');
    },
    ends: (scene, sim) => {
      scene.brokenRigs.delete('farm');
      scene.isDiskFull = true;
      sim.time.at(sim.time.now + 30 * SECOND, () => (scene.isDiskFull = false));
    },
    ...{ tells: ['patrol-fails/farm'], may: ['disk'], lastsMs: 60 * SECOND, overMs: 100 * SECOND },
  },
  'the patrol of a rig comes to nothing until the rig is gone, and the ledger with it': {
    begins: (scene) => {
      [scene.rigs, scene.hasLedger] = [['farm'], true];
      scene.brokenRigs.add('farm');
    },
    ends: (scene) => ([scene.rigs, scene.hasLedger] = [[], false]),
    ...{ tells: ['patrol-fails/farm'], lastsMs: 60 * SECOND, overMs: 30 * SECOND },
  },
  'the ledger cannot be opened': {
    begins: (scene, sim) => {
      [scene.rigs, scene.hasLedger] = [['farm'], true];
      scene.failing.add('openLedger');
      sim.kill();
    },
    ends: (scene) => void scene.failing.delete('openLedger'),
    ...{ tells: ['ledger-fails/open'], lastsMs: 30 * SECOND, overMs: 20 * SECOND },
  },
  'the ledger cannot be opened until it is gone': {
    begins: (scene, sim) => {
      [scene.rigs, scene.hasLedger] = [['farm'], true];
      scene.failing.add('openLedger');
      sim.kill();
    },
    ends: (scene) => ([scene.rigs, scene.hasLedger] = [[], false]),
    ...{ tells: ['ledger-fails/open'], lastsMs: 30 * SECOND, overMs: 30 * SECOND },
  },
  'the ledger cannot be backed up': {
    begins: (scene) => {
      [scene.rigs, scene.hasLedger] = [['farm'], true];
      scene.failing.add('backUpLedger');
    },
    ends: (scene) => void scene.failing.delete('backUpLedger'),
    ...{ tells: ['ledger-fails/backup'], lastsMs: 40 * SECOND, overMs: 30 * SECOND },
  },
};
