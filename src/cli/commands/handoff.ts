/**
 * `town handoff` and `town mail check` (C-11): what one life leaves to the next, and how the next finds it. All of it
 * is mail, durable before the town hears of it, so a handoff survives every end of the session.
 */
import { readNote } from '../../../state/watchdog/records.ts';
import { DEACON, letter, unreadIn, unreadText } from '../../patrols/agent/letters.ts';
import { coveredBy } from '../../config/glob.ts';
import { signWords, whoCalls } from '../naming/caller.ts';
import type { Caller } from '../../socket/permission.ts';
import type { Context } from '../context.ts';
import { MAIL_PAGE } from '../policy.ts';
import { EXIT } from '../../terminal/failure.ts';
import { newId, notesOf, wakeTown } from '../asking/notes.ts';
import { say } from '../../terminal/print.ts';
import { mayWrite } from '../asking/may-write.ts';
import { ownBoxes } from '../asking/own-boxes.ts';
import { mailboxOf, OVERSEER } from '../asking/post.ts';

/** The mailbox that keeps digests of cycles. */
const DIGESTS = 'channel/digests';

export interface HandoffOptions {
  readonly subject: string;
  readonly message: string;
}

async function deaconSession(context: Context): Promise<string> {
  return (await context.settings()).policy.watchdog.deacon.session;
}

/** The address whose next life reads the handoff. */
async function heirOf(context: Context, caller: Caller): Promise<string> {
  if (caller.is === 'operator' || caller.session === (await deaconSession(context))) return DEACON;
  return caller.session;
}

export async function handoff(context: Context, options: HandoffOptions): Promise<void> {
  context.existing();
  const caller = await whoCalls(context);
  const { id, heir, ends, from } = await handOff(context, caller, options);
  const kept = caller.is === 'agent' ? `; ${from} goes on: its name is protected, and only the operator ends it` : '';
  const sequel = ends ? `${from} ends now and starts again with it` : `its next life starts with it${kept}`;
  context.answer('handoff', { id, to: heir, ends }, `handed off to ${heir}: ${sequel}`);
}

interface HandedOff {
  /** Of the letter. */
  readonly id: string;
  readonly heir: string;
  readonly from: string;
  /** The life that hands off ends. */
  readonly ends: boolean;
}

export async function handOff(
  context: Context,
  caller: Caller,
  { subject, message }: HandoffOptions,
): Promise<HandedOff> {
  const heir = await heirOf(context, caller);
  const from = caller.is === 'agent' ? caller.session : OVERSEER;
  await mayWrite(context, caller);
  const cycle = heir === DEACON ? ((await readNote(await notesOf(context), 'heartbeat'))?.cycle ?? null) : null;
  const send = async (to: string, about: string, body: string): Promise<string> => {
    const { box } = await mailboxOf(context, to);
    const id = newId('h');
    await box.send(signWords(caller, { id, from, subject: about, body, urgent: false, needs_response: false }));
    return id;
  };
  const id = await send(heir, `HANDOFF: ${subject}`, message);
  await send(DIGESTS, `DIGEST: ${subject}`, `${cycle === null ? '' : `After cycle ${cycle}. `}${message}`);
  const ends = caller.is === 'agent' && coveredBy(caller.session, (await context.settings()).town.protected) === null;
  if (ends) await send(DEACON, 'LIFECYCLE: cycle', JSON.stringify({ action: 'cycle', session: from }));
  await wakeTown(context, 'mail');
  return { id, heir, from, ends };
}

export interface CheckOptions {
  readonly inject?: boolean;
  readonly for?: string;
}

/** Unread mail. With `inject` it is printed for a start hook and counts as read; lifecycle requests are the town's. */
export async function check(context: Context, options: CheckOptions): Promise<number> {
  context.existing();
  const boxes = (await ownBoxes(context, options.for)).map(({ box }) => box);
  const unread = await unreadIn(boxes, MAIL_PAGE.letters);
  const messages = unread.map(({ message }) => message);
  const count = unreadText(messages.length);
  if (options.inject !== true) {
    context.answer('mail-check', { unread: messages.length, messages }, count);
    return messages.length > 0 ? EXIT.done : EXIT.failed;
  }
  if (context.json) context.answer('mail-check', { unread: messages.length, messages }, '');
  else if (messages.length > 0) say([`You have ${count}:`, ...messages.map(letter)].join('\n\n'));
  // After the printing: a crash in between prints it again, which is better than never.
  for (const { box, message } of unread) await box.read(message.id);
  return EXIT.done;
}
