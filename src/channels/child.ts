/**
 * The town's side of the process of the channels: starts it, watches it, and ends it where it is silent or holds too much. Its fall
 * is announced as a lost connection; the machine of connections starts it again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';
import type { Announce, Clock } from '../ports/ports.ts';
import { textOf } from '../../state/files/disk.ts';
import { clean } from '../terminal/print.ts';
import type { Asks } from './asks.ts';
import type { Beat, ChannelOrders, Done, Given, PageEnd, Paging, Recorded, Wanted } from './orders.ts';
import { Undelivered, type Heard, type Listening, type Page, type Reach, type Trouble } from './port.ts';
import { saidIn, type SaidLine } from './lines.ts';

/** What the town keeps a connection to, by this name. */
export const CHANNELS_PROCESS = 'channels';

export interface ChildNeeds {
  readonly settings: ChannelOrders;
  /** A reply that came on a channel. Resolves once it is on record. */
  readonly take: (heard: Heard) => Promise<void>;
  /** The same of work for an agent. */
  readonly mentioned: Listening['mentioned'];
  readonly spoke: Listening['spoke'];
  /** Those of these sessions in whose panes a person is; rejects where that cannot be seen. */
  readonly peopleAt: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly offer: Asks['offerOfTown'];
  readonly reach: Reach;
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly clock: Clock;
  readonly announce: Announce;
  readonly log: (text: string) => void;
}

const MAX_LINE = 500;

type Silence = 'channel-silent' | 'channel-deaf';

export class ChannelsProcess {
  readonly #needs: ChildNeeds;
  #child: ChildProcess | null = null;
  /** Absent = nothing yet: an earlier town may have left an alert, which the first good beat ends. */
  readonly #told = new Map<Silence, string | null>();
  #lastFall: string | null = null;
  /** Until one lived for long: also one that falls again and again is down. */
  #downSince: number | null = null;
  readonly #paging = new Map<number, (end: PageEnd) => void>();
  #pages = 0;

  constructor(needs: ChildNeeds) {
    this.#needs = needs;
  }

