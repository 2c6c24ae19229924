/**
 * The report of a demo, drawn from the town's journal: what became of each player, against the table of what has to, and
 * whether anything was lost. Pure.
 */
import type { Proc } from '../../machines/protocol.ts';
import { sessionOf } from '../../machines/rigs/names.ts';
import { linesOf, type Line, type LineOf } from '../journal/lines.ts';
import { quoteOf } from '../journal/hearings.ts';
import { times } from '../../machines/kernel/span.ts';
import type { Player } from './cast.ts';
import { HALF_DONE, hasDone, RIG, WORKS, type RigEnd } from './rig.ts';

/** What the demo itself did and saw of the town's fall. */
export interface Fall {
  /** Wall clock at the kill -9. */
  readonly at: number;
  readonly pid: number;
  readonly guardPid: number | null;
  /** Afterwards; null = none came back. */
  readonly newPid: number | null;
  readonly newGuardPid: number | null;
  /** The open question of each hearing, by dance id: before the fall … */
  readonly before: Readonly<Record<string, string>>;
  /** … and after it. */
  readonly after: Readonly<Record<string, string>>;
}

export interface Played {
  readonly cast: readonly Player[];
  readonly lines: readonly Line[];
  /** Ids of the warrants that were acknowledged. */
  readonly warrants: readonly string[];
  /** null = it never came to the kill. */
  readonly fall: Fall | null;
  /** Processes of a kill intent that live still. */
  readonly survivors: readonly Proc[];
  /** Players that had uncommitted work. */
  readonly withWork: readonly string[];
  /** null = there is no git. */
  readonly rig: RigEnd | null;
}

export interface Outcome {
  readonly session: string;
  /** `pardoned`, `executed` … as the journal has it; `restarted`; `nothing`. */
  readonly kind: string;
  readonly after: string;
  readonly why: string;
  readonly expected: string;
  readonly isRight: boolean;
}

export interface Check {
  readonly what: string;
  readonly isRight: boolean;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly checks: readonly Check[];
  /** From the kill -9 to the first decision of the new town; null = none. */
  readonly recoveryMs: number | null;
  readonly isRight: boolean;
}

const of = <Kind extends Line['kind']>(lines: readonly Line[], kind: Kind, session: string): LineOf<Kind>[] =>
  linesOf(lines, kind).filter((line) => line.session === session);

export function reportOf(played: Played): Report {
  const outcomes = played.cast.map((player) => outcomeOf(player, played.lines));
  const recoveryMs = recoveryOf(played);
  const checks = checksOf(played, outcomes, recoveryMs);
  const isRight = outcomes.every((one) => one.isRight) && checks.every((one) => one.isRight);
  return { outcomes, checks, recoveryMs, isRight };
}

function outcomeOf(player: Player, lines: readonly Line[]): Outcome {
  const { name: session, expected } = player;
  const told = expected.kind === 'restarted' ? restartOf(session, lines) : verdictOf(session, lines);
  const isRight = told.kind === expected.kind && expected.why.test(told.why);
  return { session, ...told, expected: `${expected.kind}, because ${expected.why.source}`, isRight };
}

type Told = Pick<Outcome, 'kind' | 'after' | 'why'>;

/** More than one hearing of the same life, or a restart of a player that has a warrant, is never right. */
function verdictOf(session: string, lines: readonly Line[]): Told {
  const closed = of(lines, 'dance.closed', session);
  const [line] = closed;
  if (line === undefined) return { kind: 'nothing', after: '', why: 'its hearing has not ended' };
  const dances = new Set(closed.map(({ dance }) => dance));
  const verdicts = new Set(closed.map((one) => one.verdict));
  if (dances.size > 1 || verdicts.size > 1) return { kind: 'several', after: '', why: [...verdicts].join(', ') };
  // An answer may be there before the hands have told that the question is.
  const typed = line.attempts.filter(({ asked, seen }) => asked !== null || seen.startsWith('answered')).length;
  const [reason, verdict] = [line.reason ?? '', line.verdict ?? ''];
  const quote = evidenceOf(session, lines);
  const why = verdict === 'pardoned' && !reason.includes(quote) ? `${reason}: ${quote}` : reason;
  return { kind: verdict, after: times(typed, 'question'), why };
}

/** What the last look saw, in the pane's own words. */
const evidenceOf = (session: string, lines: readonly Line[]): string =>
  quoteOf(of(lines, 'look', session).at(-1)?.sight);

/** Where the scan that sees a death comes late, its wait is over by then and the next start is told at once. */
export const isDeath = (line: Line): line is LineOf<'session.backing_off' | 'session.starting'> =>
  line.kind === 'session.backing_off' || (line.kind === 'session.starting' && line.note?.startsWith('ended ') === true);

