/** What the town remembers of its actors: which snapshot becomes which record. */
import type { AnyMachineSnapshot } from 'xstate';
import { danceOf } from '../machines/dog.ts';
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
};
