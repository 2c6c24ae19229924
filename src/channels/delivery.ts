/**
 * Delivers what is in the spool: one loop for each channel, so that a slow one delays no other.
 * 1. A channel sends one message at a time. After a failure the next try is the only one, after a wait that doubles.
 * 2. A message counts as sent once its receipt is on disk. Killed between the two, it is sent once more, under the same id. Where
 *    the disk takes no receipt, it is kept in memory, and the receipt alone is tried again.
 * 3. Many that wait for one channel are one message that counts them; those in which it may choose an answer go out one by one while its budget has room.
 * 4. What a server may have, and did not say, is sent again as it was until the server takes it or never will, so that its reader or
 *    server knows it by its id.
 * 5. What a route gathers goes out as one, also where it may be answered: `[[route]] digest`.
 * 6. What leaves a person in peace is held back (peace.ts).
 */
import type { MayAnswer } from '../../machines/channels/answers.ts';
import { askedOfTown, choicesIn, mayAnswerSome } from '../../machines/channels/of-town.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { withRepeated } from '../../machines/channels/peace.ts';
import { isDigestDue, routeOf, type Route, type Routed } from '../../machines/channels/route.ts';
import { backoffMs } from '../../machines/kernel/schedule.ts';
import type { Instant } from '../../machines/protocol.ts';
import type { Receipt, Spool, Spooled } from '../../state/channels/spool.ts';
import { textOf } from '../../state/files/disk.ts';
import { Serial } from '../../state/files/serial.ts';
import type { Clock } from '../ports/ports.ts';
import type { OfferedAsk } from './asks.ts';
import { messageFor, type Message } from './message.ts';
import { gravestFirst, isReply, OVER, Peace, type PeaceNeeds } from './peace.ts';
import { pausedFor } from './pause.ts';
import { Undelivered, type Channel, type Trouble } from './port.ts';

export interface DeliveryNeeds {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly routes: readonly Route[];
  /** Minutes since midnight, where the person lives. */
  readonly minute: () => number;
  readonly log: (text: string) => void;
  readonly perHour: PeaceNeeds['perHour'];
  readonly perHourInAll: PeaceNeeds['perHourInAll'];
  readonly peopleAt: PeaceNeeds['peopleAt'];
  /** What may be answered of a question of the town's (`Asks.offerOfTown`); null = nothing. Never rejects. */
  readonly offer: (of: string) => Promise<OfferedAsk | null>;
  readonly mayAnswer: readonly MayAnswer[];
}

type Owed = Routed & { readonly one: Spooled };

interface Chosen {
  /** What to send now as one message; empty = nothing, … */
  readonly batch: readonly Spooled[];
  /** … for so long at most. */
  readonly waitMs: number;
  /** These, and what waits that they repeat: it has the same receipt. */
  readonly repeated: (some: readonly Spooled[]) => readonly Spooled[];
}

interface Failing {
  readonly since: Instant;
  readonly tries: number;
  readonly why: string;
  /** For its reader (`Undelivered`): no fault, and no alert. */
  readonly isWaiting: boolean;
}

/** A channel's looks at what was sent, as a trouble. */
const sentOf = (channel: string): string => `${channel} (daemon/sent)`;

export class Delivery {
  readonly #needs: DeliveryNeeds;
  readonly #peace: Peace;
  /** Channels by name, and their looks at the spool; until the next that went well. */
  readonly #failing = new Map<string, Failing>();
  /** Channels that delivered, or for which nothing waited. */
  readonly #proven = new Set<string>();
  /** Since when a server has a message and says nothing, by channel. */
  readonly #trying = new Map<string, Instant>();
  /** Ids of what a server may have, by channel; also after a later try of it that the server surely did not take. */
  readonly #unsure = new Map<string, ReadonlySet<string>>();
  /** Channels that refused many as one: they get each by itself. */
  readonly #single = new Set<string>();
  /** Receipts that are not on disk yet, by channel and id: what has one here is not sent again. */
  readonly #unkept: ReadonlyMap<string, Map<string, Receipt>>;
  /** One channel at a time takes of the budget of all. */
  readonly #choosing = new Serial();
  #woken = Promise.withResolvers<undefined>();

