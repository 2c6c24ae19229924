/** A town with its watchdog chain on the shipped tree of actors, in virtual time: a test says what the Deacon is like. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import type { TownInput } from '../../machines/town.ts';
import type { Letter, Notes } from '../../machines/protocol/watchdog.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { Deacon, DEACON } from '../world/deacon.ts';
import { Drive, START, townInput, WALL } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { CRASH, Machine } from '../world/machine.ts';

export { DEACON, GONE, LIFE, STALE, WELL } from '../world/deacon.ts';
export const HEARTBEAT = POLICY.watchdog.heartbeatMs;

export class ChainTown extends Deacon {
  readonly machine = new Machine();
  /** Outcomes that a test gives instead; null = none ever comes. */
  readonly instead: SimHands = {};
  /** What the town finds, and saves. */
  readonly sessions = new Map<string, SessionRecord>();
  /** Episodes that are open, as the disk has them. */
  readonly episodes = new Set<string>();
  /** What the journal would hold. */
  readonly journal: WrittenLine[] = [];
  readonly #input: TownInput;
  #drive: Drive | null = null;

  constructor(deacon: SessionSpec | null = DEACON, policy: Policy = POLICY, more: Partial<TownInput> = {}) {
    super();
    this.#input = townInput(policy, { chain: { deacon }, ...more });
  }

  readonly #office: SimHands = {
    alert: ({ alert }) => {
      this.episodes.add(alert.episode);
      return { type: 'ALERTED' };
    },
    endAlert: ({ episode }) => {
      this.episodes.delete(episode);
      return { type: 'ALERTED' };
    },
    endOthers: ({ of, except }) => {
      for (const episode of this.episodes)
        if (`${episode}/`.startsWith(`${of}/`) && !except.includes(episode)) this.episodes.delete(episode);
      return { type: 'ALERTED' };
    },
    fileWarrant: { type: 'WARRANT_WRITTEN' },
    readSessions: () => ({ type: 'SESSIONS_READ', sessions: [...this.sessions.values()] }),
  };

  /** The town starts when it is used first, in the world that the test has set up by then. */
  get drive(): Drive {
    const chronicle = new Chronicle();
    this.#drive ??= new Drive([this.instead, this.#office, this.hands, this.machine.hands], {
      input: this.#input,
      watch: (step, now, facts) => {
        for (const { at, ...line } of chronicle.lines({ facts, ...step, wall: WALL + now }))
          this.journal.push({ ...line, at: new Date(at).toISOString() });
        for (const r of step.records) if (r.kind === 'session') this.sessions.set(r.id, r.value);
      },
    });
    return this.#drive;
  }

  note<K extends keyof Notes>(id: K): Notes[K] | null {
    return this.drive.note(id);
  }

  /** News that were announced, by type. */
  announced(type: string): readonly object[] {
    return this.drive.given('announce').flatMap(({ news }) => (news.type === type ? [news] : []));
  }
  get alerts(): string[] {
    return this.drive.alerts;
  }

  letter(more: Partial<Letter> = {}): Letter {
    const letter: Letter = {
      id: `m-${this.letters.length + 1}`,
      from: 'worker',
      via: 'agent',
      subject: 'LIFECYCLE: restart',
      body: '',
      sentAt: WALL + (this.#drive?.now ?? START),
      writtenBy: 'uuid-1',
      sender: { session: 'worker', uuid: 'uuid-1' },
      ...more,
    };
    this.letters.push(letter);
    return letter;
  }

  /** The life on record under this name ends. */
  kill(session = 'worker'): void {
    const life = this.sessions.get(session)?.incarnation;
    if (life) this.machine.end(life, this.drive.now, { exit: CRASH });
  }

  run(ms: number): void {
    this.drive.run(ms);
  }
}
