/**
 * The one door to `[notify] command` and to the spool of the channels: each part that alerts a person rings here. The command
 * starts, and the spool gets a message, once for each cause and window (machines/alerts/slots.ts), over all processes of a root. A
 * disk that takes no slot swallows no notice: this process then keeps the slots itself.
 */
import { NOTIFY, type Cause } from '../../machines/alerts/policy.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { afterNotice, afterStart, afterTime, causeApart, type Slots, type Start } from '../../machines/alerts/slots.ts';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import { NoticeSlots } from '../../state/alerts/notices.ts';
import { Spool } from '../../state/channels/spool.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import { ENDED_WELL } from '../channels/local.ts';
import { notifyPerson } from './command.ts';
import type { Notice } from './notify.ts';

export interface BellNeeds {
  /** Absolute. */
  readonly root: string;
  readonly disk: Disk;
  /** null = a person named no command. */
  readonly command: readonly string[] | null;
  /** Whether a person configured channels. */
  readonly channels: boolean;
  readonly limitMs: Ms;
  readonly wall: () => WallMs;
}

/** One cause for all notices of this name. Of sessions there are as many as there are, so that their windows stay short. */
export const causeOf = (name: string, { isOfSession = false } = {}): Cause => ({
  name,
  longestMs: isOfSession ? NOTIFY.windowMs : NOTIFY.longestMs,
});

/** Letters of one sender are one cause; urgent ones do not wait for the others. */
export const mailCause = ({ from, urgent }: { readonly from: string; readonly urgent: boolean }): Cause =>
  causeOf(`mail/${from}/${urgent ? 'urgent' : 'plain'}`);

/** A cause in the spool has a window of its own, so that a command that fails sends nothing twice there. */
const SPOOLED = 'channels:';

interface Done {
  readonly slots: Slots;
  readonly starts: readonly Start[];
}

export class Bell {
  readonly #needs: BellNeeds;
  readonly #slots: NoticeSlots;
  readonly #spool: Spool;
  /** What this process knows where the disk takes nothing. */
  #own: Slots = {};

  constructor(needs: BellNeeds) {
    this.#needs = needs;
    this.#slots = new NoticeSlots(needs.root, needs.disk);
    this.#spool = new Spool(needs.disk);
  }

  /** Starts the command and fills the spool, or keeps the notice for the end of its window. One sentence = the command failed. Never rejects. */
  async ring(notice: Notice, cause: Cause): Promise<string | null> {
    const ring = await this.keep(notice, cause);
    return ring();
  }

  /** The first half of `ring`, and what does the other. A process that is killed between them leaves the notice to `ringLate`. Never rejects. */
  async keep(notice: Notice, cause: Cause): Promise<() => Promise<string | null>> {
    const ways = this.#ways();
    if (ways.length === 0) return () => Promise.resolve(null);
    const starts = await this.#change((before) => {
      let done: Done = { slots: before, starts: [] };
      for (const way of ways) {
        const of = { ...cause, name: `${way}${cause.name}` };
        const one = way === SPOOLED ? causeApart(done.slots, of, notice, NOTIFY) : of;
        const { slots, starts } = afterNotice(done.slots, one, notice, this.#at());
        done = { slots, starts: [...done.starts, ...starts] };
      }
      return done;
    });
    return () => this.#tell(starts);
  }

  /** Tells what waits of windows that are over, also what a process left that was killed. Never rejects. */
  async ringLate(): Promise<string | null> {
    if (this.#ways().length === 0) return null;
    const known = { ...(await this.#slots.read().catch(() => ({}))), ...this.#own };
    if (afterTime(known, this.#needs.wall()).slots === known) return null;
    return this.#tell(await this.#change((slots) => afterTime(slots, this.#needs.wall())));
  }

  /** What the names of causes begin with; the spool first, which takes no time. */
  #ways(): readonly string[] {
    const { command, channels } = this.#needs;
    return [...(channels ? [SPOOLED] : []), ...(command === null ? [] : [''])];
  }

  #at(): { readonly now: WallMs; readonly policy: typeof NOTIFY } {
    return { now: this.#needs.wall(), policy: NOTIFY };
  }

  async #change(work: (slots: Slots) => Done): Promise<readonly Start[]> {
    const own = this.#own;
    try {
      const { starts } = await this.#slots.change((slots) => work({ ...slots, ...own }));
      // They are on the disk now.
      if (this.#own === own) this.#own = {};
      return starts;
    } catch {
      const { slots, starts } = work(this.#own);
      this.#own = slots;
      return starts;
    }
  }

  async #run(notice: Notice): Promise<string | null> {
    const { command, limitMs, wall } = this.#needs;
    if (command === null) return null;
    const why = await notifyPerson({ command, limitMs }, notice);
    const { kind, together } = notice;
    const receipt = { at: new Date(wall()).toISOString(), said: why ?? ENDED_WELL, isDelivered: why === null };
    const id = `${String(wall())}-command-${String(process.pid)}`;
    // A disk that takes no receipt changes nothing: the command ran.
    const keep = async (): Promise<void> => {
      await this.#spool.addSent(id, { kind, text: '', ...(together && { together }) }, 'command', receipt);
      await this.#spool.forget(wall() - CHANNELS.keptMs);
    };
    await keep().catch(() => undefined);
    return why;
  }

  async #put({ cause, upTo }: Start, notice: Notice): Promise<string | null> {
    if (!this.#needs.channels) return null;
    try {
      await this.#spool.add(notice, `${cause}/${String(upTo)}`, this.#needs.wall());
      return null;
    } catch (error) {
      return `a message for your channels could not be kept: ${textOf(error)}`;
    }
  }

  async #tell(starts: readonly Start[]): Promise<string | null> {
    let failure: string | null = null;
    for (const start of starts) {
      const notice: Notice = { schema: 'notice/1', at: new Date(this.#needs.wall()).toISOString(), ...start.notice };
      const why = await (start.cause.startsWith(SPOOLED) ? this.#put(start, notice) : this.#run(notice));
      failure ??= why;
      await this.#change((slots) => ({ slots: afterStart(slots, start, why === null, NOTIFY), starts: [] }));
    }
    return failure;
  }
}

/** How many notices wait for the command. */
export const waitingForCommand = (slots: Slots): number =>
  Object.entries(slots)
    .filter(([cause]) => !cause.startsWith(SPOOLED))
    .reduce((sum, [, { came, told }]) => sum + came - told, 0);

/** Complains once per run of failures, so that a broken command does not flood the log. */
export function complainingOnce(complain: (text: string) => void): (ringing: Promise<string | null>) => Promise<void> {
  let isFailing = false;
  return async (ringing) => {
    const failure = await ringing;
    if (failure !== null && !isFailing) complain(failure);
    isFailing = failure !== null;
  };
}
