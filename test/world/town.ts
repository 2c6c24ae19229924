/**
 * One town process of a simulation: the shipped street, loop, inbox, store, alerts and mail on simulated ports.
 * 1. It ends by a crash and is never heard of again, or by itself; a stopped one goes on later.
 * 2. What it has to say reaches a person through `notify` alone, and requesters through the mailboxes on its disk.
 */
import type { SavedRecord } from '../../machines/protocol.ts';
import { town, type TownInput } from '../../machines/town.ts';
import { alertHands } from '../../src/alerts/hands.ts';
import { createNotices } from '../../src/alerts/notices.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import type { Telling } from '../../src/alerts/telling.ts';
import type { ProcessPolicy } from '../../src/ports/policy.ts';
import type { Clock, Hands } from '../../src/ports/ports.ts';
import { FactQueue } from '../../src/town/fact-queue.ts';
import { Loop, type LoopDeps } from '../../src/town/loop.ts';
import { LEVELS } from '../../machines/alert-kinds.ts';
import { Street } from '../../src/town/street.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { StatePolicy } from '../../state/files/policy.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import type { JournalLine } from '../../state/journal.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Store } from '../../state/store.ts';
import type { SimDisk } from './disk.ts';
import type { Owner, VirtualTime } from './time.ts';
import { noOffers } from '../channels/make.ts';

interface TownSetting {
  readonly time: VirtualTime;
  readonly wall: () => number;
  readonly disk: SimDisk;
  readonly input: TownInput;
  readonly state: StatePolicy;
  readonly process: ProcessPolicy;
  readonly journal?: LoopDeps<JournalLine>['journal'];
}

export abstract class SimTown implements Owner {
  isDead = false;
  frozenUntil = 0;
  readonly time: VirtualTime;
  readonly clock: Clock;
  readonly disk: Disk;
  readonly quarantine: Quarantine;
  readonly store: Store;
  readonly inbox: FactQueue;
  readonly street: Street;
  readonly loop: Loop<JournalLine>;
  readonly telling: Telling['perform'];
  protected abstract readonly hands: Hands;

  constructor({ time, wall, disk, input, state, process, journal = () => [] }: TownSetting) {
    this.time = time;
    this.clock = time.clockOf(this, wall);
    this.disk = disk.mount();
    const onRefused = (refused: Refused) => this.refused(refused);
    this.quarantine = new Quarantine({ disk: this.disk, wall, onRefused });
    this.store = new Store({ disk: this.disk, policy: state, heardWithinMs: state.completedMs, wall, onRefused });
    this.inbox = new FactQueue(this.clock);
    const said = { clock: this.clock, log: () => undefined, notify: (notice: Notice) => this.notify(notice) };
    const alerts = new Alerts({ disk: this.disk, quarantine: this.quarantine, policy: state });
    this.telling = {
      ...createNotices({
        ...said,
        mailboxOf: (address) => new Mailbox(this, state.maxRecordBytes, address),
        correspondents: () => Promise.resolve({ rigs: [], sessions: [] }),
      }),
      ...alertHands({
        ...said,
        alerts,
        disk: this.disk,
        announce: this.inbox.announce,
        session: (name) => this.store.session(name),
        stands: () => Promise.resolve(false),
        offers: noOffers,
        asks: () => Promise.resolve(this.isAsking),
      }),
    };
    this.street = new Street(town, input, LEVELS);
    this.loop = new Loop({
      street: this.street,
      inbox: this.inbox,
      clock: this.clock,
      journal,
      policy: { ...state, ...process },
      // They come with the subclass, which is made after this.
      hands: new Proxy({} as Hands, { get: (_, type: keyof Hands) => this.hands[type] }),
      commit: (records, lines) => this.commit(records, lines),
      progress: () => undefined,
      degraded: (why) => this.inbox.announce({ type: 'CONDITION_FOUND', what: 'disk', why }),
    });
  }

  /** A person is told. */
  protected abstract notify(notice: Notice): Promise<void>;
  /** A file does not count. */
  protected abstract refused(refused: Refused): void;
  /** A pane shows the dialog that a hearing met. */
  protected get isAsking(): boolean {
    return false;
  }

  protected commit(records: readonly SavedRecord[], lines: readonly JournalLine[]): Promise<void> {
    return this.store.commit(records, lines);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.time.at(this.time.now + ms, resolve, this));
  }
}
