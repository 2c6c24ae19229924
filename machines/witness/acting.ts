/**
 * The acts of a cycle of a witness, as orders that are given one after another: what an act rests on has come about by then, or the
 * act waits for the next cycle. Pure.
 * 1. Letters that were handled are put away together, last in their step (W-7): each would cost two waits for the disk.
 * 2. That work waits for a configuration, and that something stands for a person, changes nothing: no order is given for it.
 */
import type { ActOutcome, Batch, Deed } from '../protocol/patrols.ts';
import type { CycleAct, CycleStep } from './cycle-step.ts';

declare module '../protocol/patrols.ts' {
  interface OfWitness {
    readonly act: OrderedAct;
  }
}

/** A cycle under way. */
export interface Acting {
  readonly left: readonly Batch[];
  readonly deeds: readonly Deed[];
}

/** The acts that are carried out. */
export type OrderedAct = Exclude<CycleAct, { act: 'strand' | 'stand' }>;
const isOrdered = (act: CycleAct): act is OrderedAct => act.act !== 'strand' && act.act !== 'stand';
const isArchive = ({ act }: CycleAct): boolean => act === 'archive';

export function beginActing(steps: readonly CycleStep[]): Acting {
  const left = steps.flatMap(({ step, acts }): Batch[] => {
    const ordered = acts.filter(isOrdered);
    const archived = ordered.filter(isArchive);
    const alone = ordered.filter((act) => !isArchive(act)).map((act): Batch => ({ step, acts: [act] }));
    return archived.length === 0 ? alone : [...alone, { step, acts: archived }];
  });
  const deeds = steps.flatMap(({ step, acts }) =>
    acts.flatMap((act): Deed[] =>
      act.act === 'strand' ? [{ step, act: act.act, about: act.bead, done: true, text: act.why }] : [],
    ),
  );
  return { left, deeds };
}

/** The next batch whose acts may follow what was done; null = the cycle has none left. */
export function nextBatch({ left, deeds }: Acting): { readonly batch: Batch; readonly left: readonly Batch[] } | null {
  const undone = new Set(deeds.flatMap((deed) => (deed.done ? [] : [deedKey(deed)])));
  for (const [at, { step, acts }] of left.entries()) {
    const ready = acts.filter((act) => mayFollow(act, undone));
    if (ready.length > 0) return { batch: { step, acts: ready }, left: left.slice(at + 1) };
  }
  return null;
}

/** An order that came to nothing: none of its acts was done. */
export const notDone = ({ acts }: Batch, why: string): ActOutcome[] =>
  acts.map((act) => ({ act: act.act, about: aboutOf(act), done: false, text: why }));

/** In words, for the wisp of the cycle (W-8). */
export const wantedIn = ({ left }: Acting): string[] =>
  left.flatMap(({ acts }) => acts.map((act) => `${act.act} ${aboutOf(act)}`));

/** The subject of an act, as people and the journal name it. */
export function aboutOf(act: CycleAct): string {
  if (act.act === 'shelve') return act.about;
  if (act.act === 'stand') return act.name;
  const named: Partial<Record<(typeof ABOUT)[number], string | null>> = act;
  return ABOUT.map((key) => named[key]).find((name) => name !== undefined) ?? '';
}
/** The first of these that it names. */
const ABOUT = ['polecat', 'bead', 'gate', 'mail', 'agent', 'to', 'title', 'wisp', 'swarm', 'rig', 'about'] as const;

/** One act among others: the same for two that do the same. */
const keyOf = (act: CycleAct): string => `${act.act}/${aboutOf(act)}`;
const deedKey = ({ act, about }: ActOutcome): string => `${act}/${about}`;

/** Whether all that it rests on was done. `undone`: keys of what this cycle tried, and did not do. */
const mayFollow = (act: OrderedAct, undone: ReadonlySet<string>): boolean =>
  !('rests' in act) || act.rests.every((one) => !undone.has(keyOf(one)));
