/**
 * Lifecycle requests (C-10): what an agent asks about its own life, by mail to the Deacon. Pure.
 * 1. Only under its own identity: the letter was written with the token of the life that it names.
 * 2. A request older than policy allows, or of another life, is void.
 * 3. A body that names an action, as JSON or a bare word, wins over the subject.
 * 4. A letter says nothing but the action, its sender's own name and courtesy, unless its JSON names its sender as the
 *    target; its reason is then free. A word that names another session, or that has no meaning here, gets a refusal: no
 *    grammar is guessed.
 * 5. A protected name is refused it: only an operator ends that one (law 6).
 * 6. It needs no hearing (law 2), but its work is saved first (law 4): it becomes a forced warrant by the agent itself.
 */
import type { KnownSession, Letter, Ms, NewsBody, Order, WallMs } from '../protocol.ts';
import { span } from '../kernel/span.ts';
import { order } from '../kernel/decision.ts';
import { isPolecat } from '../rigs/names.ts';
import { REFUSALS } from './policy.ts';

export const LIFECYCLE_ACTIONS = ['cycle', 'restart', 'shutdown'] as const;
export type LifecycleAction = (typeof LIFECYCLE_ACTIONS)[number];
type Then = (NewsBody & { type: 'END_WANTED' })['then'];
const THEN: Readonly<Record<LifecycleAction, Then>> = { cycle: 'restart', restart: 'restart', shutdown: 'end' };

/** The person's address (C-16). */
const OVERSEER = 'overseer';

const SUBJECT = /^LIFECYCLE:?/i;

export const isLifecycle = ({ subject }: Pick<Letter, 'subject'>): boolean => SUBJECT.test(subject);

const isAction = (word: string): word is LifecycleAction => LIFECYCLE_ACTIONS.some((known) => known === word);

/** Words that ask for nothing more, and the labels of an action: `action: shutdown`. */
const COURTESY: ReadonlySet<string> = new Set(
  'please now me my myself self thanks thank you action type request requested requesting lifecycle'.split(' '),
);

/** What a text says: its action, and every other word. */
interface Said {
  readonly action: string | null;
  readonly others: readonly string[];
}

/** Names and addresses are words of their own: `app-builder`, `shop/polecats/nux`. */
const wordsIn = (text: string): readonly string[] =>
  (text.match(/[\p{L}\p{N}_][\p{L}\p{N}_/-]*/gu) ?? []).map((word) => word.replace(/[-/]+$/, ''));

function saidIn(text: string): Said {
  const words = wordsIn(text);
  const at = words.findIndex((word) => isAction(word.toLowerCase()));
  return { action: words[at]?.toLowerCase() ?? null, others: words.filter((_, index) => index !== at) };
}

/** `asker`: the session that it says it is from. `targets`: the sessions that it says it is about. */
interface Body extends Said {
  readonly asker: readonly string[];
  readonly targets: readonly string[];
}

const KEYS = { action: ['action', 'request', 'type'], asker: ['from'], targets: ['session', 'agent', 'target'] };
const REASON = 'reason';
const ALL_KEYS = [...Object.values(KEYS).flat(), REASON];

function bodyOf(body: string): Body {
  const bare = { ...saidIn(body), asker: [], targets: [] };
  if (!body.trim().startsWith('{')) return bare;
  try {
    const value = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const under = (keys: readonly string[]): string[] =>
      keys.map((key) => value[key]).filter((one) => typeof one === 'string');
    const actionKey = KEYS.action.find((key) => typeof value[key] === 'string');
    const targets = under(KEYS.targets);
    // The letter is about the session in its target field. Its reason may name others.
    const isFree = (key: string): boolean => key === actionKey || (key === REASON && targets.length > 0);
    const rest = Object.entries(value).filter(([key]) => !isFree(key));
    const others = rest.flatMap(([key, one]) => [
      ...(ALL_KEYS.includes(key) ? [] : wordsIn(key)),
      ...wordsIn(typeof one === 'string' ? one : JSON.stringify(one)),
    ]);
    const action = under(KEYS.action)[0]?.toLowerCase() ?? null;
    return { action, others, asker: under(KEYS.asker), targets };
  } catch {
    return bare; // Not JSON after all: words like any other.
  }
}

/** Each name of a session: its own, its address, and the short name of a polecat. */
function namesOf({ name, address }: KnownSession): readonly string[] {
  const [rig = '', , short = ''] = isPolecat(address) ? address.split('/') : [];
  const names = short === '' ? [name, address] : [name, address, short, `${rig}/${short}`];
  return names.map((one) => one.toLowerCase());
}