function restartOf(session: string, lines: readonly Line[]): Told {
  const died = lines.filter(isDeath).find((line) => line.session === session);
  const lives = of(lines, 'session.running', session);
  const back = died && lives.find(({ at }) => at > died.at);
  if (back === undefined) return { kind: 'nothing', after: '', why: 'it was not started again' };
  const isNewLife = back.uuid !== lives[0]?.uuid;
  const seconds = ((Date.parse(back.at) - Date.parse(died?.at ?? '')) / 1_000).toFixed(1);
  const why = (died?.note ?? '').replace(/; starts again$/, '');
  return {
    kind: isNewLife ? 'restarted' : 'nothing',
    after: times(back.restarts, 'restart'),
    why: `${why}; lives again after ${seconds} s`,
  };
}

/** Only a new town writes lines that are later than the kill. */
function recoveryOf({ fall, lines }: Played): number | null {
  if (fall === null) return null;
  const first = lines.map(({ at }) => Date.parse(at)).find((at) => at > fall.at);
  return first === undefined ? null : first - fall.at;
}

function checksOf(played: Played, outcomes: readonly Outcome[], recoveryMs: number | null): Check[] {
  return [...fallChecks(played, recoveryMs), ...lossChecks(played, outcomes), ...rigChecks(played)];
}

function fallChecks({ fall }: Played, recoveryMs: number | null): Check[] {
  if (fall === null)
    return [{ what: 'the town was not killed: its two longest hearings never came so far', isRight: false }];
  const open = Object.entries(fall.before);
  const kept = open.filter(([dance, question]) => fall.after[dance] === question);
  const isBack = fall.newPid !== null && fall.newPid !== fall.pid && recoveryMs !== null;
  const back = `back after ${((recoveryMs ?? 0) / 1_000).toFixed(1)} s as pid ${fall.newPid ?? '?'}`;
  const isSameGuard = fall.guardPid !== null && fall.guardPid === fall.newGuardPid;
  return [
    {
      what: `kill -9 of the town (pid ${fall.pid}) within ${times(open.length, 'hearing')}: ${isBack ? back : 'it never came back'}`,
      isRight: isBack && open.length > 0,
    },
    {
      what: `the guard (pid ${fall.guardPid ?? '?'}) ${isSameGuard ? 'was never away' : 'is another now'}`,
      isRight: isSameGuard,
    },
    {
      what: `${kept.length} of ${times(open.length, 'hearing')} went on with the same question`,
      isRight: kept.length === open.length,
    },
  ];
}

/** Whether the journal has the end of each player, so that a report is complete. */
export function isAllTold(cast: readonly Player[], warrants: readonly string[], lines: readonly Line[]): boolean {
  const hasEnd = (player: Player): boolean => outcomeOf(player, lines).kind !== 'nothing';
  return heardOf(warrants, lines).length === warrants.length && cast.every(hasEnd);
}

/** Those of these warrants that have a verdict. */
function heardOf(warrants: readonly string[], lines: readonly Line[]): string[] {
  const closed = new Set(linesOf(lines, 'dance.closed').flatMap((line) => line.warrants));
  return warrants.filter((id) => closed.has(id));
}

function lossChecks({ lines, warrants, survivors, withWork }: Played, outcomes: readonly Outcome[]): Check[] {
  const heard = heardOf(warrants, lines);
  const executed = outcomes.filter(({ kind }) => kind === 'executed').map(({ session }) => session);
  const atStake = withWork.filter((name) => executed.includes(name));
  const saved = atStake.filter((name) => of(lines, 'rescued', name).some(({ ref }) => Boolean(ref)));
  return [
    {
      what: `${heard.length} of ${times(warrants.length, 'warrant')} have their verdict`,
      isRight: heard.length === warrants.length,
    },
    {
      what: `${times(survivors.length, 'process', 'processes')} of executed agents left`,
      isRight: survivors.length === 0,
    },
    ...(atStake.length === 0
      ? []
      : [
          {
            what: `uncommitted work of ${saved.join(' and ') || 'no agent'} is kept in git`,
            isRight: saved.length === atStake.length,
          },
        ]),
  ];
}

function rigChecks({ rig, lines }: Played): Check[] {
  if (rig === null) return [];
  const closed = rig.beads.filter((bead) => hasDone(lines, 'close', bead));
  const first = rig.beads.find((bead) => bead.startsWith(HALF_DONE)) ?? '';
  const isReopened = hasDone(lines, 'reopen', first);
  // The town may be killed between its worktree and its session.
  const session = sessionOf({ rig: RIG, name: HALF_DONE });
  const hasRun = linesOf(lines, 'session.running').some((line) => line.session === session);
  const kept = !hasRun ? 'it had not begun' : rig.isHalfKept ? 'what it had done is kept' : 'what it had done is lost';
  return [
    {
      what: `${closed.length} of ${times(rig.beads.length, 'bead')} closed, ${rig.merged.length} merged into the main branch`,
      isRight: closed.length === rig.beads.length && rig.merged.length === WORKS.length,
    },
    {
      what: `the polecat that died half way: its bead ${isReopened ? 'went to the next one' : 'was not given out again'}, ${kept}`,
      isRight: isReopened && (rig.isHalfKept || !hasRun),
    },
  ];
}

/** Every process that a kill intent names. */
export const condemnedProcs = (lines: readonly Line[]): Proc[] =>
  linesOf(lines, 'intent').flatMap(({ processes }) => processes);
