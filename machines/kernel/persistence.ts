/**
 * Which part of an actor's snapshot is durable. A machine that has records says so beside itself; the tree of actors asks after
 * each step, and saves the records that the step changed before any of its orders gets out.
 */
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import type { SavedRecord } from '../protocol.ts';

type RecordsOf<Snapshot> = (snapshot: Snapshot) => readonly SavedRecord[];

/** Keyed by the machine's configuration object, which survives `provide`. */
const RECORDS_OF = new WeakMap<object, RecordsOf<AnyMachineSnapshot>>();

/**
 * Declares the records of a machine: `persists(dog, (snapshot) => [{ kind: 'dance', id, value }])`. Pure, and called after each
 * step: return the same object for the same content, which spares the tree a comparison. A machine without this call starts
 * empty after a restart.
 */
export function persists<Machine extends AnyStateMachine>(
  machine: Machine,
  records: RecordsOf<SnapshotFrom<Machine>>,
): void {
  RECORDS_OF.set(machine.config, records as RecordsOf<AnyMachineSnapshot>);
}

/** How to read the records off a snapshot of this actor; undefined = it has none. */
export const recordsOf = (actor: object): RecordsOf<AnyMachineSnapshot> | undefined =>
  RECORDS_OF.get((actor as { readonly logic: Partial<Pick<AnyStateMachine, 'config'>> }).logic.config ?? actor);
