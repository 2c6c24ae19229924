/** `town mail …`: files, so it works with the town down. */
import { WAITING } from '../../../state/mail/boxes.ts';
import { inOrder, type Received } from '../../../state/mail/mailbox.ts';
import { nameOf } from '../../../state/files/layout.ts';
import { refuseAgent } from '../../triage/role.ts';
import { OPERATOR, type Caller } from '../../socket/permission.ts';
import { asCaller, nameOfCaller, type RoleCaller, signWords, whoCalls } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { newId, wakeTown } from '../asking/notes.ts';
import { chosenIn, isChoice, type Which } from '../naming/mail-choice.ts';
import { MAIL_PAGE } from '../policy.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { find, numberOf, shortNumbers, type Candidate } from '../naming/resolve.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import { tellPerson } from '../asking/person.ts';
import { mayWrite } from '../asking/may-write.ts';
import { ownBoxes, type OwnBox } from '../asking/own-boxes.ts';
import { areOneBox, mailboxOf, OVERSEER } from '../asking/post.ts';
import { MANY_DIGITS } from '../story/asking.ts';
import { isAnswerable } from '../../alerts/answerable.ts';
import { times } from '../../../machines/kernel/span.ts';
import { localTime, when } from '../../journal/when.ts';
import { MAX_SUBJECT } from '../../../machines/alerts/policy.ts';

export interface SendOptions {
  readonly subject: string;
  readonly body?: string;
  readonly from?: string;
  readonly urgent?: boolean;
  readonly needsResponse?: boolean;
}

/**
 * Puts a letter into a mailbox, in the caller's own name, and wakes the town. It works with the town down. Throws Failure where
 * the words are no letter, or the caller may not write in that name.
 */
export async function send(context: Context, to: string, options: SendOptions): Promise<void> {
  context.existing();
  await asCaller(context, 'gt_mail_send', [to, options.subject], (caller) => sendAs(caller, context, to, options));
}

async function sendAs(caller: Caller | RoleCaller, context: Context, to: string, options: SendOptions): Promise<void> {
  if (caller.is === 'role') refuseAgent(caller.run, to, 'mail');
  const from = await ownName(context, caller, options.from, '--from');
  const { state } = await context.settings();
  const { subject, body = '' } = options;
  if (subject.trim() === '' || subject.length > MAX_SUBJECT || /[\r\n]/.test(subject)) {
    const text = `the subject ${quoteName(subject)} must be one line of 1 to ${MAX_SUBJECT} characters; write --subject "what it is about"`;
    throw new Failure(EXIT.usage, 'bad_subject', text);
  }
  if (body.length > state.maxChars) {
    const why = `the body has ${body.length} characters, the limit is ${state.maxChars}; put it into a file and name that`;
    throw new Failure(EXIT.usage, 'body_too_long', why);
  }
  const { address, box } = await mailboxOf(context, to);
  // Without a token the sender is the operator, who may write in any name an address can have, but in a real one.
  const sender =
    caller.is === 'operator' && options.from !== undefined ? (await mailboxOf(context, from)).address : from;
  await mayWrite(context, caller);
  const id = newId('m');
  const flags = { urgent: options.urgent === true, needs_response: options.needsResponse === true };
  const message = signWords(caller, { id, from: sender, subject, body, ...flags });
  const sent = (): void =>
    context.answer('mail-sent', { id, to: address, from: sender }, `message ${id} is in the mailbox of ${address}`);
  if (address === OVERSEER) {
    await tellPerson(context, box, message, sent);
    return;
  }
  await box.send(message);
  await wakeTown(context, 'mail');
  sent();
}

/**
 * The operator's answer to a letter, which is put away by it. One letter has one such answer, by its id. Throws Failure (2, 3) and
 * MailRefused.
 */
