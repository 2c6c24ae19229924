/** `town report` for a person: a page without a table to learn, most urgent first, nothing that did not happen. */
import { asking, questionLines, type Question } from './asking.ts';
import { couldNotText, didText } from '../../../machines/patrols/act-words.ts';
import type { Digest, Judged, Worked } from '../../journal/digest.ts';
import type { Loss, TownDown } from '../../journal/losses.ts';
import { localTime, stamp, when } from '../../journal/when.ts';
import { span, times } from '../../../machines/kernel/span.ts';
import type { Waits } from './waits.ts';

/** `report/1`. */
export interface Report extends Digest {
  /** ISO. */
  readonly since: string;
  readonly until: string;
  readonly running: boolean;
  readonly waiting: Omit<Waits, 'under_way'>;
  /** Of what waits, what asks a person something. */
  readonly questions: readonly Question[];
  readonly under_way: Waits['under_way'];
  /** By runs of triage's reasoner; nothing else of the town calls one. null = unknown. */
  readonly model_calls: number | null;
}

const INDENT = '  ';

/** A heading with its lines; nothing for none. */
const block = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [heading, ...lines.map((line) => `${INDENT}${line}`), ''];

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

/** Of one patrol and one kind of act a line, however many there were. */
function workTexts(worked: readonly Worked[]): readonly string[] {
  const groups = Map.groupBy(worked, ({ patrol, act, done }) => `${patrol} ${act} ${String(done)}`);
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const names = [...new Set(all.map(({ about }) => about))];
    const more = names.length > NAMED ? `, … (${names.length})` : '';
    const says = first.done ? didText : couldNotText;
    return [`${first.patrol}: ${says(first.act, `${names.slice(0, NAMED).join(', ')}${more}`)}`];
  });
}
const NAMED = 8;

const UNREAD = ['unknown: they cannot be read'];
const orNone = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? ['none'] : lines);

/** One line per fact; durations with units. */
export function reportText(data: Report, lengthMs: number): string {
  const { asked, pardoned, executed, stopped, own_wish, escalated, otherwise } = data;
  const { restarted, paged, nudges, town_downs, lost } = data;
  const { warrants, mail, alerts } = data.waiting;
  const { news } = asking({ alerts, mail });
  const state = data.running ? 'the town runs' : 'the town is down; start it with `town up`';
  const nudged = `${times(nudges.typed, 'nudge')} typed${nudges.not_typed === 0 ? '' : `, ${nudges.not_typed} not`}`;
  return [
    `the last ${span(lengthMs)}, since ${localTime(Date.parse(data.since))}: ${state}`,
    [
      `asked ${asked.questions === 0 ? 'no question' : `${times(asked.questions, 'question')} in ${times(asked.hearings, 'hearing')}`}`,
      `${pardoned.length} pardoned`,
      `${executed.length} executed`,
      `${escalated.length} escalated`,
      ...(stopped.length === 0 ? [] : [`${stopped.length} stopped`]),
      ...(own_wish.length === 0 ? [] : [`${own_wish.length} ended by own wish`]),
      times(restarted.length, 'restart'),
      nudged,
      times(paged.length, 'alert'),
      data.model_calls === 1 ? '1 model call' : `${data.model_calls ?? 'an unknown number of'} model calls`,
    ].join(', '),
    '',
    ...block('questions for you, with what to type', orNone(questionLines(data.questions))),
    ...block('unread news', news),
    ...block(
      'warrants that wait for a hearing',
      warrants?.map((w) => `warrant ${w.id} against ${w.target}: ${w.reason}`) ?? UNREAD,
    ),
    ...block('hearings under way', data.under_way?.map(({ id, session }) => `${session} [${id}]`) ?? UNREAD),
    ...block('executed', executed.map(judgedText)),
    ...block('stopped by the operator', stopped.map(judgedText)),
    ...block('ended by own wish', own_wish.map(judgedText)),
    ...block('escalated', escalated.map(judgedText)),
    ...block('pardoned', pardoned.map(judgedText)),
    ...block(
      'hearings that ended otherwise',
      otherwise.map((one) => judgedText({ ...one, reason: `${one.verdict}: ${one.reason}` })),
    ),
    ...block(
      'crash loops',
      data.crash_loops.map(({ at, session }) => `${stamp(at)}  ${session}`),
    ),
    ...block(
      'restarted',
      restarted.map(({ at, session, why, lost_ms }) => `${stamp(at)}  ${session}: ${why}; back after ${span(lost_ms)}`),
    ),
    ...block('work, by the patrols', workTexts(data.worked)),
    ...block('the town was down', town_downs.map(downText)),
    ...block(
      'alerts',
      paged.map(
        (p) =>
          `${stamp(p.at)}  ${p.question ? '?' : '-'} ${p.severity}: ${p.text}${p.ended_at === null ? '' : ` (over ${when(p.ended_at)})`}`,
      ),
    ),
    ...block('time lost (causes overlap)', lost.map(lossText)),
  ]
    .join('\n')
    .trimEnd();
}
