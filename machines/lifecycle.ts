/**
 * Lifecycle requests (C-10): what an agent asks about its own life, by mail to the Deacon. Pure.
 * 1. Only under its own identity: the letter was written with the token of the session that it names.
 * 2. A request older than policy allows, or than the present life, is void: it was another life's.
 * 3. It needs no hearing (law 2), but its work is saved first (law 4): it becomes a forced warrant by the agent itself.
 */
import type { Ms, NewsBody, WallMs } from './protocol.ts';
import type { Letter } from './watchdog.ts';

export const LIFECYCLE_ACTIONS = ['cycle', 'restart', 'shutdown'] as const;
export type LifecycleAction = (typeof LIFECYCLE_ACTIONS)[number];
type Then = (NewsBody & { type: 'END_WANTED' })['then'];
const THEN: Readonly<Record<LifecycleAction, Then>> = { cycle: 'restart', restart: 'restart', shutdown: 'end' };

const SUBJECT = /^LIFECYCLE:?\s*(\w*)/i;

export const isLifecycle = ({ subject }: Pick<Letter, 'subject'>): boolean => SUBJECT.test(subject);

/** What a body says: a JSON object, or bare words. */
function bodyOf(body: string): { readonly action: string; readonly session: string | null } {
  const text = body.trim();
  if (text.startsWith('{')) {
    try {
      const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const word = (...names: string[]): string | null => {
        const found = names.map((name) => value[name]).find((one) => typeof one === 'string');
        return typeof found === 'string' ? found : null;
      };
      return { action: word('action', 'request', 'type') ?? '', session: word('session', 'agent', 'target', 'from') };
    } catch {
      return { action: '', session: null }; // Not JSON after all: then it names no action.
    }
  }
  return { action: /^\w*/.exec(text)?.[0] ?? '', session: null };
}

/** `act`: carry it out. `put_away`: it is over, or void, and why. `refuse`: a person is told why nothing happens. */
export type Ruling =
  | { readonly kind: 'act'; readonly news: NewsBody & { readonly type: 'END_WANTED' } }
  | { readonly kind: 'put_away'; readonly why: string }
  | { readonly kind: 'refuse'; readonly why: string };

const MINUTE = 60_000;

/** By the life that the letter names; clocks step, so they are compared only where it names none. */
function isOfLife({ writtenBy, sentAt }: Letter, { uuid, startedAt }: NonNullable<Letter['sender']>): boolean {
  return writtenBy === null ? startedAt !== null && sentAt >= startedAt : writtenBy === uuid;
}

/** What becomes of one lifecycle letter at this wall time. */
export function rule(letter: Letter, wall: WallMs, { expiresMs }: { readonly expiresMs: Ms }): Ruling {
  const { sender, sentAt, from, via } = letter;
  const putAway = (why: string): Ruling => ({ kind: 'put_away', why });
  const written = bodyOf(letter.body);
  const word = (SUBJECT.exec(letter.subject)?.[1] || written.action).toLowerCase();
  const action = LIFECYCLE_ACTIONS.find((known) => known === word);
  if (wall - sentAt > expiresMs) return putAway(`it is older than ${Math.round(expiresMs / MINUTE)} minutes`);
  if (action === undefined) return { kind: 'refuse', why: `"${word}" is none of ${LIFECYCLE_ACTIONS.join(', ')}` };
  if (via !== 'agent')
    return {
      kind: 'refuse',
      why: `it was not written by ${from} itself; an operator types: town session kill ${from}`,
    };
  if (sender === null) return putAway('the life that asked is over');
  if (written.session !== null && written.session !== sender.session)
    return { kind: 'refuse', why: `${sender.session} asks for ${written.session}; each asks only for itself` };
  if (!isOfLife(letter, sender)) return putAway(`an earlier life of ${sender.session} asked for it`);
  const { session, uuid } = sender;
  const why = `it asked for ${action} itself (mail ${letter.id})`;
  return {
    kind: 'act',
    news: { type: 'END_WANTED', session, uuid, then: THEN[action], id: `lifecycle-${letter.id}`, filedAt: sentAt, why },
  };
}