export async function reply(context: Context, id: string, body: string): Promise<void> {
  const { state } = await context.settings();
  if (body.length > state.maxChars) {
    const why = `the answer has ${body.length} characters, the limit is ${state.maxChars}; write less`;
    throw new Failure(EXIT.usage, 'body_too_long', why);
  }
  const { box: ours } = await mailboxOf(context, OVERSEER);
  const of = (name: string): boolean => name === `${nameOf(id)}.json`;
  const [letter] = await ours.page(WAITING, { limit: 1, from: 'newest', of });
  if (letter === undefined)
    throw new Failure(EXIT.notRunning, 'over', `the letter ${quoteName(id)} is put away; see: town mail inbox --all`);
  const { address, box } = await mailboxOf(context, letter.from);
  const subject = `Re: ${letter.subject}`.slice(0, MAX_SUBJECT);
  const words = { id: `re-${id}`, from: OVERSEER, subject, body, urgent: false, needs_response: false };
  const isNew = await box.send(signWords(OPERATOR, words));
  await ours.archive(id);
  if (!isNew)
    throw new Failure(EXIT.notRunning, 'over', `the letter ${quoteName(id)} was answered before; nothing was sent`);
  await wakeTown(context, 'mail');
  context.answer('mail-sent', { id: words.id, to: address }, `your answer is in the mailbox of ${clean(address)}`);
}

/**
 * The mailbox's owner: the calling agent, or without a token the name in `--for`. Throws Failure (5) for another
 * agent's.
 */
async function owner(context: Context, wanted: string | undefined): Promise<string> {
  const caller = await whoCalls(context);
  if (caller.is === 'operator') return wanted ?? OVERSEER;
  return ownName(context, caller, wanted, '--for');
}

/** The name a caller writes and reads as, from any spelling of its address. Throws Failure (5) for another agent's. */
async function ownName(
  context: Context,
  caller: Caller | RoleCaller,
  wanted: string | undefined,
  flag: string,
): Promise<string> {
  const isAgents = caller.is === 'agent' && wanted !== undefined;
  const isOwn = isAgents && (await areOneBox(context, wanted, caller.session));
  return nameOfCaller(caller, isOwn ? undefined : wanted, flag);
}

export interface BoxOptions {
  readonly for?: string;
  readonly all?: boolean;
}

export interface InboxOptions extends BoxOptions {
  readonly limit?: string;
}

const LETTERS = ['#', { head: 'ID', drop: 1 }, { head: 'BOX', drop: 2 }, { head: 'SENT', drop: 3 }, 'FROM', 'SUBJECT'];

/** The newest of them: it opens as many files of 10 letters as of 100,000. */
export async function inbox(context: Context, named: string | undefined, options: InboxOptions): Promise<void> {
  context.existing();
  const own = (await ownBoxes(context, options.for ?? named)).map(({ address, box }) => {
    return { address, box: box.still(Date.now()) };
  });
  const boxes = options.all === true ? ([...WAITING, 'archive'] as const) : WAITING;
  const limit = options.limit === undefined ? MAIL_PAGE.letters : countIn(options.limit);
  const pages: Received[] = [];
  let [inBoxes, inAll] = [0, 0];
  for (const { box } of own) {
    pages.push(...(await box.page(boxes, { limit, from: 'newest' })));
    const counts = await box.counts();
    inBoxes += boxes.reduce((sum, one) => sum + counts[one], 0);
    inAll += Object.values(counts).reduce((sum, one) => sum + one, 0);
  }
  const messages = inOrder(pages).slice(-limit);
  const short = await shortIds(own, messages, inAll);
  const left = inBoxes - messages.length;
  const [only, ...others] = own.map(({ address }) => address);
  const whose = others.length === 0 ? ` ${only ?? ''}` : '';
  if (left > 0) note(`${left} older ones are not shown; town mail inbox${whose} --limit ${limit + left} shows all`);
  const row = (m: Received): string[] => {
    return [short(m.id), m.id, m.box, when(m.sent_at), m.from, `${m.urgent ? '! ' : ''}${m.subject}`];
  };
  const data = messages.map((m) => ({ ...m, read: m.box !== 'new', archived: m.box === 'archive' }));
  context.answer('mail', data, listing(messages, `no mail for ${only ?? ''}`, LETTERS, row));
}

