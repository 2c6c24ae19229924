/**
 * The conversation of a session's lives (M-11): named by the first life, gone on with by the next ones. One that ends its agent
 * again and again is left, with its name kept, and another one begins.
 */
import type { Conversation, SessionRecord, Spoken } from '../protocol.ts';
import type { SessionsPolicy } from './policy.ts';

type Policy = Pick<SessionsPolicy, 'conversationDeaths'>;

/** It becomes a word of a command, and no option of it. */
export const CONVERSATION_ID = /^\w[\w-]{0,99}$/;

/** Why no life goes on with it; null = the next one does. */
const leavingOf = ({ id, deaths, over }: Conversation, { conversationDeaths }: Policy): string | null =>
  over ?? (deaths >= conversationDeaths ? `${deaths} lives in a row ended with ${id}` : null);

/** Why a life that was just started went on with none; undefined = it had none, or could go on with it. */
export const whyLeft = ({ conversation }: SessionRecord, policy: Policy): string | undefined =>
  conversation && (leavingOf(conversation, policy) ?? undefined);

/** Which one its next life goes on with; null = a new one begins. */
export const resumedBy = ({ conversation }: SessionRecord, policy: Policy): string | null =>
  conversation === undefined || leavingOf(conversation, policy) !== null ? null : conversation.id;

const withoutWords = ({ untold: _, ...before }: Conversation): Conversation => before;

/** Its end of a sentence: why a start with a prompt that no life of this conversation had begins another one. */
export const OTHER_PROMPT = 'its first prompt is another one';

/** Whether the agent would miss a prompt if it went on with a conversation that began with another one. */
export const isOtherPrompt = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && now !== undefined && now !== '' && now !== before;

/** Whether an earlier life had this prompt. */
export const isSamePrompt = (before: string | undefined, now: string | undefined): boolean =>
  now !== undefined && now !== '' && now === before;

/**
 * After a start that did this about it. One that no life was steady with is not worth a name of its own. A start that could name none
 * keeps the last one's name; with another first prompt it began a new one, which its program names later.
 */
export function afterStart(
  { conversation: before, prompt: last }: SessionRecord,
  {
    conversation: spoken,
    prompt,
  }: { readonly conversation?: Spoken | undefined; readonly prompt?: string | undefined },
  policy: Policy,
): Conversation | undefined {
  if (spoken === undefined)
    return (
      before && { ...withoutWords(before), resumed: false, ...(isOtherPrompt(last, prompt) && { over: OTHER_PROMPT }) }
    );
  const { id, resumed, untold } = spoken;
  const words = untold === undefined ? {} : { untold };
  if (before === undefined) return { id, resumed, deaths: 0, ...words };
  if (before.id === id) return { ...withoutWords(before), resumed, ...words };
  const because = leavingOf(before, policy) ?? spoken.because ?? 'its command is another one';
  return { id, resumed, deaths: 0, because, left: before.steady === true ? before.id : (before.left ?? before.id) };
}

/**
 * After its program said which one it is in: a program that takes no name at its start chooses one itself, and its agent, or a person,
 * may begin another one at any time.
 */
export function afterHeard(before: Conversation | undefined, id: string, policy: Policy): Conversation | undefined {
  if (before?.id === id || !CONVERSATION_ID.test(id)) return before;
  const heard = { id, resumed: false, deaths: 0 };
  if (before === undefined) return heard;
  return { ...heard, because: leavingOf(before, policy) ?? 'another one was begun in it', left: before.id };
}

/** After a life with it that crashed or was executed. */
export const afterBadEnd = (before: Conversation): Conversation => ({ ...before, deaths: before.deaths + 1 });

/** After a life with it that ended cleanly: only ends in a row are its fault. */
export const afterCleanEnd = (before: Conversation): Conversation => ({ ...before, deaths: 0 });

/** After a life whose agent wanted a new one, which it does to begin with an empty context (C-10). */
export const afterWish = (before: Conversation): Conversation => ({
  ...before,
  over: 'its agent asked for a new life',
});

/** An operator wants another one. */
export const afterOrder = (before: Conversation): Conversation => ({
  ...before,
  over: 'the operator asked for a new one',
});

/** A life with it has been up for long enough: earlier ends are not its fault. */
export const afterSteadyLife = (before: Conversation): Conversation => ({ ...before, deaths: 0, steady: true });

/** What a start did about it, as the end of a sentence; empty = nothing is worth saying. `forgets`: why it cannot be gone on with. */
export function conversationText(now: Conversation | undefined, forgets: string | undefined): string {
  if (now?.resumed === true) return 'went on with its conversation';
  const because = now?.because ?? forgets;
  return because === undefined ? '' : `began its conversation anew, because ${because}`;
}
