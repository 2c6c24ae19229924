/** What the town remembers of its actors: which snapshot becomes which record. */
import type { AnyMachineSnapshot } from 'xstate';
import { bootOf } from '../machines/boot.ts';
import { deaconOf } from '../machines/deacon.ts';
import { danceOf } from '../machines/dog.ts';
import { healthOf } from '../machines/health.ts';
import type { SavedRecord } from '../machines/protocol.ts';
import { sessionsOf } from '../machines/sessions.ts';
import type { Keepers } from './street.ts';

export const keepers: Keepers = {
  dog: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] => {
    const value = danceOf(snapshot as Parameters<typeof danceOf>[0]);
    return [{ kind: 'dance', id: value.id, value }];
  },
  sessions: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] =>
    sessionsOf(snapshot.context as Parameters<typeof sessionsOf>[0]).map((value) => ({
      kind: 'session',
      id: value.spec.name,
      value,
    })),
  boot: (snapshot: AnyMachineSnapshot) => bootOf(snapshot.context as Parameters<typeof bootOf>[0]),
  deacon: (snapshot: AnyMachineSnapshot) => deaconOf(snapshot.context as Parameters<typeof deaconOf>[0]),
  health: (snapshot: AnyMachineSnapshot) => healthOf(snapshot.context as Parameters<typeof healthOf>[0]),
};
