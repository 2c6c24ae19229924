/** Under which names and kinds patrols keep evidence in the ledger, and which of an agent's own they go by. */
import { witnessOf } from '../../ledger/evidence-names.ts';

export { witnessOf } from '../../ledger/evidence-names.ts';

/** Kinds of evidence that patrols write and read. */
export const EVIDENCE = {
  /** It begins to finish: what it was at then is done, should it come no further. */
  doneIntent: 'done-intent',
  failure: 'failure',
  attempt: 'attempt',
  /** Of the attempt of that instant: its start was refused, and takes place once a person did something. */
  refused: 'refused',
  success: 'success',
} as const;
/** Who patrols: of a rig, or `deacon`. */
export const patrolOf = (of: string, what = ''): string =>
  of !== 'deacon' ? witnessOf(of, what) : what === '' ? of : `${of}/${what}`;

/** Kinds of evidence by which an agent says that it is there. */
export const OF_LIFE: ReadonlySet<string> = new Set(['heartbeat']);

/** Who remembers the failures of an agent, or of a piece of work. */
export const failuresOf = (rig: string, of: string): string => witnessOf(rig, `failure/${of}`);
