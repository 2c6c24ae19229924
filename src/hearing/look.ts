/**
 * The order `look`: what one look at the accused shows (D-3, D-4, D-7, D-8, D-9), strongest first: gone, replaced or unknown;
 * an answer by file; an answer on the screen; a dialog; a person; a sign of life; silence.
 * Silence is only what was seen to be silent: whatever could not be seen is unknown.
 */
import type { Attempt, Incarnation, Sight, WallMs } from '../../machines/protocol.ts';
import type { OrderOf, Perform } from '../ports.ts';
import { tailOf } from '../screen/text.ts';
import { answerOn, currentAttempt } from './answer.ts';
import type { Answer, Page } from './answer.ts';
import { printedIn } from './ask.ts';
import { sampleOf } from './cpu.ts';
import { baselineOf, evidenceOf } from './evidence.ts';
import type { Signs } from './evidence.ts';
import { deadRows } from './limit.ts';
import type { Hearing } from './memory.ts';
import { isBare, ownRows, remarkRows } from './own.ts';
import { findPane, unknown } from './pane.ts';
import type { Found, Missing } from './pane.ts';
import { personAt } from './people.ts';
import { holds, newsOf, placeOf } from './place.ts';
import type { Line } from './shot.ts';
import { viewOf } from './view.ts';
import type { HearingDeps, View } from './view.ts';

type Look = OrderOf<'look'>;

export interface LookDeps extends HearingDeps {
  /** Whether an answer to this code was given by `town alive`. Rejects when it cannot be told. */
  readonly answerFor: (code: string, uuid: string) => Promise<boolean>;
  /** When this life last showed by a heartbeat or an evidence record that it works; null = never. Rejects = look unknown. */
  readonly heartbeat?: (uuid: string) => Promise<WallMs | null>;
}

/** LOOKED; never rejects. */
export const lookHand =
  (deps: LookDeps): Perform<Look> =>
  async (order) => {
    try {
      return { type: 'LOOKED', ...(await look(deps, order)) };
    } catch (error) {
      return { type: 'LOOKED', sight: unknown(error), tail: '' };
    }
  };

async function look(deps: LookDeps, order: Look): Promise<{ sight: Sight; tail: string }> {
  const { target } = order;
  const found = await findPane(deps, target);
  if (found.kind === 'paneless') return { sight: (await spoken(deps, order)) ?? found, tail: '' };
  if (found.kind !== 'found') return { sight: found, tail: await lastWords(deps, target, found) };
  const attempt = currentAttempt(order.attempts);
  const filed = attempt === null ? false : await deps.answerFor(attempt.code, target.uuid).catch(unknown);
  const hearing = attempt === null ? null : deps.memory.hearing(target, attempt.code);
  const view = await pictureOf(deps, order, found, hearing, attempt).catch(unknown);
  const tail = 'kind' in view ? '' : tailOf(view.shot.screen, deps.policy.tailLines);
  if (filed === true && attempt !== null) return { sight: answeredBy(attempt), tail };
  if ('kind' in view) return { sight: view, tail };
  const sight = await judge(deps, order, { found, attempt, hearing, view });
  // An answer may lie where it could not be read.
  return { sight: sight.kind === 'silent' && typeof filed === 'object' ? filed : sight, tail };
}

/** What it says though it has no pane, by `town alive`; null = nothing. */
async function spoken({ answerFor }: LookDeps, { target, attempts }: Look): Promise<Sight | null> {
  const attempt = currentAttempt(attempts);
  const filed = attempt === null ? false : await answerFor(attempt.code, target.uuid).catch(unknown);
  if (typeof filed === 'object') return filed;
  return filed && attempt !== null ? answeredBy(attempt) : null;
}

const answeredBy = ({ code }: Attempt): Sight => ({ kind: 'answered', by: 'town alive', quote: `town alive ${code}` });

/** What a dead agent left on its screen; empty where nothing of it can be read. */
async function lastWords({ tmux, policy }: LookDeps, { paneId }: Incarnation, found: Missing): Promise<string> {
  if (found.kind !== 'gone' || !found.left) return '';
  return tailOf(await deadRows(tmux, paneId).catch(() => []), policy.tailLines);
}

/** From the mark on; where rows have moved, as far back as is searched for the place. */
async function pictureOf(
  deps: LookDeps,
  { target, attempts }: Look,
  found: Found,
  hearing: Hearing | null,
  attempt: Attempt | null,
): Promise<View> {
  const mark = hearing?.place?.mark ?? attempt?.mark ?? null;
  const since = Math.min(mark?.line ?? Infinity, hearing?.baseline?.top ?? Infinity);
  const questions = attempts.map(({ question }) => question);
  const view = await viewOf(deps, target, found, (historySize) => Math.min(since, historySize), questions);
  if (mark === null || holds(view.shot, mark)) return view;
  return viewOf(deps, target, found, (historySize) => historySize - deps.policy.searchRows, questions);
}

