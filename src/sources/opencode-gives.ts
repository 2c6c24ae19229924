/**
 * Work for one opencode without a key: its server takes it into the conversation that this very process named, as seen with 1.18.
 * 1. Its messages are in the order of their ids, which begin with the time: ours do too, and end with what is made of the work's own id.
 *    So work that a killed town gave is found there, and is not given again: the server would take it a second time.
 * 2. What it surely did not take is told apart from what it may have taken.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import type { Give, Given } from './gives.ts';
import { readFrom, tellTo, type OpencodeServer } from './opencode-server.ts';
import { SOURCES } from './policy.ts';

const MESSAGES = z.array(
  z.object({ info: z.object({ id: z.string(), role: z.string(), parentID: z.string().optional() }) }),
);
type Messages = z.output<typeof MESSAGES>;

const TIME_DIGITS = 12;
const OWN_LETTERS = 14;
const PER_MS = 0x1000n;

/** As the program makes its own: the time, then letters. */
const timeIn = (now: WallMs): string =>
  BigInt.asUintN(TIME_DIGITS * 4, BigInt(now) * PER_MS)
    .toString(16)
    .padStart(TIME_DIGITS, '0');
const ownLetters = (work: string): string => createHash('sha256').update(work).digest('hex').slice(0, OWN_LETTERS);

export function opencodeGives(server: OpencodeServer, conversation: string, wall: () => WallMs): Give {
  const place = `/session/${conversation}`;
  const messages = (): Promise<Messages | null> =>
    readFrom(server, `${place}/message?limit=${SOURCES.maxGivenSeen}`, MESSAGES);
  const isOurs = (work: string) => {
    const end = ownLetters(work);
    return ({ info }: Messages[number]): boolean => info.role === 'user' && info.id.endsWith(end);
  };
  /** null = it is not there; undefined = it does not tell. */
  const seen = async (work: string): Promise<Given | null | undefined> => {
    const all = await messages();
    const own = all?.find(isOurs(work));
    if (all === null) return undefined;
    if (own === undefined) return null;
    return all.some(({ info }) => info.role === 'assistant' && info.parentID === own.info.id) ? 'begun' : 'given';
  };
  /** Until its turn began, or as long as that may take. */
  const untilBegun = async (work: string): Promise<Given> => {
    for (let look = 0; ; look += 1) {
      const now = await seen(work);
      if (now === 'begun' || look >= SOURCES.begunLooks) return now ?? 'unknown';
      await pause(SOURCES.begunEveryMs);
    }
  };
  return {
    has: seen,
    give: async ({ id, text }) => {
      const messageID = `msg_${timeIn(wall())}${ownLetters(id)}`;
      const status = await tellTo(server, `${place}/prompt_async`, { messageID, parts: [{ type: 'text', text }] });
      if (status !== null && status >= 400 && status < 500) return 'not';
      const found = await untilBegun(id);
      const isTaken = status !== null && status >= 200 && status < 300;
      return found === 'unknown' && isTaken ? 'given' : found;
    },
  };
}