/** Throws Failure (2). */
function countIn(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Failure(EXIT.usage, 'bad_number', `--limit ${quoteName(text)} is no number above 0; write --limit 500`);
}

const candidateOf = (id: string): Candidate<string> => {
  return { id, number: numberOf(id), session: null, isOpen: true, at: 0, value: id };
};

/** Every message of the mailboxes by the name of its file: nothing is opened. */
async function candidatesIn(own: readonly OwnBox[]): Promise<Candidate<InBox>[]> {
  const all: Candidate<InBox>[] = [];
  for (const { address, box } of own) {
    const names = await box.names([...WAITING, 'archive']);
    all.push(...names.map((id) => ({ ...candidateOf(id), value: { id, address, box } })));
  }
  return all;
}

/** Short numbers of these, compared with all others of the mailbox; of many only long enough that hardly one is another's too. */
async function shortIds(
  own: readonly OwnBox[],
  shown: readonly Received[],
  count: number,
): Promise<(id: string) => string> {
  if (count <= MAIL_PAGE.compared) return shortNumbers(await candidatesIn(own));
  return shortNumbers(
    shown.map(({ id }) => candidateOf(id)),
    MAIL_PAGE.spareDigits + String(count).length,
  );
}

interface InBox extends OwnBox {
  readonly id: string;
}

/** The message that a word means; the first mailbox itself says that there is none. */
async function messageCalled(own: readonly OwnBox[], word: string): Promise<InBox> {
  const [first] = own;
  if (first === undefined) throw new Error('every caller has a mailbox');
  const isOne = own.length === 1 && first.address !== OVERSEER;
  const list = isOne ? `town mail inbox --for ${first.address} --all` : 'town mail inbox --all';
  const found = find(word, await candidatesIn(own), { what: 'message', list, code: 'unknown_message' });
  return found ?? { ...first, id: word };
}

function letter(m: Received): string {
  return [
    `From:    ${clean(m.from)} (via ${m.via})`,
    `To:      ${clean(m.to)}`,
    `Sent:    ${localTime(Date.parse(m.sent_at))}, ${when(m.sent_at)}`,
    `Subject: ${clean(m.subject)}`,
    '',
    clean(m.body, 'lines'),
  ].join('\n');
}

export async function read(context: Context, word: string, options: BoxOptions): Promise<void> {
  context.existing();
  const { address, box, id } = await messageCalled(await ownBoxes(context, options.for), word);
  const message = await box.read(id);
  const isAsked = address === OVERSEER && isAnswerable(message) && message.box !== 'archive';
  const number = isAsked ? shortNumbers((await box.names(WAITING)).map(candidateOf), MANY_DIGITS)(message.id) : '';
  const reply = isAsked ? ['', `Answer it: town answer ${number} reply "…"`] : [];
  context.answer('message', message, () => [letter(message), ...reply]);
}

export interface ArchiveOptions extends BoxOptions, Which {}

/** One message, or all that the choices fit. */
export async function archive(context: Context, word: string | undefined, options: ArchiveOptions): Promise<void> {
  context.existing();
  if (word === undefined) {
    const { address, box } = await mailboxOf(context, await owner(context, options.for));
    const ids = await chosenIn(box, options, {
      now: Date.now(),
      areOne: (one, other) => areOneBox(context, one, other),
    });
    await box.archiveAll(ids);
    const text = `${times(ids.length, `message of ${address} is`, `messages of ${address} are`)} in the archive`;
    context.answer('archived', { address, count: ids.length, ids }, text);
    return;
  }
  if (isChoice(options)) {
    const text = `${quoteName(word)} names one message, and the options choose many; write one of both`;
    throw new Failure(EXIT.usage, 'bad_choice', text);
  }
  const { box, id } = await messageCalled(await ownBoxes(context, options.for), word);
  const message = await box.archive(id);
  context.answer('message', message, `message ${message.id} is in the archive`);
}