/** Why a letter with these words may be about another session than its sender's, as a sentence without its end; null = it is not. */
function strayIn(subject: Said, body: Body, session: string, known: readonly KnownSession[]): string | null {
  const own = new Set([session.toLowerCase(), ...known.filter(({ name }) => name === session).flatMap(namesOf)]);
  const foreign = new Set(known.filter(({ name }) => name !== session).flatMap(namesOf));
  const isAnother = (word: string): boolean => word !== session && foreign.has(word.toLowerCase());
  const isItself = (name: string): boolean => own.has(name.toLowerCase()) && !isAnother(name);
  const words = [...subject.others, ...body.others];
  const another = [...body.targets, ...body.asker].find((name) => !isItself(name)) ?? words.find(isAnother);
  if (another !== undefined)
    return `${session} asks for ${another.slice(0, REFUSALS.maxWord)}; each asks only for itself`;
  if (body.targets.length > 0) return null;
  const stray = words.find((word) => !COURTESY.has(word.toLowerCase()) && !own.has(word.toLowerCase()));
  return stray === undefined
    ? null
    : `"${stray.slice(0, REFUSALS.maxWord)}" may be about another agent; ${howToAsk(session)}`;
}

const howToAsk = (session: string): string =>
  `a request is its action and no more: town mail send deacon --subject "LIFECYCLE: restart". ` +
  `With a reason, its body is JSON: {"action": "restart", "session": "${session}", "reason": "..."}`;

/** `act`: carry it out. `put_away`: it is over, or void, and why. `refuse`: a person is told why nothing happens. */
export type Ruling =
  | { readonly kind: 'act'; readonly news: NewsBody & { readonly type: 'END_WANTED' } }
  | { readonly kind: 'put_away'; readonly why: string }
  | { readonly kind: 'refuse'; readonly why: string };

interface Terms {
  readonly expiresMs: Ms;
  /** Whether only the operator ends this session. */
  readonly isProtected: (session: string) => boolean;
  /** Each session on record. */
  readonly known: readonly KnownSession[];
}

/** What becomes of one lifecycle letter at this wall time. */
export function rule(letter: Letter, wall: WallMs, { expiresMs, isProtected, known }: Terms): Ruling {
  const { sender, sentAt, from, via, writtenBy } = letter;
  const putAway = (why: string): Ruling => ({ kind: 'put_away', why });
  const said = saidIn(letter.subject.replace(SUBJECT, ''));
  const written = bodyOf(letter.body);
  const word = written.action ?? said.action ?? said.others[0] ?? '';
  if (wall - sentAt > expiresMs) return putAway(`it is older than ${span(expiresMs)}`);
  if (!isAction(word)) return { kind: 'refuse', why: `"${word}" is none of ${LIFECYCLE_ACTIONS.join(', ')}` };
  // `town mail send` writes down the life whose token it was called with. A file that says only a name was written by other hands.
  if (via !== 'agent' || writtenBy === null)
    return {
      kind: 'refuse',
      why: `it was not written by ${from} itself; an operator types: town session stop ${from}`,
    };
  if (sender === null) return putAway('the life that asked is over');
  const stray = strayIn(said, written, sender.session, known);
  if (stray !== null) return { kind: 'refuse', why: stray };
  if (writtenBy !== sender.uuid) return putAway(`an earlier life of ${sender.session} asked for it`);
  const { session, uuid } = sender;
  if (isProtected(session))
    return {
      kind: 'refuse',
      why: `${session} is a protected name; an operator types: town session stop ${session} --force`,
    };
  const why = `it asked for ${word} itself (mail ${letter.id})`;
  return {
    kind: 'act',
    news: { type: 'END_WANTED', session, uuid, then: THEN[word], id: `lifecycle-${letter.id}`, filedAt: sentAt, why },
  };
}

/**
 * To its writer, and to a person. A mail of the same name is the same mail, so a person hears of a sender once a day, however
 * often that one asks.
 */
export function refusalsOf({ id, from }: Letter, why: string, wall: WallMs): readonly Order[] {
  const subject = `REFUSED: a lifecycle request of ${from}`;
  const body = `It is not carried out: ${why}.\nTo read it: town mail read ${id} --for deacon\n`;
  const more = 'Further ones of this sender today are put away without a letter; the journal names each.\n';
  const sender = from.replace(/[^\w-]+/g, '.').slice(0, REFUSALS.maxSender);
  const today = { name: `lifecycle-refused.${sender}.${Math.floor(wall / REFUSALS.onceInMs)}` };
  const first = order(today, { type: 'mail', to: OVERSEER, subject, body: body + more });
  const back = order({ name: `lifecycle-refused.${id}.back` }, { type: 'mail', to: from, subject, body });
  return from === OVERSEER ? [first] : [first, back];
}
