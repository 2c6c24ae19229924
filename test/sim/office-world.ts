/** What hearings and patrols of the alert office's world find: hands for their orders, as the scene has it. */
import type { WallMs } from '../../machines/protocol.ts';
import { paths } from '../../state/files/layout.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { incarnation, warrant } from '../world/drive.ts';
import type { SimDisk } from '../world/disk.ts';
import { ASKED, DEAF, seeing, type SimHands } from '../world/hands.ts';

/** Whom hearings are about: an agent of a person's, which the town never starts. */
export const GUEST = incarnation(8, { session: 'guest', origin: 'adopted' });

export interface Hearings {
  /** How they go. `falls`: what a look brings makes the dog throw. */
  readonly heard: 'answers' | 'escalates' | 'dialog' | 'limited' | 'survives' | 'falls' | 'blind';
}
export interface Patrols {
  readonly rigs: readonly string[];
  readonly hasLedger: boolean;
  /** Whose patrol comes to nothing. */
  readonly brokenRigs: ReadonlySet<string>;
}

/** Warrants against the guest, as anybody puts them there. */
export class Accusations {
  #count = 0;

  file(disk: SimDisk, filedAt: number, force: boolean): void {
    this.#count += 1;
    const id = `w${this.#count}`;
    disk.put(paths.warrant(id), warrantText(warrant(id, GUEST, { filedAt, force, requester: 'operator' })));
  }
}

const CHILD = { pid: 7_101, started: '1@boot' };

export const heardIn = (scene: Hearings): SimHands => ({
  ...DEAF,
  ask: () => {
    const { heard } = scene;
    if (heard === 'dialog' || heard === 'limited')
      return { type: 'NOT_ASKED', obstacle: { kind: heard, what: 'simulated' } };
    return ASKED;
  },
  look: () => {
    const { heard } = scene;
    if (heard === 'blind') throw new Error('nothing is to be seen, simulated');
    if (heard === 'falls') return { type: 'LOOKED', tail: '' } as unknown as ReturnType<typeof seeing>;
    return seeing(heard === 'answers' ? { kind: 'answered', by: 'code', quote: 'ALIVE' } : { kind: 'silent' });
  },
  listTree: () =>
    scene.heard === 'escalates'
      ? { type: 'TREE_REFUSED', why: 'it is not the town’s to end, simulated' }
      : { type: 'TREE_LISTED', tree: [CHILD] },
  clear: () => ({ type: 'CLEARED', survivors: scene.heard === 'survives' ? [CHILD] : [] }),
});

export const patrolledIn = (scene: Patrols, wall: () => WallMs): SimHands => ({
  readRigs: () => ({ type: 'RIGS_READ', rigs: scene.rigs, hasLedger: scene.hasLedger }),
  openLedger: { type: 'LEDGER_OPENED', backedUpAt: null },
  readEscalations: { type: 'ESCALATIONS_READ', open: [] },
  backUpLedger: () => ({ type: 'LEDGER_BACKED_UP', backedUpAt: wall() }),
  patrol: ({ of }) => {
    if (scene.brokenRigs.has(of)) throw new Error('it comes to nothing, simulated');
    return {
      type: 'PATROLLED',
      found: { observed: {}, deeds: [], isActive: false, stranded: [], isPaused: false },
    };
  },
});
