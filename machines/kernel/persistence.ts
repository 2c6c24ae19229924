/**
 * What of an actor is durable: said beside its machine, as the records that a snapshot of it is. The tree saves those that a step
 * changed; the same object for the same content spares it a comparison.
 */
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate';
import type { SavedRecord } from '../protocol.ts';

type RecordsOf<Snapshot> = (snapshot: Snapshot) => readonly SavedRecord[];

/** Keyed by the machine's configuration object, which survives `provide`. */
const RECORDS_OF = new WeakMap<object, RecordsOf<AnyMachineSnapshot>>();

export function persists<Machine extends AnyStateMachine>(
  machine: Machine,
  records: RecordsOf<SnapshotFrom<Machine>>,
): void {
  RECORDS_OF.set(machine.config, records as RecordsOf<AnyMachineSnapshot>);
}

/** What an actor keeps; undefined = it keeps nothing. */
export const recordsOf = (actor: object): RecordsOf<AnyMachineSnapshot> | undefined =>
  RECORDS_OF.get((actor as { readonly logic: Partial<Pick<AnyStateMachine, 'config'>> }).logic.config ?? actor);
