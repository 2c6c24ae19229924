/** Which notices tell of a question of the town's that channels may answer. Pure. */
import type { Told } from '../alerts/slots.ts';
import { NEEDS_INPUT } from '../alerts/things.ts';
import { aboutOf } from '../protocol.ts';
import { channelOfCaller, type AskKind, type MayAnswer } from './answers.ts';
import { askedInPane, episodeOf } from './peace.ts';

/** The id or the alert by which `town ask show` finds the question of a notice that offers no answer yet; null = it is none of the town's. */
export function askedOfTown(notice: Told): { readonly of: string; readonly kinds: readonly AskKind[] } | null {
  const { kind, question, ask, id } = notice;
  if (question !== true || ask !== undefined) return null;
  const episode = episodeOf(notice);
  if (kind === 'alert' && episode !== null && askedInPane(notice) === null)
    return { of: episode, kinds: ['alert', 'case', 'escalation', 'gate'] };
  const isLetter = kind === 'mail' && typeof id === 'string' && notice['together'] === undefined;
  return isLetter ? { of: id, kinds: ['letter'] } : null;
}

/** Kinds of the question in which the notice offers a choice, or may: an alert that can only be acknowledged is none. */
export function choicesIn(notice: Told): readonly string[] {
  const { kind } = (notice['ask'] ?? {}) as { readonly kind?: unknown };
  if (typeof kind === 'string') return [kind];
  const isSeenOnly = notice.kind === 'alert' && notice['answers'] === undefined;
  return isSeenOnly ? [] : (askedOfTown(notice)?.kinds ?? []);
}

/** It waits for a person's choice or words: a dialog of an agent, or a question of the town with more than one answer. */
export function isAsk(notice: Told): boolean {
  const { kind, episode } = notice;
  const isOfDialog = kind === 'alert' && typeof episode === 'string' && aboutOf(episode).kind === NEEDS_INPUT.kind;
  return isOfDialog || choicesIn(notice).length > 0;
}

/** Whether some caller of the channel may answer some question of these kinds. */
export const mayAnswerSome = (channel: string, kinds: readonly string[], rules: readonly MayAnswer[]): boolean =>
  rules.some((one) => channelOfCaller(one.from) === channel && one.kinds.some((kind) => kinds.includes(kind)));
