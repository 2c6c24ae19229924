/** What the town remembers of its actors: which snapshot becomes which record. */
import type { AnyMachineSnapshot } from 'xstate';
import { BOOT_LEVELS, bootOf } from '../../machines/watchdog/boot.ts';
import { DAEMON_LEVELS } from '../../machines/watchdog/daemon.ts';
import { HEALTH_LEVELS } from '../../machines/watchdog/health-review.ts';
import { patrolOf } from '../../machines/patrols/round.ts';
import { deaconOf } from '../../machines/watchdog/deacon.ts';
import { danceOf } from '../../machines/hearings/dog/record.ts';
import { healthOf } from '../../machines/watchdog/health-check.ts';
import type { SavedRecord, SessionRecord } from '../../machines/protocol.ts';
import type { SessionsState } from '../../machines/sessions/state.ts';
import { levelsOf } from '../../machines/alerts/levels.ts';
import { SESSION_LEVELS } from '../../machines/sessions/alerts.ts';
import type { Kept, Projections } from './street.ts';

interface KeptSessions {
  readonly deaths: SessionsState['serverDeaths'];
  readonly list: readonly SavedRecord[];
}
const sessionsKept = new WeakMap<SessionRecord, SavedRecord>();
/** The same object for the same session: whatever did not change is known by that. */
function sessionRecord(value: SessionRecord): SavedRecord {
  let kept = sessionsKept.get(value);
  if (kept === undefined) sessionsKept.set(value, (kept = { kind: 'session', id: value.spec.name, value }));
  return kept;
}

/** What this process forgot, unless there is a session of that name again. */
const forgottenRecords = ({ records, forgotten }: SessionsState): SavedRecord[] =>
  Object.entries(forgotten).flatMap(([id, at]): SavedRecord[] =>
    id in records ? [] : [{ kind: 'forgotten', id, value: { at } }],
  );

const sessionLists = new WeakMap<object, KeptSessions>();
/** The same list for the same book: a thousand quiet sessions are then one comparison. */
function sessionRecords(book: SessionsState): readonly SavedRecord[] {
  const { records, serverDeaths: deaths } = book;
  const kept = sessionLists.get(records);
  if (kept?.deaths === deaths) return kept.list;
  const sessions = [...Object.values(records).map(sessionRecord), ...forgottenRecords(book)];
  const list = deaths === null ? sessions : [...sessions, { kind: 'note', id: 'serverDeaths', value: deaths } as const];
  sessionLists.set(records, { deaths, list });
  return list;
}

const records: Projections = {
  dog: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] => {
    const value = danceOf(snapshot as Parameters<typeof danceOf>[0]);
    return [{ kind: 'dance', id: value.id, value }];
  },
  sessions: (snapshot: AnyMachineSnapshot): readonly SavedRecord[] => sessionRecords(snapshot.context as SessionsState),
  boot: (snapshot: AnyMachineSnapshot) => bootOf(snapshot.context as Parameters<typeof bootOf>[0]),
  deacon: (snapshot: AnyMachineSnapshot) => deaconOf(snapshot.context as Parameters<typeof deaconOf>[0]),
  patrol: (snapshot: AnyMachineSnapshot) => patrolOf(snapshot.context as Parameters<typeof patrolOf>[0]),
  health: (snapshot: AnyMachineSnapshot) => healthOf(snapshot.context as Parameters<typeof healthOf>[0]),
};

export const keepers: Kept = {
  records,
  levels: {
    sessions: levelsOf(SESSION_LEVELS, ({ value }) => value === 'open'),
    daemon: levelsOf(DAEMON_LEVELS),
    boot: levelsOf(BOOT_LEVELS),
    health: levelsOf(HEALTH_LEVELS),
  },
};
