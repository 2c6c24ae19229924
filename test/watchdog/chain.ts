/** A town with its watchdog chain on the real street, in virtual time: a test says what the Deacon is like. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order, OutcomeBody, SeenSession, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { DeaconSeen, Discovered, Letter, Notes } from '../../machines/protocol/watchdog.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { Drive, incarnation, quiet, townInput, WALL, type Answer } from '../hearings/drive.ts';

/** Where a drive's time begins. */
const START = 1_000;
export const HEARTBEAT = POLICY.watchdog.heartbeatMs;
export const DEACON: SessionSpec = {
  name: 'hq-deacon',
  command: ['deacon'],
  dir: '/town/deacon',
  tags: ['deacon'],
  restart: 'permanent',
  process: null,
};
export const LIFE = incarnation('deacon', { session: 'hq-deacon' });
/** A Deacon session that is well. */
export const WELL: DeaconSeen = {
  alive: 'yes',
  heartbeat: { ageMs: 0, mine: true, dueInMs: null },
  mail: 0,
  pane: 'idle',
  what: '',
  paused: false,
  isHeard: false,
  retired: false,
  startedMsAgo: 3_600_000,
  life: LIFE,
};

export class ChainTown {
  seen: DeaconSeen = WELL;
  found: Discovered['life'] = 'alive';
  foundUuid: string | null = null;
  letters: Letter[] = [];
  /** Outcomes that a test gives instead, by the type of the order; null = none ever comes. */
  readonly instead = new Map<Order['type'], OutcomeBody | null>();
  readonly sessions = new Map<string, SessionRecord>();
  /** Episodes that are open, as the disk has them. */
  readonly episodes = new Set<string>();
  server: 'up' | 'gone' | 'unknown' = 'up';
  /** Lives that the next scans see dead. */
  readonly dead = new Set<string>();
  /** What the journal would hold. */
  readonly journal: WrittenLine[] = [];
  readonly #notes = new Map<string, object | null>();
  readonly #deacon: SessionSpec | null;
  readonly #policy: Policy;
  readonly #more: Partial<TownInput>;
  #drive: Drive | null = null;

  constructor(deacon: SessionSpec | null = DEACON, policy: Policy = POLICY, more: Partial<TownInput> = {}) {
    this.#deacon = deacon;
    this.#policy = policy;
    this.#more = more;
  }

  /** The town starts when it is used first, in the world that the test has set up by then. */
  get drive(): Drive {
    const chronicle = new Chronicle();
    this.#drive ??= new Drive(
      (order, now) => this.#answer(order, now),
      townInput(this.#policy, { chain: { deacon: this.#deacon }, ...this.#more }),
      undefined,
      (step, now, facts) => {
        const { records } = step;
        for (const { at, ...line } of chronicle.lines({ facts, ...step, wall: WALL + now }))
          this.journal.push({ ...line, at: new Date(at).toISOString() });
        for (const r of records) {
          if (r.kind === 'session') this.sessions.set(r.id, r.value);
          if (r.kind === 'note') this.#notes.set(r.id, r.value);
        }
      },
    );
    return this.#drive;
  }

  note<K extends keyof Notes>(id: K): Notes[K] | null {
    return (this.#notes.get(id) ?? null) as Notes[K] | null;
  }

  /** News that were announced, by type. */
  announced(type: string): readonly object[] {
    return this.drive.given('announce').flatMap(({ news }) => (news.type === type ? [news] : []));
  }
  get alerts(): string[] {
    return this.drive.given('alert').map(({ alert }) => alert.episode);
  }

  letter(more: Partial<Letter> = {}): Letter {
    const letter: Letter = {
      id: `m-${this.letters.length + 1}`,
      from: 'worker',
      via: 'agent',
      subject: 'LIFECYCLE: restart',
      body: '',
      sentAt: WALL + (this.#drive?.now ?? START),
      writtenBy: null,
      sender: { session: 'worker', uuid: 'uuid-1', startedAt: WALL },
      ...more,
    };
    this.letters.push(letter);
    return letter;
  }

  #answer(order: Order, now: number): Answer {
    const other = this.instead.get(order.type);
    if (other !== undefined) return other;
    switch (order.type) {
      case 'alert':
        this.episodes.add(order.alert.episode);
        return { type: 'ALERTED' };
      case 'endAlert':
        this.episodes.delete(order.episode);
        return { type: 'ALERTED' };
      case 'endOthers':
        for (const episode of this.episodes)
          if (episode.startsWith(order.prefix) && !order.except.includes(episode)) this.episodes.delete(episode);
        return { type: 'ALERTED' };
      case 'announce':
        return { type: 'ANNOUNCED' };
      case 'readBoot':
        return { type: 'BOOT_READ', runningMs: null, status: this.note('bootStatus') };
      case 'readHealth':
        return { type: 'HEALTH_READ', checks: this.note('healthChecks') ?? {} };
      case 'observeDeacon':
        return { type: 'DEACON_OBSERVED', seen: this.seen };
      case 'discover': {
        const found = order.names.map((name) => ({
          ...{ name, life: this.found, uuid: this.foundUuid },
          retired: this.seen.retired,
        }));
        return { type: 'DISCOVERED', found, paused: this.seen.paused };
      }
      case 'readDeaconMail':
        return { type: 'DEACON_MAIL_READ', letters: this.letters, healthy: 1, unhealthy: 0, paused: this.seen.paused };
      case 'archiveDeaconMail':
        this.letters = this.letters.filter(({ id }) => !order.ids.includes(id));
        return { type: 'MAIL_ARCHIVED' };
      case 'nudge':
        return { type: 'NUDGED' };
      case 'fileWarrant':
        return { type: 'WARRANT_WRITTEN' };
      case 'readSessions':
        return { type: 'SESSIONS_READ', sessions: [...this.sessions.values()] };
      case 'startSession': {
        const born = incarnation(now, { uuid: order.uuid, session: order.spec.name });
        return { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash' };
      }
      case 'scan':
        return {
          type: 'SESSIONS_SEEN',
          server: this.server,
          seen: order.known.map(({ session, uuid }) => ({
            ...{ name: session, uuid, exit: null, condemned: false },
            life: this.#lifeOf(uuid),
          })),
        };
      default:
        return quiet(order);
    }
  }

  #lifeOf(uuid: string): SeenSession['life'] {
    if (this.server !== 'up') return this.server === 'gone' ? 'absent' : 'unknown';
    return this.dead.has(uuid) ? 'dead' : 'alive';
  }

  run(ms: number): void {
    this.drive.run(ms);
  }
}
