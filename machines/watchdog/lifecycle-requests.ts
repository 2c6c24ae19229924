/**
 * Lifecycle requests (C-10): what an agent asks about its own life, by mail to the Deacon. Pure.
 * 1. Only under its own identity: the letter was written with the token of the life that it names.
 * 2. A request older than policy allows, or of another life, is void.
 * 3. The body's action, as JSON or one word, wins over the subject. A session named after the action is the target: a
 *    request about another session ends neither.
 * 4. A protected name is refused it: only an operator ends that one (law 6).
 * 5. It needs no hearing (law 2), but its work is saved first (law 4): it becomes a forced warrant by the agent itself.
 */
import type { Letter, Ms, NewsBody, Order, WallMs } from '../protocol.ts';
import { span } from '../kernel/span.ts';
import { order } from '../kernel/decision.ts';
import { polecatIn, sessionOfAgent } from '../rigs/names.ts';
import { REFUSALS } from './policy.ts';

export const LIFECYCLE_ACTIONS = ['cycle', 'restart', 'shutdown'] as const;
export type LifecycleAction = (typeof LIFECYCLE_ACTIONS)[number];
type Then = (NewsBody & { type: 'END_WANTED' })['then'];
const THEN: Readonly<Record<LifecycleAction, Then>> = { cycle: 'restart', restart: 'restart', shutdown: 'end' };

/** The person's address (C-16). */
const OVERSEER = 'overseer';

const SUBJECT = /^LIFECYCLE:?\s*(\w*)/i;

export const isLifecycle = ({ subject }: Pick<Letter, 'subject'>): boolean => SUBJECT.test(subject);

const isAction = (word: string): word is LifecycleAction => LIFECYCLE_ACTIONS.some((known) => known === word);

/** What may stand before the action in a body that is no JSON: `action: shutdown`. */
const LABEL = /^(?:action|request|type)\s*[:=]\s*/i;

/** What a body says: a JSON object, or bare words. `isNamed`: it says nothing but the action. */
function bodyOf(body: string): { readonly word: string; readonly isNamed: boolean; readonly session: string | null } {
  const text = body.trim();
  if (text.startsWith('{')) {
    try {
      const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const word = (...names: string[]): string | null => {
        const found = names.map((name) => value[name]).find((one) => typeof one === 'string');
        return typeof found === 'string' ? found : null;
      };
      const action = word('action', 'request', 'type') ?? '';
      return { word: action, isNamed: action !== '', session: word('session', 'agent', 'target', 'from') };
    } catch {
      return { word: '', isNamed: false, session: null }; // Not JSON after all: then it names no action.
    }
  }
  const bare = text.replace(LABEL, '');
  const word = /^\w*/.exec(bare)?.[0] ?? '';
  return { word, isNamed: isAction(word.toLowerCase()) && /^\w+\W*$/.test(bare), session: null };
}

/** The word that asks for something: the body's where that is all it says, else the subject's, else the body's first. */
function wordOf(subject: string, body: Pick<ReturnType<typeof bodyOf>, 'word' | 'isNamed'>): string {
  const said = (SUBJECT.exec(subject)?.[1] ?? '').toLowerCase();
  const written = body.word.toLowerCase();
  if (body.isNamed || said === '') return written;
  return !isAction(said) && isAction(written) ? written : said;
}

/** Single words behind the action that name no session. */
const COURTESY: ReadonlySet<string> = new Set([
  'please',
  'now',
  'me',
  'myself',
  'self',
  'thanks',
  'request',
  'requested',
]);
const AGENT = /^(?:gt|hq)-./;

/** The session that a text names behind the action: its only further word, or an agent's name or address. null = it names none. */
function namedBehind(text: string): string | null {
  const [action = '', word = '', ...rest] = text.trim().replace(LABEL, '').split(/\s+/);
  const name = word.replace(/[.,;:!?]+$/, '');
  if (name === '' || !isAction(action.toLowerCase()) || COURTESY.has(name.toLowerCase())) return null;
  const isAgent = AGENT.test(name) || polecatIn(name) !== null;
  return isAgent || rest.length === 0 ? sessionOfAgent(name) : null;
}
/** A polecat may go by its own short name. */
const isItself = (name: string, session: string): boolean => name === session || session.endsWith(`-${name}`);

/** The other session that a letter asks about; null = it asks about its sender alone. */
function anotherIn({ subject, body }: Letter, named: string | null, session: string): string | null {
  const about = subject.replace(/^LIFECYCLE:?\s*/i, '');
  const all = [named, namedBehind(about), namedBehind(body)];
  return all.find((name) => name !== null && !isItself(name, session)) ?? null;
}

/** `act`: carry it out. `put_away`: it is over, or void, and why. `refuse`: a person is told why nothing happens. */
export type Ruling =
  | { readonly kind: 'act'; readonly news: NewsBody & { readonly type: 'END_WANTED' } }
  | { readonly kind: 'put_away'; readonly why: string }
  | { readonly kind: 'refuse'; readonly why: string };

interface Terms {
  readonly expiresMs: Ms;
  /** Whether only the operator ends this session. */
  readonly isProtected: (session: string) => boolean;
}

/** What becomes of one lifecycle letter at this wall time. */
export function rule(letter: Letter, wall: WallMs, { expiresMs, isProtected }: Terms): Ruling {
  const { sender, sentAt, from, via, writtenBy } = letter;
  const putAway = (why: string): Ruling => ({ kind: 'put_away', why });
  const written = bodyOf(letter.body);
  const word = wordOf(letter.subject, written);
  if (wall - sentAt > expiresMs) return putAway(`it is older than ${span(expiresMs)}`);
  if (!isAction(word)) return { kind: 'refuse', why: `"${word}" is none of ${LIFECYCLE_ACTIONS.join(', ')}` };
  // `town mail send` writes down the life whose token it was called with. A file that says only a name was written by other hands.
  if (via !== 'agent' || writtenBy === null)
    return {
      kind: 'refuse',
      why: `it was not written by ${from} itself; an operator types: town session stop ${from}`,
    };
  if (sender === null) return putAway('the life that asked is over');
  const another = anotherIn(letter, written.session, sender.session);
  if (another !== null)
    return { kind: 'refuse', why: `${sender.session} asks for ${another}; each asks only for itself` };
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
