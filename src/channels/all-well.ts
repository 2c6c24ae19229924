/**
 * "Nothing needs you", once a day, for a person who asked for it: in the hours of `[notify] all_well`, as soon as no question is open.
 * Where that is not known it is not said.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { isWithin } from '../../machines/channels/route.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { WallMs } from '../../machines/protocol.ts';
import { textOf } from '../../state/files/disk.ts';
import { orNull } from '../../state/files/or-null.ts';
import { askProgram } from '../proc/ask-program.ts';
import type { Clock } from '../ports/ports.ts';

export interface AllWellNeeds {
  /** `08:00-10:00`, local time; null = never. */
  readonly hours: string | null;
  /** How many questions wait for the person; null = not known. Never rejects. */
  readonly questions: () => Promise<number | null>;
  /** Whether it was said since then, or is on its way. */
  readonly isSaid: (since: WallMs) => Promise<boolean>;
  /** Durable when it resolves. `of`: the same words of the same time are the same message. */
  readonly tell: (notice: Told, of: string) => Promise<void>;
  readonly clock: Pick<Clock, 'wall' | 'sleep'>;
  readonly log: (text: string) => void;
}

/** The day on which the hours began that hold this moment, at that day's midnight; null = it is in none of them. Local time. */
export function dayOf(hours: string, wall: WallMs): Date | null {
  const now = new Date(wall);
  const minute = 60 * now.getHours() + now.getMinutes();
  if (!isWithin(hours, minute)) return null;
  const [hour = 0, minutes = 0] = hours.split(/[:-]/).map(Number);
  const isSince = minute >= 60 * hour + minutes;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - (isSince ? 0 : 1));
}

/** How many questions `town ask list` has that no person has seen. */
export async function questionsOf(town: readonly string[], root: string): Promise<number | null> {
  const { ok, says } = await askProgram([...town, '--root', root, 'ask', 'list', '--json'], CHANNELS.listMs);
  const { data } = (ok ? orNull(() => JSON.parse(says) as { readonly data?: unknown }) : null) ?? {};
  return Array.isArray(data)
    ? data.filter((one) => (one as { acknowledged?: unknown }).acknowledged !== true).length
    : null;
}

/** Until `stop`. What no channel took while it was so is said again, in the same hours. */
export async function sayAllWell(
  { hours, questions, isSaid, tell, clock, log }: AllWellNeeds,
  stop: AbortSignal,
): Promise<void> {
  if (hours === null) return;
  for (;;) {
    // First: what a town finds at its start is an alert by then.
    await clock.sleep(CHANNELS.listEveryMs, stop);
    if (stop.aborted) return;
    const day = dayOf(hours, clock.wall());
    if (day === null) continue;
    try {
      if ((await isSaid(day.getTime())) || (await questions()) !== 0) continue;
      const at = new Date(clock.wall()).toISOString();
      const well = { schema: 'notice/1', kind: 'well', text: 'Nothing needs you.', severity: 'low', session: null, at };
      await tell({ ...well, type: ['town report'] }, 'all-well');
    } catch (error) {
      log(`that nothing needs you could not be said: ${textOf(error)}`);
    }
  }
}
