/** `town report` for a person: work first, then what asks them, convoys and sessions. Nothing that did not happen. */
import { asking, type Question } from './asking.ts';
import { couldNotText, didText } from '../../../machines/patrols/act-words.ts';
import type { Sums } from '../../costs/tally.ts';
import type { Digest, Judged, Worked } from '../../journal/digest.ts';
import type { Loss, TownDown } from '../../journal/losses.ts';
import { localTime, stamp, when } from '../../journal/when.ts';
import { span, times } from '../../../machines/kernel/span.ts';
import { sessionOf } from '../../../machines/rigs/names.ts';
import type { Convoy } from './gather-work.ts';
import { sumsText } from '../session-table.ts';
import { modelCallsText } from './model-calls.ts';
import type { Entry, ReportPage, Section } from './report-page.ts';
import type { Start } from './last-look.ts';
import type { Waits } from './waits.ts';
import type { WorkItem } from './work.ts';
import { convoySection, workSections, workSentence, type Counts } from './work-text.ts';

/** `report/1`. */
export interface Report extends Digest {
  /** ISO. */
  readonly since: string;
  readonly until: string;
  /** Why it begins there: `--since`, the person's last look, the same look typed again, or `[report] since`. */
  readonly since_is: Start['is'];
  readonly running: boolean;
  /** null = there is no ledger, or it cannot be read. */
  readonly work: { readonly counts: Counts; readonly items: readonly WorkItem[] } | null;
  readonly convoys: readonly Convoy[];
  readonly waiting: Omit<Waits, 'under_way'>;
  /** Of what waits, what asks a person something. */
  readonly questions: readonly Question[];
  readonly under_way: Waits['under_way'];
  /** By runs of triage's reasoner; nothing else of the town calls one. null = unknown. */
  readonly model_calls: number | null;
  /** What the conversations of agents took, as far as their programs tell the running town; null = it does not run. */
  readonly tokens: { readonly sum: Sums; readonly known: number; readonly unknown: number } | null;
  /** That channels delivered to a person. */
  readonly messages: number;
  /** Notices that these told: more where several were told as one. */
  readonly messages_told: number;
}

const section = (heading: string, titles: readonly string[]): Section => ({
  heading,
  entries: titles.map((title): Entry => ({ title })),
});

function judgedText({ at, session, reason, evidence, saved: what, forced, stopped, own_wish, dance }: Judged): string {
  const seen = evidence === null || reason.includes(evidence) ? '' : ` ("${evidence}")`;
  const saved = what === null ? '' : `; ${what}`;
  return `${stamp(at)}  ${session}: ${forced && !stopped && !own_wish ? 'by force: ' : ''}${reason}${seen}${saved} [${dance}]`;
}

function downText({ from, to, ms, asked, at_most, goes_on }: TownDown): string {
  const long = `${at_most ? 'at most ' : ''}${span(ms)}`;
  const how = asked ? 'told to stop' : 'ended without a word; its last line is the beginning';
  return `${stamp(from)}  ${long}, ${goes_on ? 'still down' : `until ${when(to)}`} (${how})`;
}

function lossText({ cause, ms, times: count, at_most, goes_on }: Loss): string {
  return `${cause}: ${at_most ? 'at most ' : ''}${span(ms)} (${times(count, 'time')}${goes_on ? ', goes on' : ''})`;
}

/** What the list of work says better. */
const TOLD_AS_WORK: ReadonlySet<string> = new Set(['spawn', 'nuke', 'reopen', 'fail', 'close']);

/** Of one patrol and one kind of act a line, however many there were, with the last cause of those that failed. */
function patrolTexts(worked: readonly Worked[]): readonly string[] {
  const others = worked.filter(({ act, done }) => !done || !TOLD_AS_WORK.has(act));
  const groups = Map.groupBy(others, ({ patrol, act, done }) => `${patrol} ${act} ${String(done)}`);
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const names = [...new Set(all.map(({ about }) => about))];
    const more = names.length > NAMED ? `, … (${names.length})` : '';
    const says = first.done ? didText : couldNotText;
    const why = first.done ? '' : `: ${all.at(-1)?.text ?? ''}`;
    return [`${first.patrol}: ${says(first.act, `${names.slice(0, NAMED).join(', ')}${more}`)}${why}`];
  });
}
const NAMED = 8;

const UNREAD = ['unknown: they cannot be read'];
const NONE: Entry = { title: 'none' };

const questionEntry = ({ text, type, seen }: Question): Entry => ({ title: `? ${text}${seen ? ' (seen)' : ''}`, type });

function titleOf({ since, since_is, running }: Report, lengthMs: number): string {
  const state = running ? 'the town runs' : 'the town is down; start it with `town up`';
  const isLast = since_is === 'last look';
  const stretch = isLast ? `since your last look ${span(lengthMs)} ago,` : `the last ${span(lengthMs)}, since`;
  return `${stretch} ${localTime(Date.parse(since))}: ${state}`;
}

