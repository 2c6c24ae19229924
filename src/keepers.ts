/** What the town remembers of its actors: which snapshot becomes which record. */
import type { AnyMachineSnapshot } from 'xstate';
import { bootOf } from '../machines/boot.ts';
import { deaconOf } from '../machines/deacon.ts';
import { danceOf } from '../machines/dog.ts';
import { healthOf } from '../machines/health.ts';
import type { SavedRecord, SessionRecord } from '../machines/protocol.ts';
import type { Book } from '../machines/session-book.ts';
import type { Keepers } from './street.ts';

const sessionLists = new WeakMap<object, readonly SavedRecord[]>();
/** The same list for the same book of records: a thousand quiet sessions are then one comparison. */
function sessionRecords(records: Readonly<Record<string, SessionRecord>>): readonly SavedRecord[] {
  let list = sessionLists.get(records);
  if (list === undefined) {
    list = Object.values(records).map((value) => ({ kind: 'session', id: value.spec.name, value }));
    sessionLists.set(records, list);
  }
  return list;
}

export const keepers: Keepers = {
  dog: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] => {
    const value = danceOf(snapshot as Parameters<typeof danceOf>[0]);
    return [{ kind: 'dance', id: value.id, value }];
  },
  sessions: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] =>
    sessionRecords((snapshot.context as Book).records),
  boot: (snapshot: AnyMachineSnapshot) => bootOf(snapshot.context as Parameters<typeof bootOf>[0]),
  deacon: (snapshot: AnyMachineSnapshot) => deaconOf(snapshot.context as Parameters<typeof deaconOf>[0]),
  health: (snapshot: AnyMachineSnapshot) => healthOf(snapshot.context as Parameters<typeof healthOf>[0]),
};