  /** Says a line to an agent in the channel of IRC. Never rejects. */
  async page(page: Page): Promise<PageEnd> {
    const { clock } = this.#needs;
    const child = this.#child;
    if (child === null) return { error: 'the process of the channels does not run', isUnsure: false };
    this.#pages += 1;
    const id = this.#pages;
    const { promise, resolve } = Promise.withResolvers<PageEnd>();
    const over = new AbortController();
    const lost = (why: string): void => resolve({ error: why, isUnsure: true });
    const fell = (): void => lost('the process of the channels ended meanwhile');
    this.#paging.set(id, resolve);
    child.once('exit', fell);
    child.stdin?.write(`${JSON.stringify({ page: { id, ...page } } satisfies Paging)}\n`);
    void clock.sleep(CHANNELS.pageMs, over.signal).then(() => lost('the process of the channels did not answer'));
    return promise.finally(() => {
      over.abort();
      child.off('exit', fell);
      this.#paging.delete(id);
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Resolves once it has run for a while; rejects with why it fell before. */
  async connect(): Promise<void> {
    const { clock } = this.#needs;
    this.#downSince ??= clock.now();
    this.close();
    const child = this.#start();
    this.#child = child;
    const fell = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    child.once('error', (error) => end(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      end(`ended with ${code === null ? String(signal) : `exit code ${String(code)}`}`),
    );
    let isUp = false;
    void ended.then((why) => {
      fell.abort();
      if (this.#child !== child) return;
      this.#child = null;
      this.#downSince ??= clock.now();
      this.#lastFall = `the process of the channels ${why}`;
      this.#tell();
      if (isUp) this.#needs.announce({ type: 'LOST', what: CHANNELS_PROCESS, why });
    });
    await clock.sleep(CHANNELS.stableMs, fell.signal);
    if (fell.signal.aborted) throw new Error(`the process of the channels ${await ended}`);
    isUp = true;
  }

  /** It ends with its stdin. */
  close(): void {
    const child = this.#child;
    this.#child = null;
    child?.kill('SIGKILL');
  }

  #start(): ChildProcess {
    const { command, settings, log, clock } = this.#needs;
    const [program, ...args] = command;
    const env = scrubbedEnvironment(process.env);
    const child = spawn(program, args, { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { root, channels, routes, perHour, perHourInAll, mayAnswer, key, nicks } = settings;
    const orders: ChannelOrders = { root, channels, routes, perHour, perHourInAll, mayAnswer, key, nicks };
    child.stdin.on('error', () => undefined); // Its end tells more.
    child.stdin.write(`${JSON.stringify(orders)}\n`);
    const hang = setTimeout(() => child.kill('SIGKILL'), CHANNELS.hungMs);
    const startedAt = clock.now();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { beat, ...said } = saidIn(line);
      this.#hear(said, child);
      if (beat === null) return;
      hang.refresh();
      if (beat.bytes > CHANNELS.maxMemoryBytes) child.kill('SIGKILL');
      if (clock.now() - startedAt > CHANNELS.hungMs) {
        this.#downSince = null;
        this.#lastFall = null;
      }
      this.#tell(beat);
    });
    createInterface({ input: child.stderr }).on('line', (line) => log(`channels: ${clean(line.slice(0, MAX_LINE))}`));
    child.once('exit', () => clearTimeout(hang));
    return child;
  }

  #hear({ heard, mention, want, paged, spoken }: Omit<SaidLine, 'beat'>, child: ChildProcess): void {
    const { take, mentioned, spoke } = this.#needs;
    if (heard !== null) void this.#take(heard.id, take(heard), child);
    if (mention !== null) void this.#take(mention.id, mentioned(mention), child);
    if (want !== null) void this.#give(want, child);
    if (paged !== null) this.#paging.get(paged.id)?.(paged);
    if (spoken !== null) spoke(spoken);
  }

  /** What is not on record is not confirmed, and comes again. */
  async #take(id: string, taken: Promise<void>, { stdin }: Pick<ChildProcess, 'stdin'>): Promise<void> {
    try {
      await taken;
      stdin?.write(`${JSON.stringify({ recorded: id } satisfies Recorded)}\n`);
    } catch (error) {
      this.#needs.log(`channels: a reply could not be put on record: ${textOf(error)}`);
    }
  }

  async #give(want: Wanted['want'], { stdin }: Pick<ChildProcess, 'stdin'>): Promise<void> {
    const is = await this.#wordFor(want);
    stdin?.write(`${JSON.stringify({ given: { id: want.id, is } } satisfies Given)}\n`);
  }

  async #wordFor(want: Wanted['want']): Promise<Given['given']['is']> {
    const { peopleAt, offer, reach } = this.#needs;
    const none: ReadonlySet<string> = new Set(); // not known is not there
    if ('look' in want) return [...(await peopleAt(want.look).catch(() => none))];
    if ('offer' in want) return offer(want.offer);
    const failed = (error: unknown): Done => {
      return { error: textOf(error), isWaiting: error instanceof Undelivered && error.isWaiting };
    };
    return reach(want.request).then((said): Done => ({ said }), failed);
  }

  /** What was silent for long is one alert, with the words of each; where replies do not come in is another: that wakes no person at night. */
  #tell(beat?: Beat): void {
    const troubles = beat?.troubles ?? [];
    const long = troubles.filter(({ forMs }) => forMs >= CHANNELS.silentMs);
    const [deaf, silent] = [long.filter(({ isDeaf }) => isDeaf), long.filter(({ isDeaf }) => !isDeaf)];
    const downMs = this.#downSince === null ? 0 : this.#needs.clock.now() - this.#downSince;
    const isDown = this.#lastFall !== null && downMs >= CHANNELS.silentMs;
    this.#find('channel-silent', isDown ? this.#lastFall : wordsOf(silent), beat?.isGood === true);
    this.#find('channel-deaf', wordsOf(deaf), beat?.isHearing === true);
  }

  /** Without a word for good or bad what was told stands. */
  #find(what: Silence, why: string | null, isGood: boolean): void {
    if (why === this.#told.get(what) || (why === null && !isGood)) return;
    this.#told.set(what, why);
    this.#needs.announce({ type: 'CONDITION_FOUND', what, why });
  }
}

const wordsOf = (troubles: readonly Trouble[]): string | null =>
  troubles.length === 0 ? null : troubles.map(({ channel, why }) => `${channel}: ${why}`).join(' · ');
