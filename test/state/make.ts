/** Records for tests of the store, plain and with every field filled. */
import { freshDance } from '../../machines/hearings/dance.ts';
import { POLICY } from '../../machines/policy.ts';
import { STATE, type StatePolicy } from '../../state/files/policy.ts';
import { episodeIn } from '../../machines/protocol.ts';
import type { Dance, Episode, Incarnation, SavedRecord, SessionRecord, Warrant } from '../../machines/protocol.ts';
import type { NoteRecord } from '../../machines/protocol/watchdog.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { ALERTS } from '../../state/alerts/episodes.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { Store } from '../../state/store.ts';
import { paths } from '../../state/files/layout.ts';
import { tools } from '../hearings/lone.ts';

export const NOW = Date.UTC(2026, 0, 2, 12);

export const life = (session = 'gt-nux', uuid = `uuid-${session}`): Incarnation => ({
  uuid,
  session,
  server: { pid: 100, started: 'boot:1' },
  sessionId: '$3',
  paneId: '%7',
  agent: { pid: 4242, started: 'boot:99' },
  origin: 'started',
});

export const warrant = (id = 'w-1', more: Partial<Warrant> = {}): Warrant => ({
  id,
  target: life(),
  reason: 'silent for an hour',
  requester: 'deacon',
  filedAt: NOW - 5_000,
  force: false,
  ...more,
});

/** In its first and only question. */
export function dance(id = 'dog-1767355200000', more: Partial<Dance> = {}): Dance {
  return {
    ...freshDance(id, 0, warrant(), tools(), { wall: NOW, escalate: false }),
    stage: 'interrogating.listening',
    attempts: [
      {
        code: 'K73F',
        windowMs: 60_000,
        askedAt: NOW,
        question: ['[DOG] HEALTH CHECK'],
        mark: { line: 12, width: 80, alternate: false, cpuRate: 3.5 },
        seen: '',
      },
    ],
    observedMs: 12_345,
    tailBefore: 'ünïcode \u0007 $ ',
    ...more,
  };
}

export function closed(id = 'dog-1767355200000', more: Partial<Dance> = {}): Dance {
  return dance(id, { stage: 'closed', verdict: 'executed', reason: 'silent', closedAt: NOW, ...more });
}

export function session(name = 'gt-nux', more: Partial<SessionRecord> = {}): SessionRecord {
  const command = ['bash', 'agent.sh'];
  const spec = { name, command, dir: '/tmp', tags: ['worker'], restart: 'transient', process: null } as const;
  return {
    ...freshSession(spec, ''),
    state: 'running',
    incarnation: life(name),
    pending: null,
    note: '',
    restartAgesMs: [1_000],
    restarts: 1,
    stableMs: 5_000,
    startedAt: NOW - 60_000,
    lastExit: { kind: 'code', code: 1 },
    ...more,
  };
}

export const saved = (value: Dance): SavedRecord => ({ kind: 'dance', id: value.id, value });
export const savedSession = (value: SessionRecord): SavedRecord => ({ kind: 'session', id: value.spec.name, value });

/** A warrant as any program drops it. */
export function loose(id: string, more: Record<string, unknown> = {}): string {
  const filed_at = new Date(NOW - 1_000).toISOString();
  return JSON.stringify({ id, target: 'gt-nux', reason: 'silent', requester: 'mayor', filed_at, ...more });
}

export type Opened = Awaited<ReturnType<typeof open>>;

/** A process's store: opened, with what it refused. */
export async function open(disk: Disk, policy: Partial<StatePolicy> = {}) {
  const refused: Refused[] = [];
  const store = new Store({
    disk,
    policy: { ...STATE, ...policy },
    heardWithinMs: POLICY.dance.heardWithinMs,
    wall: () => NOW,
    isProtected: (name) => name === 'gt-protected',
    onRefused: (one) => refused.push(one),
  });
  await store.open();
  return { store, refused };
}

export const note = <K extends NoteRecord['id']>(id: K, value: Extract<NoteRecord, { id: K }>['value']) =>
  ({ kind: 'note', id, value }) as Extract<NoteRecord, { id: K }>;
/** A letter to the mayor, as it lies in a mailbox. */
export const LETTER = withChecksum({
  schema: 'mail/1',
  id: 'm',
  from: 'a',
  to: 'mayor',
  subject: 's',
  body: 'b',
  sent_at: '2026-01-02T12:00:00.000Z',
  via: 'town',
  urgent: false,
  needs_response: true,
});

export const sessionSheet = (name = 'gt-nux'): [string, string] => [paths.session(name), sessionText(session(name))];

/** An open alert that no person was told of. */
export const episode = (name: string, more: Partial<Episode> = {}): Episode => ({
  episode: episodeIn(name),
  severity: 'medium',
  session: null,
  text: 'look at it',
  since: NOW,
  count: 1,
  told_at: null,
  ended_at: null,
  recovery: null,
  ...more,
});
/** As the town puts them on record. */
export const putAlerts = (disk: Disk, ...episodes: readonly Episode[]): Promise<void> =>
  writeFiles(disk, episodes.map(ALERTS.fileOf));
