/** `town why <session>`: its story from the journal, oldest first, each line a plain sentence with its evidence. */
import { readJournal, type WrittenLine } from '../../../state/journal.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import { checkName } from '../names.ts';
import { clean } from '../output.ts';
import { readDances, readSession } from '../../overview/records.ts';

type Tell = (line: WrittenLine) => string;

const word = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  return clean(typeof value === 'string' ? value : JSON.stringify(value));
};
const many = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function part(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function exitText(exit: unknown): string {
  switch (part(exit, 'kind')) {
    case 'code':
      return `its process ended with code ${word(part(exit, 'code'))}`;
    case 'signal':
      return `its process was ended by ${word(part(exit, 'signal'))}`;
    default:
      return 'its process ended, nobody knows how';
  }
}

function sightText(sight: unknown): string {
  const what = part(sight, 'what') ?? part(sight, 'why') ?? part(sight, 'quote');
  const more = what === undefined ? '' : `: ${word(what)}`;
  const by = part(sight, 'by');
  switch (part(sight, 'kind')) {
    case 'answered':
      return `it answered by ${word(by)}${more}`;
    case 'evidence':
      return `it showed signs of life${more}`;
    case 'dialog':
      return `a question to a person was on its screen${more}`;
    case 'person':
      return `a person was at its keys${more}`;
    case 'gone':
      return 'its agent was gone';
    case 'replaced':
      return 'another life had taken its name';
    default:
      return `it could not be seen${more}`;
  }
}

const because = (line: WrittenLine): string => {
  const text = line['reason'] ?? line['note'];
  // A note that only repeats the state says nothing.
  const repeats = line.kind === `session.${String(text)}`;
  return typeof text === 'string' && text !== '' && !repeats ? `: ${clean(text)}` : '';
};
const withExit = (line: WrittenLine): string => (line['exit'] === undefined ? '' : `; ${exitText(line['exit'])}`);

function closed(line: WrittenLine): string {
  const rescue = part(line['rescue'], 'folder');
  const saved = rescue === undefined ? '' : `; its work was saved in ${word(rescue)}`;
  const left = many(line['survivors']) === 0 ? '' : `; ${many(line['survivors'])} processes survived`;
  return `the hearing ended: ${word(line['verdict'])}${because(line)}${saved}${left}`;
}

const SENTENCES: Readonly<Record<string, Tell>> = {
  'warrant.filed': (l) =>
    `${word(l['requester'])} filed warrant ${word(l['warrant'])}${l['force'] === true ? ', without a hearing' : ''}${because(l)}`,
  'question.typed': () => 'the question was typed into its pane',
  'question.not_typed': (l) =>
    `the question could not be typed: ${word(part(l['obstacle'], 'what') ?? part(l['obstacle'], 'why') ?? part(l['obstacle'], 'kind'))}`,
  'answer.given': (l) => `the code ${word(l['code'])} was answered`,
  look: (l) => sightText(l['sight']),
  intent: (l) => `its end was decided: ${many(l['processes'])} processes were listed`,
  rescued: (l) =>
    `its work was saved in ${word(l['folder'])}${typeof l['ref'] === 'string' ? `, ${clean(l['ref'])}` : ''}`,
  signalled: (l) =>
    `${word(l['alive'])} of its processes were still there afterwards, ${word(l['newcomers'])} new ones`,
  'signal.ordered': (l) => `${word(l['signal'])} was ordered for ${many(l['pids'])} processes`,
  'clear.ordered': (l) => `its pane ${word(l['pane'])} was to be cleared`,
  'start.ordered': (l) => `it was to be started: ${Array.isArray(l['command']) ? clean(l['command'].join(' ')) : ''}`,
  'death.noticed': (l) => exitText(l['exit']),
  requested: (l) => `a caller asked: ${word(part(l['request'], 'verb'))}`,
  'order.failed': (l) => `an order failed: ${word(l['why'])}`,
  alert: (l) => `alert (${word(l['severity'])}): ${word(l['text'])}`,
  'alert.ended': (l) => `the alert ended: ${word(l['text'])}`,
  'dance.idle': () => 'a hearing was opened',
  'dance.interrogating.asking': (l) => `question ${word(l['attempt'])} was to be asked`,
  'dance.interrogating.retrying': (l) => `question ${word(l['attempt'])} waited to be tried again`,
  'dance.interrogating.listening': (l) => `the window of question ${word(l['attempt'])} ran`,
  'dance.interrogating.confirming': () => 'its agent seemed gone; a second look was to confirm it',
  'dance.interrogating.suspended': () => 'the hearing was suspended: a person was at the keys',
  'dance.evaluating': (l) => `the window of question ${word(l['attempt'])} was over`,
  'dance.executing.listing': () => 'its end was considered: its processes were to be listed',
  'dance.executing.rescuing': () => 'its work was to be saved',
  'dance.executing.terminating': () => 'its processes were asked to end (TERM)',
  'dance.executing.killing': () => 'those that were left were to be ended (KILL)',
  'dance.executing.clearing': () => 'its pane was to be cleared',
  'dance.complete': (l) => `the verdict stood: ${word(l['verdict'])}`,
  'dance.executing.looking': () => 'a last look was taken: an answer would still have pardoned',
  'dance.pardoned': (l) => `it was pardoned${because(l)}`,
  'dance.failed': (l) => `the hearing failed${because(l)}`,
  'dance.closed': closed,
  'session.starting': (l) => `it was being started${because(l)}`,
  'session.running': (l) => `it ran${because(l)}`,
  'session.backing_off': (l) =>
    `it waited ${Math.round(Number(l['waitMs']) / 1_000)} s for its next start${because(l)}${withExit(l)}${l['crashLoop'] === true ? '; it is in a crash loop' : ''}`,
  'session.ended': (l) => `it ended${because(l)}${withExit(l)}`,
  'session.observed': (l) => `it was adopted and watched${because(l)}`,
};

/** One journal line as a sentence, without its time. */
export function sentence(line: WrittenLine): string {
  const tell = SENTENCES[line.kind];
  if (tell !== undefined) return tell(line);
  if (line.kind.startsWith('dance.')) return `the hearing went on: ${line.kind.slice('dance.'.length)}`;
  const { at: _, kind, session: __, ...rest } = line;
  return `${kind} ${word(rest)}`;
}

const DAY_MS = 86_400_000;

export async function why(context: Context, session: string, options: { readonly days?: number }): Promise<void> {
  context.existing();
  checkName(session);
  const disk = await context.disk();
  const { state } = await context.settings();
  const since = Date.now() - (options.days ?? state.journalDays) * DAY_MS;
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(disk, { session, since })) lines.push(line);
  const record = await readSession(disk, session);
  if (lines.length === 0 && record === null) {
    throw new Failure(
      EXIT.usage,
      'unknown_session',
      `nothing is known of a session ${session}; see \`town session list\``,
    );
  }
  const { open } = await readDances(disk);
  const hearing = open.find(({ value }) => value.target.session === session)?.value;
  const events = lines.map((line) => ({ at: line.at, kind: line.kind, text: sentence(line), line }));
  const now = [
    ...(record === null
      ? []
      : [`now: ${record.state}${['', record.state].includes(record.note) ? '' : `: ${clean(record.note)}`}`]),
    ...(hearing === undefined
      ? []
      : [`now: heard in ${hearing.id}, question ${hearing.attempt} (town dog show ${hearing.id})`]),
  ];
  context.answer('why', { session, state: record?.state ?? null, dance: hearing?.id ?? null, events }, () =>
    [...events.map(({ at, text }) => `${at}  ${text}`), ...now].join('\n'),
  );
}