interface Case {
  readonly found: Found;
  readonly attempt: Attempt | null;
  readonly hearing: Hearing | null;
  readonly view: View;
}

async function judge(deps: LookDeps, order: Look, { found, attempt, hearing, view }: Case): Promise<Sight> {
  const { screen } = view;
  const remarks = (await deps.remarks?.(order.target)) ?? [];
  const page = pageOf(view, order.attempts, remarks);
  const search = attempt === null || hearing === null ? null : searchAnswer(view, page, attempt, hearing);
  if (search?.answer) return search.answer;
  if (screen.state === 'blocked') return { kind: 'dialog', what: screen.what };
  const person = await personAt(deps, found, deps.clock.wall(), deps.policy);
  if (person !== null) return { kind: 'person', what: person };
  if (order.pardonOn === 'evidence' && attempt !== null && hearing !== null) {
    const own = new Set([...page.own, ...remarkRows(page.rows, remarks)]);
    const what = await signOfLife(deps, order.target, { attempt, hearing, view, own });
    if (what !== null) return { kind: 'evidence', what };
  }
  if (search?.isLost) return { kind: 'unknown', why: `the place of the question in pane ${found.paneId} is lost` };
  return { kind: 'silent' };
}

function pageOf(view: View, attempts: readonly Attempt[], remarks: readonly string[]): Omit<Page, 'isNews'> {
  const rows = view.shot.lines.map(({ text }) => text);
  const questions = attempts.map(({ question }) => question);
  const said = remarks.map((text) => text.split('\n'));
  const own = ownRows(rows, [...questions, ...said]);
  return { rows, own, input: inputRows(view) };
}

/** `isLost`: nothing was found, and that proves nothing; from now on it can be told again. */
function searchAnswer(
  { shot, pack }: View,
  page: Omit<Page, 'isNews'>,
  attempt: Attempt,
  hearing: Hearing,
): { readonly answer: Answer | null; readonly isLost: boolean } {
  if (attempt.mark === null) return { answer: null, isLost: false };
  const printed = printedIn({ lines: attempt.question, code: attempt.code });
  const { mark } = attempt;
  const news = newsOf(shot, { mark, place: hearing.place, printed, repaints: pack.complete });
  const answer = answerOn({ ...page, isNews: news?.isNews ?? (() => false) }, attempt.code);
  if (answer !== null || news?.isWhole) return { answer, isLost: false };
  hearing.place = placeOf(shot);
  // A full screen without a bare ALIVE shows that there is none, wherever the question began.
  const isDoubtful = page.rows.some((row, at) => isBare(row) && !page.own.has(at) && !page.input.has(at));
  return { answer: null, isLost: isDoubtful || !shot.alternate };
}

/** From `evidenceAfterMs` after our last key: the first look takes the baseline, the later ones compare. */
async function signOfLife(
  deps: LookDeps,
  target: Incarnation,
  { attempt, hearing, view, own }: { attempt: Attempt; hearing: Hearing; view: View; own: ReadonlySet<number> },
): Promise<string | null> {
  const at = deps.clock.now();
  hearing.keyAt ??= at;
  if (at - hearing.keyAt < deps.policy.evidenceAfterMs) return null;
  const signs: Signs = {
    at,
    shot: view.shot,
    screen: view.screen,
    own,
    // What cannot be measured is no sign; it is no silence either, and the screen still speaks for itself.
    cpu: await sampleOf(deps.processes, target, () => deps.clock.now()).catch(() => null),
    heartbeat: (await deps.heartbeat?.(target.uuid)) ?? null,
  };
  if (hearing.baseline === null) {
    hearing.baseline = baselineOf(signs);
    return null;
  }
  const { what, base } = evidenceOf(hearing.baseline, signs, attempt.mark?.cpuRate ?? null, deps.policy);
  hearing.baseline = base;
  return what;
}

/** Indices of the lines that are a composer: what stands there was not sent. */
function inputRows({ shot, screen: { composer } }: View): ReadonlySet<number> {
  const isInput = ({ row }: Line): boolean =>
    composer !== null && row >= shot.historySize + composer.from && row <= shot.historySize + composer.to;
  return new Set(shot.lines.flatMap((line, index) => (isInput(line) ? [index] : [])));
}
