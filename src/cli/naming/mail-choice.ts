/** `town mail archive` without an id: which messages of a mailbox are meant. */
import { parseDuration } from '../../config/duration.ts';
import { WAITING } from '../../../state/mail/boxes.ts';
import type { Mailbox, Received } from '../../../state/mail/mailbox.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from './names.ts';

export interface Which {
  readonly all?: boolean;
  readonly read?: boolean;
  readonly from?: string;
  readonly subject?: string;
  readonly before?: string;
}

export const isChoice = ({ all, read, from, subject, before }: Which): boolean =>
  all === true || read === true || [from, subject, before].some((one) => one !== undefined);

/** The ids of those that fit every choice. `areOne`: two spellings of one address. Throws Failure (2) where nothing was chosen. */
export async function chosenIn(
  box: Mailbox,
  which: Which,
  { now, areOne }: { readonly now: number; readonly areOne: (one: string, other: string) => Promise<boolean> },
): Promise<readonly string[]> {
  if (!isChoice(which)) {
    const text = 'no message is named; write its id, or one of --all, --read, --from, --subject, --before';
    throw new Failure(EXIT.usage, 'no_choice', text);
  }
  const { from, subject, before, read = false } = which;
  const boxes = read ? (['cur'] as const) : WAITING;
  // Nothing is opened where no word of a message is asked for.
  if (from === undefined && subject === undefined && before === undefined) return box.names(boxes);
  const until = before === undefined ? Infinity : timeOf(before, now);
  const all = await box.page(boxes, { limit: Infinity, from: 'oldest' });
  const senders = new Map<string, boolean>();
  for (const sender of from === undefined ? [] : new Set(all.map((one) => one.from)))
    senders.set(sender, await areOne(sender, from ?? ''));
  const fits = (one: Received): boolean =>
    (from === undefined || senders.get(one.from) === true) &&
    (subject === undefined || one.subject.includes(subject)) &&
    Date.parse(one.sent_at) < until;
  return all.filter(fits).map(({ id }) => id);
}

/** A date or a time, or so long ago. Throws Failure (2). */
function timeOf(text: string, now: number): number {
  const ago = parseDuration(text);
  if (ago !== null) return now - ago;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  const why = `--before ${quoteName(text)} is no time; write a date such as 2026-01-31, or how long ago, such as 7d`;
  throw new Failure(EXIT.usage, 'bad_time', why);
}
