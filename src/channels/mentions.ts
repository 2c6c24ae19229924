/**
 * Work that a person gives to an agent in a channel: `@builder look at the tests`. It goes the way of `town send`, once by its id, and the
 * person reads what came of it. Only callers of a `[[may_answer]]` with the kind `mention` may, for sessions with its tag.
 */
import { channelOfCaller, MENTION, type MayAnswer } from '../../machines/channels/answers.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Reply, RequestOf, SendReply } from '../../machines/protocol.ts';
import type { Mention } from './port.ts';

/** A session that could have the work. */
export interface Receiver {
  readonly session: string;
  readonly tags: readonly string[];
}

export interface MentionNeeds {
  readonly rules: readonly MayAnswer[];
  /** By its own name, its agent's, or its nick; null = there is none. */
  readonly receiver: (name: string) => Promise<Receiver | null>;
  /** Why this text is typed to no session, or none to this one; null = it is. */
  readonly mistake: (session: string, text: string) => string | null;
  readonly ask: (request: RequestOf<'send'>, by: string) => Promise<Reply>;
  /** Durable when it resolves. */
  readonly tell: (notice: Told, of: string) => Promise<void>;
}

/** Resolves once the work is on record, and what came of it in the spool. */
export async function takeMention(needs: MentionNeeds, mention: Mention): Promise<void> {
  const { id, from, to } = mention;
  const [session, text] = await outcomeOf(needs, mention);
  const notice = { schema: 'notice/1', kind: 'answer', severity: 'medium', session } as const;
  const words = `work for ${to}: ${text}`;
  await needs.tell({ ...notice, text: words, to: [channelOfCaller(from)], type: ['town send --list'] }, `answer/${id}`);
}

async function outcomeOf(
  { rules, receiver, mistake, ask }: MentionNeeds,
  { id, from, to, text }: Mention,
): Promise<[session: string | null, words: string]> {
  const found = await receiver(to);
  const ours = rules.filter((one) => one.from === from && one.kinds.includes(MENTION));
  const mayHave = ours.some(({ tag }) => tag === null || found?.tags.includes(tag) === true);
  if (!mayHave) return [null, `not allowed: no [[may_answer]] lets ${from} give it work`];
  if (found === null) return [null, 'there is no session of that name'];
  const { session } = found;
  const why = mistake(session, text);
  if (why !== null) return [session, `not sent: ${why}`];
  const reply = await ask({ verb: 'send', name: session, send: id, text, from }, from);
  if (!reply.ok) return [session, `not sent: ${reply.text}`];
  const { ahead, undone } = reply.value as SendReply;
  if (undone !== null) return [session, `it is never typed: ${undone}`];
  return [session, ahead === 0 ? 'typed once it is at rest' : `typed once it is at rest, after ${String(ahead)} more`];
}