/** A polecat that was taken away after its end: its work tells what it did. */
function isDone({ worked }: Pick<Report, 'worked'>): (one: Judged) => boolean {
  const gone = worked.flatMap(({ act, done, patrol: rig, about: name }) =>
    act === 'nuke' && done ? [sessionOf({ rig, name })] : [],
  );
  const sessions = new Set(gone);
  return ({ session }) => sessions.has(session);
}

function sessionsSentence(data: Report): string {
  const { asked, pardoned, executed, stopped, own_wish, escalated, restarted, paged, nudges } = data;
  const done = own_wish.filter(isDone(data));
  const nudged = `${times(nudges.typed, 'nudge')} typed${nudges.not_typed === 0 ? '' : `, ${nudges.not_typed} not`}`;
  return `sessions: ${[
    `asked ${asked.questions === 0 ? 'no question' : `${times(asked.questions, 'question')} in ${times(asked.hearings, 'hearing')}`}`,
    `${pardoned.length} pardoned`,
    `${executed.length} executed`,
    `${escalated.length} escalated`,
    ...(stopped.length === 0 ? [] : [`${stopped.length} stopped`]),
    ...(done.length === 0 ? [] : [`${done.length} done`]),
    ...(done.length === own_wish.length ? [] : [`${own_wish.length - done.length} ended by own wish`]),
    times(restarted.length, 'restart'),
    nudged,
    times(paged.length, 'alert'),
    ...messageLines(data),
    modelCallsText(data.model_calls),
  ].join(', ')}`;
}

function messageLines({ messages, messages_told: notices }: Pick<Report, 'messages' | 'messages_told'>): string[] {
  const together = notices > messages ? ` (of ${times(notices, 'notice')})` : '';
  return messages === 0 ? [] : [`${times(messages, 'message')} sent to you${together}`];
}

/** What nothing tells of is left out. */
function tokensLines({ tokens }: Pick<Report, 'tokens'>): string[] {
  if (tokens === null || tokens.known === 0) return [];
  const all = times(tokens.known + tokens.unknown, 'conversation');
  return [`tokens: ${sumsText(tokens.sum)}, by ${tokens.unknown === 0 ? '' : `${tokens.known} of `}${all}`];
}

/** One line per fact; durations with units. */
export function reportPage(data: Report, lengthMs: number): ReportPage {
  const { mail, alerts } = data.waiting;
  const { news } = asking({ alerts, mail });
  const questions = data.questions.map(questionEntry);
  return {
    title: titleOf(data, lengthMs),
    summary: [
      ...(data.work === null ? [] : [workSentence(data.work.counts)]),
      sessionsSentence(data),
      ...tokensLines(data),
    ],
    sections: [
      ...(data.work === null ? [] : workSections(data.work.items)),
      { heading: 'questions for you, with what to type', entries: questions.length === 0 ? [NONE] : questions },
      section('unread news', news),
      convoySection(data.convoys),
      ...sessionSections(data),
    ],
  };
}

function sessionSections(data: Report): Section[] {
  const { executed, stopped, own_wish, escalated, pardoned, otherwise, restarted, paged, town_downs, lost } = data;
  const { warrants } = data.waiting;
  const isTold = isDone(data);
  const own = own_wish.filter((one) => !isTold(one));
  return [
    section(
      'warrants that wait for a hearing',
      warrants?.map((w) => `warrant ${w.id} against ${w.target}: ${w.reason}`) ?? UNREAD,
    ),
    section('hearings under way', data.under_way?.map(({ id, session }) => `${session} [${id}]`) ?? UNREAD),
    section('executed', executed.map(judgedText)),
    section('stopped by the operator', stopped.map(judgedText)),
    section('ended by own wish', own.map(judgedText)),
    section('restarted for a new login', data.new_login.map(judgedText)),
    section(
      'told to go on after a usage limit',
      data.went_on.map(
        ({ at, session, over_at }) =>
          `${stamp(at)}  ${session}: ${over_at === null ? 'it shows its limit still' : `it went on ${when(over_at)}`}`,
      ),
    ),
    section('escalated', escalated.map(judgedText)),
    section('pardoned', pardoned.map(judgedText)),
    section(
      'hearings that ended otherwise',
      otherwise.map((one) => judgedText({ ...one, reason: `${one.verdict}: ${one.reason}` })),
    ),
    section(
      'crash loops',
      data.crash_loops.map(({ at, session }) => `${stamp(at)}  ${session}`),
    ),
    section(
      'restarted',
      restarted.map(({ at, session, why, lost_ms }) => `${stamp(at)}  ${session}: ${why}; back after ${span(lost_ms)}`),
    ),
    section('what else the patrols did', patrolTexts(data.worked)),
    section('the town was down', town_downs.map(downText)),
    section(
      'alerts',
      paged.map(
        (p) =>
          `${stamp(p.at)}  ${p.question ? '?' : '-'} ${p.severity}: ${p.text}${p.ended_at === null ? '' : ` (over ${when(p.ended_at)})`}`,
      ),
    ),
    section('time lost (causes overlap)', lost.map(lossText)),
  ];
}