  constructor(needs: DeliveryNeeds) {
    this.#needs = needs;
    this.#peace = new Peace({ ...needs, history: (channel) => this.#history(channel) });
    this.#unkept = new Map([...needs.channels.keys()].map((name) => [name, new Map<string, Receipt>()]));
  }

  /** There may be something new. */
  wake(): void {
    this.#woken.resolve(undefined);
    this.#woken = Promise.withResolvers();
  }

  troubles(): readonly Trouble[] {
    const now = this.#needs.clock.now();
    const failing = [...this.#failing]
      .filter(([, { isWaiting }]) => !isWaiting)
      .map(([channel, { since, why }]) => ({ channel, why, forMs: now - since }));
    const waiting = [...this.#trying]
      .map(([channel, since]) => ({ channel, why: 'its server has not answered yet', forMs: now - since }))
      .filter(({ channel, forMs }) => forMs >= CHANNELS.silentMs && !this.#failing.has(channel));
    return [...failing, ...waiting];
  }

  /** Nothing fails, and nothing waits that was not tried. */
  isGood(): boolean {
    return (
      [...this.#failing.values()].every(({ isWaiting }) => isWaiting) && this.#proven.size === this.#needs.channels.size
    );
  }

  /** Until `stop`: from then on no send begins. One that is under way ends within its own time, and its receipt is written. */
  async run(stop: AbortSignal): Promise<void> {
    const loops = [...this.#needs.channels].map(([name, channel]) => this.#loop(name, channel, stop));
    await Promise.all([...loops, this.#tidy(stop)]);
  }

  async #loop(name: string, channel: Channel, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const woken = this.#woken.promise;
      const waitMs = await this.#next(name, channel, stop);
      if (waitMs === null) continue;
      const isFailing = this.#failing.has(name);
      await pausedFor(this.#needs.clock, waitMs, isFailing ? null : woken, stop);
    }
    await this.#owed(name);
  }

  /** Sends what waits; the time to wait then, null = none. */
  async #next(name: string, channel: Channel, stop: AbortSignal): Promise<number | null> {
    const { batch, repeated, waitMs, takeBack } = await this.#choosing.run(async () => {
      const chosen = await this.#batch(name);
      return { ...chosen, takeBack: this.#peace.count(name, chosen.batch) };
    });
    if (batch.length === 0 || stop.aborted) return waitMs;
    this.#trying.set(name, this.#needs.clock.now());
    try {
      const message = await this.#message(name, batch);
      const limit = AbortSignal.timeout(channel.limitMs ?? CHANNELS.sendMs);
      this.#receive(repeated(batch), name, { said: await channel.send(message, limit), isDelivered: true });
      if (batch.some(({ id }) => this.#unsure.get(name)?.has(id))) this.#unsure.delete(name);
      this.#failing.delete(name);
      this.#proven.add(name);
      return null;
    } catch (error) {
      takeBack();
      return await this.#failed(name, { batch, repeated }, error);
    } finally {
      this.#trying.delete(name);
    }
  }

  /** One of the town's questions comes with its answers, as they are now. Many as one offer none. */
  async #message(name: string, batch: readonly Spooled[]): Promise<Message> {
    const [one, ...more] = batch;
    const asked = one === undefined || more.length > 0 ? null : askedOfTown(one.notice);
    const { mayAnswer, offer } = this.#needs;
    if (one === undefined || asked === null || !mayAnswerSome(name, asked.kinds, mayAnswer)) return messageFor(batch);
    const ask = await offer(asked.of);
    return messageFor(ask === null ? batch : [{ ...one, notice: { ...one.notice, ask } }]);
  }

  async #batch(name: string): Promise<Chosen> {
    const { mayAnswer } = this.#needs;
    const owed = await this.#owed(name);
    if (owed?.length === 0 && !this.#failing.has(name)) this.#proven.add(name);
    const isUnsure = ({ id }: Spooled): boolean => this.#unsure.get(name)?.has(id) === true;
    const waiting = (owed ?? []).map(({ one }) => one);
    if (this.#failing.has(sentOf(name))) await this.#history(name);
    const over = await this.#peace.over(name, waiting, isUnsure);
    this.#receive(over, name, { said: OVER, isDelivered: false });
    const open = (owed ?? []).filter(({ one }) => !over.includes(one));
    const newest = withRepeated(open.map(({ one }) => one));
    const chosen = (batch: readonly Spooled[], waitMs = 0): Chosen => {
      return { batch, waitMs, repeated: (some) => some.flatMap((one) => newest.get(one.id) ?? [one]) };
    };
    const { due, digest } = this.#due(open, (one) => newest.has(one.id) || isUnsure(one));
    if (due.length <= CHANNELS.apart) this.#single.delete(name);
    const again = due.filter(isUnsure);
    const first = again.length > 0 ? again : due.filter(isReply).slice(0, 1);
    if (first.length > 0) return chosen(first);
    const { all, room, askRoom } = await this.#peace.within(name, due);
    if (all.length === 0) return chosen([], CHANNELS.lookEveryMs);
    const apart = all.filter((one) => !digest.has(one));
    // Many as one offer no answer.
    const asking = askRoom > 1 ? apart.filter(({ notice }) => mayAnswerSome(name, choicesIn(notice), mayAnswer)) : [];
    if (asking.length > 0) return chosen(gravestFirst(asking).slice(0, 1));
    const isOne = this.#single.has(name) || (apart.length > 0 && all.length <= Math.min(CHANNELS.apart, room));
    return chosen(isOne ? gravestFirst(all).slice(0, 1) : all);
  }

  /** What may go out now, and which of it goes out as one. A digest waits as long as its oldest, repeated or not. */
  #due(
    open: readonly Owed[],
    isSent: (one: Spooled) => boolean,
  ): { readonly due: readonly Spooled[]; readonly digest: ReadonlySet<Spooled> } {
    const may = open.filter(({ waits }) => !waits);
    const isDue = isDigestDue(
      may.map(({ digestMs, one }) => ({ digestMs, at: Date.parse(one.at) })),
      this.#needs.clock.wall(),
    );
    const due = may.filter(({ digestMs, one }) => isSent(one) && (digestMs === null || isDue));
    const digest = due.filter(({ digestMs }) => digestMs !== null);
    return { due: due.map(({ one }) => one), digest: new Set(digest.map(({ one }) => one)) };
  }

  /** The time to wait before the next try. While the machine sleeps a message grows old, and no try fails. */
  async #failed(name: string, { batch, repeated }: Omit<Chosen, 'waitMs'>, error: unknown): Promise<number> {
    const { isFinal, isUnsure, isWaiting, retryMs } = error instanceof Undelivered ? error : new Undelivered('');
    const why = textOf(error);
    if (why !== this.#failing.get(name)?.why) await this.#keepWhy(name, batch, why);
    const { tries, since } = this.#fail(name, why, isWaiting);
    if (isFinal && batch.length > 1) this.#single.add(name);
    if (isFinal) this.#unsure.delete(name);
    if (isUnsure) this.#unsure.set(name, new Set(batch.map(({ id }) => id)));
    const { clock } = this.#needs;
    const oldAt = clock.now() - since > CHANNELS.expiresMs ? clock.wall() - CHANNELS.expiresMs : -Infinity;
    const over = isFinal && batch.length === 1 ? batch : batch.filter(({ at }) => Date.parse(at) < oldAt);
    this.#receive(repeated(over), name, { said: why, isDelivered: false });
    const usual = backoffMs(tries, CHANNELS.backoffMs, CHANNELS.maxBackoffMs);
    return Math.min(Math.max(retryMs ?? 0, usual), CHANNELS.maxBackoffMs);
  }

  /** For `town channel list`. A disk that does not take it holds up nothing: the log has it too. */
  async #keepWhy(channel: string, [first]: readonly Spooled[], said: string): Promise<void> {
    const at = new Date(this.#needs.clock.wall()).toISOString();
    await this.#needs.spool.fail(first?.id ?? '', channel, { at, said }).catch(() => undefined);
  }

  /** Its failures since it went well. The same words once more are not logged. */
  #fail(what: string, why: string, isWaiting = false): Failing {
    const before = this.#failing.get(what);
    if (why !== before?.why && !isWaiting) this.#needs.log(`${what}: ${why}`);
    const known = before?.isWaiting === isWaiting ? before.since : undefined;
    const since = known ?? this.#trying.get(what) ?? this.#needs.clock.now();
    const failing = { since, tries: (before?.tries ?? 0) + 1, why, isWaiting };
    this.#failing.set(what, failing);
    this.#proven[isWaiting ? 'add' : 'delete'](what);
    return failing;
  }

  /** Its next look at the spool writes the receipts, before anything else goes out. */
  #receive(batch: readonly Spooled[], channel: string, how: Omit<Receipt, 'at'>): void {
    const at = new Date(this.#needs.clock.wall()).toISOString();
    for (const { id } of batch) this.#unkept.get(channel)?.set(id, { at, ...how });
  }

  /**
   * What this channel has not got, null = the spool cannot be read. Writes the receipts that are missing, and moves what all have
   * away, so that it is looked at no more. A file that cannot be written holds up no other.
   */
  async #owed(name: string): Promise<readonly Owed[] | null> {
    const { spool, routes, channels, minute } = this.#needs;
    const errors: unknown[] = [];
    const attempt = (work: Promise<void>): Promise<void> => work.catch((error: unknown) => void errors.push(error));
    const unkept = this.#unkept.get(name) ?? new Map<string, Receipt>();
    for (const [id, receipt] of unkept)
      await attempt(spool.receive(id, name, receipt).then(() => void unkept.delete(id)));
    let owed = null;
    try {
      const all = await spool.waiting();
      owed = all.map((one) => ({ one, ...routeOf(one.notice, routes, [...channels.keys()], minute()) }));
    } catch (error) {
      errors.push(error);
    }
    for (const { one, to } of owed ?? [])
      if (to.every((of) => one.receipts[of] !== undefined)) await attempt(spool.finish(one));
    const looks = `${name} (daemon/spool)`;
    if (errors.length === 0) this.#failing.delete(looks);
    else this.#fail(looks, textOf(errors[0]));
    const isOwed = (id: string, { [name]: receipt }: Spooled['receipts']): boolean =>
      receipt === undefined && !unkept.has(id);
    return owed?.filter(({ one, to }) => to.includes(name) && isOwed(one.id, one.receipts)) ?? null;
  }

  /** What was sent; null = it cannot be read, which is a trouble until it can. */
  async #history(name: string): Promise<readonly Spooled[] | null> {
    const looks = sentOf(name);
    try {
      const sent = await this.#needs.spool.sent();
      this.#failing.delete(looks);
      return sent;
    } catch (error) {
      this.#fail(looks, textOf(error));
      return null;
    }
  }

  async #tidy(stop: AbortSignal): Promise<void> {
    const { spool, clock } = this.#needs;
    while (!stop.aborted) {
      await spool.forget(clock.wall() - CHANNELS.keptMs).catch(() => undefined); // what is old is forgotten the next time
      await clock.sleep(CHANNELS.expiresMs, stop);
    }
  }
}
