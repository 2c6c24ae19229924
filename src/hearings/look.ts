/**
 * The order `look`: what one look at the target shows (D-3, D-4, D-7, D-8, D-9), strongest first: gone, replaced or
 * unknown; an answer by file; an answer on the screen; a dialog; a person; a usage limit; an error; a sign of life; a
 * what is inconclusive; silence. Silence is only what was seen to be silent: what could not be seen is unknown, and so is an asked agent
 * that cannot run. An agent that is to be restarted for a new login is `resting`, or what else it shows.
 */
import type { Attempt, Incarnation, Observation } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports/ports.ts';
import { asksPerson, limitWords } from '../screen/screen.ts';
import { alphanumerics, tailOf } from '../screen/text.ts';
import { currentAttempt } from './answer.ts';
import { deadRows } from './limit.ts';
import { signsOfLife, type LifeDeps } from './life.ts';
import type { QuestionMemory } from './memory.ts';
import { findPane, unknown, type FoundPane, type Missing } from './pane.ts';
import { personAt } from './people.ts';
import { holds } from './anchor.ts';
import { cameAfter, readingOf, type Reading } from './reading.ts';
import { stoppedNow, stoppedText } from './stopped.ts';
import { viewOf, type View } from './view.ts';

type Look = OrderOf<'look'>;

export interface LookDeps extends LifeDeps {
  /** Whether an answer to this code was given by `town alive`. Rejects when it is unknown. */
  readonly answerFor: (code: string, uuid: string) => Promise<boolean>;
  /** Whether it is at rest now (M-9). Never rejects: what is unknown is a no. */
  readonly isAtRest: (life: Incarnation) => Promise<boolean>;
}

/** LOOKED; never rejects. */
export const lookHand =
  (deps: LookDeps): Perform<Look> =>
  async (order) => {
    try {
      const seen = await look(deps, order);
      const rests = order.mustRest === true && (await deps.isAtRest(order.target));
      return { type: 'LOOKED', ...seen, ...(rests && { observation: { kind: 'resting' } }) };
    } catch (error) {
      return { type: 'LOOKED', observation: unknown(error), tail: '' };
    }
  };

async function look(deps: LookDeps, order: Look): Promise<{ observation: Observation; tail: string }> {
  const { target } = order;
  const found = await findPane(deps, target);
  if (found.kind !== 'found' && found.kind !== 'paneless')
    return { observation: found, tail: await lastWords(deps, target, found) };
  const attempt = currentAttempt(order.attempts);
  const filed = await answerByFile(deps, target, attempt);
  if (found.kind === 'paneless') return { observation: filed ?? found, tail: '' };
  const question = attempt === null ? null : deps.memory.question(target, attempt.code);
  const view = await viewSinceMark(deps, order, found, question, attempt).catch(unknown);
  const tail = 'kind' in view ? '' : tailOf(view.capture.screen, deps.policy.tailLines);
  if (filed?.kind === 'answered') return { observation: filed, tail };
  if ('kind' in view) return { observation: view, tail };
  const observation = await observationIn(deps, order, { found, attempt, question, view });
  // An answer may lie where it could not be read.
  return { observation: observation.kind === 'silent' && filed !== null ? filed : observation, tail };
}

/** What it says by `town alive`, also without a pane; null = nothing. */
async function answerByFile(
  { answerFor }: LookDeps,
  { uuid }: Incarnation,
  attempt: Attempt | null,
): Promise<Observation | null> {
  if (attempt === null) return null;
  const filed = await answerFor(attempt.code, uuid).catch(unknown);
  if (typeof filed === 'object') return filed;
  return filed ? { kind: 'answered', by: 'town alive', quote: `town alive ${attempt.code}` } : null;
}

/** What a dead agent left on its screen; empty where nothing of it can be read. */
async function lastWords({ tmux, policy }: LookDeps, { paneId }: Incarnation, found: Missing): Promise<string> {
  if (found.kind !== 'gone' || !found.paneStays) return '';
  return tailOf(await deadRows(tmux, paneId).catch(() => []), policy.tailLines);
}

/** From the mark on; where rows have moved, as far back as is searched for the place. */
async function viewSinceMark(
  deps: LookDeps,
  { target, attempts }: Look,
  found: FoundPane,
  question: QuestionMemory | null,
  attempt: Attempt | null,
): Promise<View> {
  const mark = question?.anchor?.mark ?? attempt?.mark ?? null;
  const since = mark?.line ?? Infinity;
  const questions = attempts.map(({ question }) => question);
  const view = await viewOf(deps, target, found, { from: (size) => Math.min(since, size), questions });
  if (mark === null || holds(view.capture, mark)) return view;
  return viewOf(deps, target, found, { from: (size) => size - deps.policy.searchRows, questions });
}

interface LookInput {
  readonly found: FoundPane;
  readonly attempt: Attempt | null;
  readonly question: QuestionMemory | null;
  readonly view: View;
}

async function observationIn(
  deps: LookDeps,
  order: Look,
  { found, attempt, question, view }: LookInput,
): Promise<Observation> {
  const sentTexts = (await deps.sentTexts?.(order.target)) ?? [];
  const questions = order.attempts.map(({ question }) => question);
  const reading = readingOf(view, { attempt, question, questions, sentTexts });
  if (reading.answer !== null) return reading.answer;
  const obstacle = await obstacleTo(deps, found, view, reading);
  if (obstacle !== null) return obstacle;
  const life =
    attempt === null || question === null
      ? null
      : await signsOfLife(deps, order.target, { view, reading, question, cpuRate: attempt.mark?.cpuRate ?? null });
  if (life?.kind === 'evidence') return life;
  const stopped = attempt === null ? null : await stoppedNow(deps, order.target, found);
  if (stopped !== null)
    return {
      kind: 'unknown',
      why: stoppedText(stopped),
      seen: reading.isLost ? 'lost' : 'unanswered',
      cannotRun: true,
    };
  if (life !== null && !reading.isLost) return life;
  // What never arrived is unasked: no silence follows from it (D-6).
  if (attempt !== null && isBack(view, attempt, question))
    return { kind: 'inconclusive', what: 'the question came back into its box, and was not taken' };
  return silence(found, view, reading);
}

/** Whether the question stands in its composer, or stood there and was taken out. */
const isBack = ({ screen }: View, { code }: Attempt, question: QuestionMemory | null): boolean =>
  question?.delivery === 'back' || alphanumerics(screen.composer?.draft ?? '').includes(code);

/** What keeps it from answering. */
async function obstacleTo(deps: LookDeps, found: FoundPane, view: View, reading: Reading): Promise<Observation | null> {
  const { screen } = view;
  if (asksPerson(screen)) return { kind: 'dialog', what: screen.what };
  const person = await personAt(deps, found.sessionIds);
  if (person !== null) return { kind: 'person', what: person };
  if (screen.state === 'limited') return { kind: 'limited', what: limitWords(screen) };
  return screen.state === 'error' && cameAfter(view, reading) ? { kind: 'error', what: screen.what } : null;
}

/** Only what was seen to be silent is. */
function silence({ paneId }: FoundPane, { pack, screen }: View, { isLost }: Reading): Observation {
  if (isLost) return { kind: 'unknown', why: `the place of the question in pane ${paneId} is lost`, seen: 'lost' };
  return pack.complete && screen.state === 'unknown'
    ? { kind: 'unknown', why: `what covers the screen of ${pack.label} is not known`, seen: 'unanswered' }
    : { kind: 'silent' };
}
