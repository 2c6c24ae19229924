/** The Deacon of a simulated town: what its pane and its mail show, and so what the watchdog chain's looks find. */
import type { Ms, SessionSpec } from '../../machines/protocol.ts';
import type { DeaconSeen, Discovered, KnownSession, Letter } from '../../machines/protocol/watchdog.ts';
import { incarnation } from './drive.ts';
import type { SimHands } from './hands.ts';

export const DEACON: SessionSpec = {
  name: 'hq-deacon',
  command: ['deacon'],
  dir: '/town/deacon',
  tags: ['deacon'],
  restart: 'permanent',
  process: null,
};
export const LIFE = incarnation('deacon', { session: DEACON.name });
/** A Deacon session that is well. */
export const WELL: DeaconSeen = {
  alive: 'yes',
  life: LIFE,
  startedMsAgo: 3_600_000,
  heartbeat: { ageMs: 0, mine: true, dueInMs: null },
  mail: 0,
  pane: 'idle',
  what: '',
  paused: false,
  isHeard: false,
  retired: false,
};
export const GONE: DeaconSeen = { ...WELL, alive: 'no', life: null, heartbeat: null, startedMsAgo: null };
export const STALE: DeaconSeen = { ...WELL, heartbeat: { ageMs: 3_600_000, mine: true, dueInMs: null } };

export class Deacon {
  seen = WELL;
  /** What a search for a session by its name finds. */
  found: Discovered['life'] = 'alive';
  foundUuid: string | null = null;
  letters: Letter[] = [];
  /** The sessions on record. */
  known: KnownSession[] = [];
  /** Letters that were put apart. */
  aside = 0;

  readonly hands: SimHands = {
    announce: { type: 'ANNOUNCED' },
    observeDeacon: (_, now) => ({ type: 'DEACON_OBSERVED', seen: this.seenAt(now) }),
    discover: ({ names }, now) => {
      const found = names.map((name) => this.foundAs(name, now));
      return { type: 'DISCOVERED', found, paused: this.isPaused };
    },
    readDeaconMail: () => ({
      type: 'DEACON_MAIL_READ',
      letters: this.letters,
      known: this.known,
      aside: this.aside,
      healthy: 1,
      unhealthy: 0,
      paused: this.isPaused,
    }),
    archiveDeaconMail: ({ ids, aside = [] }) => {
      this.letters = this.letters.filter(({ id }) => !ids.includes(id) && !aside.includes(id));
      this.aside += aside.length;
      return { type: 'MAIL_ARCHIVED' };
    },
    nudge: { type: 'NUDGED' },
  };

  get isPaused(): boolean {
    return this.seen.paused;
  }
  seenAt(_now: Ms): DeaconSeen {
    return this.seen;
  }
  foundAs(name: string, _now: Ms): Discovered {
    return { name, life: this.found, uuid: this.foundUuid, retired: this.seen.retired };
  }
}
