/**
 * The process of the channels: a child of the town, which reads its orders as the first line of stdin, prints a line every few
 * seconds, and one for each reply, piece of work and sign of an agent, whose record the town confirms in a line. It ends with its stdin, and so with the town. One process of a root delivers: it holds a lock that the kernel frees.
 */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { ANSWERS, CHANNELS } from '../../machines/channels/policy.ts';
import { realDisk, textOf } from '../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { ReplyMarks } from '../../state/channels/marks.ts';
import { systemClock } from '../ports/clock.ts';
import { print } from '../terminal/streams.ts';
import { deliveryOf } from './deliver.ts';
import { earsOf } from './make.ts';
import type { OfferedAsk } from './asks.ts';
import type { Beat, ChannelOrders, Done, Given, Paged, Paging, Recorded, Wanted } from './orders.ts';
import { Undelivered, type TownRequest, type Heard, type Listening, type Reach } from './port.ts';
import { Replies } from './replies.ts';

const say = (beat: Beat): void => print(`${JSON.stringify(beat)}\n`);

const log = (text: string): void => print(`${text}\n`, 'stderr');

/** Replies that the town has not confirmed, by id. */
const unrecorded = new Map<string, () => void>();

const take = (heard: Heard): Promise<void> => recorded(heard.id, { heard });
const mentioned: Listening['mentioned'] = (mention) => recorded(mention.id, { mention });
const spoke: Listening['spoke'] = (spoken) => print(`${JSON.stringify({ spoken })}\n`);

/** Resolves once the town has it on record. */
function recorded(id: string, line: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      unrecorded.delete(id);
      reject(new Error('the town did not put a reply on record'));
    }, ANSWERS.recordMs);
    unrecorded.set(id, () => {
      clearTimeout(late);
      resolve();
    });
    print(`${JSON.stringify(line)}\n`);
  });
}

/** What the town has not answered, by number. */
const open = new Map<number, (is: Given['given']['is']) => void>();
let asked = 0;

/** The town's word; null = it gave none in time. Never rejects. */
function wanted(
  what: { readonly look: readonly string[] } | { readonly offer: string } | { readonly request: TownRequest },
  limitMs: number,
): Promise<unknown> {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    const end = (is: unknown): void => {
      clearTimeout(late);
      open.delete(id);
      resolve(is);
    };
    const late = setTimeout(() => end(null), limitMs);
    open.set(id, end);
    print(`${JSON.stringify({ want: { id, ...what } } satisfies Wanted)}\n`);
  });
}

const peopleAt = async (sessions: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await wanted({ look: sessions }, CHANNELS.observationLimitMs)) as readonly string[] | null);
const offer = async (of: string): Promise<OfferedAsk | null> =>
  (await wanted({ offer: of }, CHANNELS.offerLimitMs)) as OfferedAsk | null;

/** Where the town gives no word in time, it may be done all the same. */
const reach: Reach = async (request) => {
  const done = (await wanted({ request }, CHANNELS.requestLimitMs)) as Done | null;
  if (done === null) throw new Undelivered('the town did not say what came of it', { isUnsure: true });
  if ('said' in done) return done.said;
  throw new Undelivered(done.error, done);
};

let replies: Replies | null = null;

async function page({ id, ...one }: Paging['page']): Promise<void> {
  const tell = (end: Omit<Paged['paged'], 'id'>): void =>
    print(`${JSON.stringify({ paged: { id, ...end } } satisfies Paged)}\n`);
  try {
    if (replies === null) throw new Undelivered('the process of the channels starts');
    await replies.page('irc', one);
    tell({ error: null, isUnsure: false });
  } catch (error) {
    tell({ error: textOf(error), isUnsure: error instanceof Undelivered && error.isUnsure });
  }
}

function hear(line: string): void {
  const { recorded = '', given, page: paging } = JSON.parse(line) as Partial<Recorded & Given & Paging>;
  if (paging !== undefined) return void page(paging);
  if (given !== undefined) return open.get(given.id)?.(given.is);
  unrecorded.get(recorded)?.();
  unrecorded.delete(recorded);
}

async function run(orders: ChannelOrders, stop: AbortSignal): Promise<void> {
  const { root, channels, routes, perHour, perHourInAll, mayAnswer: rules, key, nicks } = orders;
  const disk = realDisk(root, systemClock.now());
  await disk.mkdir(FOLDERS.spool);
  const since = systemClock.now();
  // The process of a town that was killed ends within a moment; `town channel deliver` first ends a send, for minutes where it is a mail.
  while ((await lockFile({ root, disk }, FILES.channelsLock)) === null) {
    const forMs = systemClock.now() - since;
    const why = 'another process of this town delivers (town channel deliver)';
    say({
      troubles: [{ channel: 'channels', why, forMs }],
      isGood: false,
      isHearing: false,
      bytes: process.memoryUsage.rss(),
    });
    await pause(CHANNELS.backoffMs, null, { signal: stop });
  }
  const more = { perHour, perHourInAll, peopleAt, offer, reach, log, clock: systemClock };
  const delivery = deliveryOf({ disk, channels, routes, mayAnswer: rules, key, ...more });
  try {
    watch(join(root, FOLDERS.spool), { signal: stop }, () => delivery.wake()).on('error', () => undefined);
  } catch (error) {
    log(`${FOLDERS.spool} cannot be watched (${String(error)}); it is read at its own pace`);
  }
  const marks = new ReplyMarks(disk);
  const ears = earsOf(channels, rules, nicks);
  const hearing = new Replies({ ears, marks, key, clock: systemClock, take, mentioned, spoke, log });
  replies = hearing;
  const beat = (): void => {
    const troubles = [...delivery.troubles(), ...hearing.troubles()];
    say({ troubles, isGood: delivery.isGood(), isHearing: hearing.isHearing(), bytes: process.memoryUsage.rss() });
  };
  beat();
  setInterval(beat, CHANNELS.beatEveryMs).unref();
  await Promise.all([delivery.run(stop), hearing.run(stop)]);
}

const over = new AbortController();
const lines = createInterface({ input: process.stdin });
lines.once('line', (orders) => {
  lines.on('line', hear);
  run(JSON.parse(orders) as ChannelOrders, over.signal).catch((error: unknown) => {
    if (over.signal.aborted) return;
    print(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`, 'stderr');
    process.exit(1);
  });
});
// What is under way is given up: without a receipt it is sent again.
lines.once('close', () => process.exit(0));
