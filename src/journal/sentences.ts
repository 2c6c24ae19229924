/**
 * Journal lines as plain sentences, for `town why`, `town timeline`, `town report` and the demo.
 * Each line says what it holds and nothing more; a kind that is not known is shown as it stands.
 */
import type { Request } from '../../machines/protocol.ts';
import { savedText } from '../../machines/hearings/saved-work.ts';
import type { BootAction } from '../../machines/protocol/watchdog.ts';
import type { WrittenLine } from '../../state/journal.ts';
import { clean } from '../terminal/print.ts';
import { span, times } from './span.ts';
import { viaText } from './via.ts';

type Tell = (line: WrittenLine) => string;

const word = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  return clean(typeof value === 'string' ? value : JSON.stringify(value));
};
const many = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const processes = (count: number): string => times(count, 'process', 'processes');

/** A field of what a line holds; undefined = it holds none. */
export function part(value: unknown, name: string): unknown {
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
  const more = what === undefined || what === '' ? '' : `: ${word(what)}`;
  const by = part(sight, 'by');
  switch (part(sight, 'kind')) {
    case 'answered':
      return `it answered by ${word(by)}${more}`;
    case 'evidence':
      return `it showed signs of life${more}`;
    case 'reacted':
      return `it reacted, which proves no work${more}`;
    case 'limited':
      return `a usage limit was on its screen${more}`;
    case 'error':
      return `it answered with an error of its own${more}`;
    case 'dialog':
      return `a question to a person was on its screen${more}`;
    case 'person':
      return `a person was at its keys${more}`;
    case 'gone':
      return 'its agent was gone';
    case 'replaced':
      return 'another life had taken its name';
    case 'paneless':
      return `it had outlived its pane${more}`;
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

const obstacleText = (obstacle: unknown): string =>
  word(part(obstacle, 'what') ?? part(obstacle, 'why') ?? part(obstacle, 'kind'));

const TMUX: Readonly<Record<string, string>> = {
  up: 'the tmux server was there',
  gone: 'the tmux server was gone',
  none: 'no tmux server ran yet',
  unknown: 'the tmux server could not be asked',
};

/** What a rescue saved, as a line holds it; null = it holds none. */
export function savedIn(rescue: unknown): string | null {
  const [folder, ref] = [part(rescue, 'folder'), part(rescue, 'ref')];
  if (typeof folder !== 'string') return null;
  const [repos, files] = [part(rescue, 'repos'), part(rescue, 'files')];
  return savedText({
    ...{ folder: clean(folder), ref: typeof ref === 'string' ? clean(ref) : null },
    ...(typeof repos === 'number' && { repos }),
    ...(typeof files === 'number' && { files }),
  });
}

function closed(line: WrittenLine): string {
  const rescue = savedIn(line['rescue']);
  const saved = rescue === null ? '' : `; ${rescue}`;
  const left = many(line['survivors']) === 0 ? '' : `; ${processes(many(line['survivors']))} survived`;
  const isExecuted = line['verdict'] === 'executed';
  // The reason says who stopped it.
  if (isExecuted && line['stopped'] === true) return `it was ${word(line['reason'])}${saved}${left}`;
  const isForced = isExecuted && line['forced'] === true;
  const how = isForced ? 'it was executed by force' : `the hearing ended: ${word(line['verdict']).replace('_', ' ')}`;
  return `${how}${because(line)}${saved}${left}`;
}

/** A health check asks too, and is no hearing. */
const questionOf = (line: WrittenLine): string => (line['check'] === undefined ? 'the question' : 'a health check');

function checked(line: WrittenLine): string {
  const result = word(line['result']);
  if (line['silent'] === true) return `the health check stayed unanswered: ${word(line['failures'])} in a row`;
  return result.startsWith('answered') ? `the health check was ${result}` : `the health check says nothing: ${result}`;
}

const wereListed = (count: number): string => `${processes(count)} ${count === 1 ? 'was' : 'were'} listed`;

/** Lines of an older town do not say who. */
function askerOf(line: WrittenLine): string {
  if (line['via'] === 'operator') return 'the operator';
  return line['by'] === undefined ? 'a caller' : word(line['by']);
}

const REQUESTS: Readonly<Record<Request['verb'], (request: unknown) => string>> = {
  startSession: () => 'asked for its start',
  adoptSession: () => 'asked for it to be adopted',
  stopSession: (r) => (part(r, 'then') === 'restart' ? 'asked for its restart' : 'told it to stop'),
  removeSession: () => 'asked for it to be forgotten',
  cancelWarrant: (r) => `withdrew warrant ${word(part(r, 'id'))}`,
  nudge: (r) => `had something to say to it: ${word(part(r, 'text'))}`,
  bootTriage: () => 'asked for a look at the Deacon',
  healthCheck: () => 'asked whether it is well',
};

function requestText(request: unknown): string {
  const verb = part(request, 'verb');
  const tell = (REQUESTS as Readonly<Record<string, (request: unknown) => string>>)[String(verb)];
  return tell === undefined ? `asked for ${word(verb)}` : tell(request);
}

const BOOT_ACTS: Readonly<Record<BootAction, string>> = {
  ...{ NOTHING: 'nothing to do', START: 'start it', RESTART: 'start it again' },
  ...{ NUDGE: 'remind it', WAKE: 'wake it', WARRANT: 'accuse it' },
};
/** What Boot decided, in words. */
export const bootActText = (action: unknown): string =>
  (BOOT_ACTS as Readonly<Record<string, string>>)[String(action)] ?? word(action);

const patrolOf = (l: WrittenLine): string =>
  l['patrol'] === 'deacon' ? "the Deacon's patrol" : `the patrol of ${word(l['patrol'])}`;

const SENTENCES: Readonly<Record<string, Tell>> = {
  'warrant.filed': (l) =>
    `${word(l['requester'])}${viaText(l['via'], l['requester'])} filed warrant ${word(l['warrant'])}${l['force'] === true ? ', without a hearing' : ''}${because(l)}`,
  'question.typed': (l) => `${questionOf(l)} was typed into its pane`,
  'question.not_typed': (l) => `${questionOf(l)} could not be typed: ${obstacleText(l['obstacle'])}`,
  'health.ended': checked,
  'answer.given': (l) => `the code ${word(l['code'])} was answered with \`town alive\``,
  look: (l) => sightText(l['sight']),
  intent: (l) =>
    `its end was decided: ${wereListed(many(l['processes']))}${many(l['elsewhere']) === 0 ? '' : `, and ${processes(many(l['elsewhere']))} left alone where its work may go on`}`,
  rescued: (l) => savedIn(l) ?? 'its work was looked at',
  signalled: (l) =>
    `${Number(l['alive']) === 0 ? 'none' : word(l['alive'])} of its processes ${Number(l['alive']) === 1 ? 'was' : 'were'} still there afterwards${Number(l['newcomers']) === 0 ? '' : `, and ${times(Number(l['newcomers']), 'new one')}`}`,
  'signal.ordered': (l) => `${word(l['signal'])} was ordered for ${processes(many(l['pids']))}`,
  'survivors.signalled': (l) =>
    `${word(l['signal'])} was ordered for ${processes(many(l['pids']))} that an earlier life of it had left: ${word(l['pids'])}`,
  'clear.ordered': (l) => `its pane ${word(l['pane'])} was to be cleared`,
  'start.ordered': (l) =>
    `its start was ordered${Array.isArray(l['command']) ? `, with the command \`${clean(l['command'].join(' '))}\`` : ''}`,
  'death.noticed': (l) => exitText(l['exit']),
  requested: (l) => `${askerOf(l)} ${requestText(l['request'])}`,
  'order.failed': (l) => `what the town wanted to do failed: ${word(l['why'])}`,
  alert: (l) => `alert (${word(l['severity'])}): ${word(l['text'])}`,
  'alert.ended': (l) => `the alert ended: ${word(l['text'])}`,
  'dance.idle': () => 'a hearing was opened',
  'dance.interrogating.asking': (l) => `question ${word(l['attempt'])} was to be asked`,
  'dance.interrogating.retrying': (l) => `question ${word(l['attempt'])} waited to be tried again`,
  'dance.interrogating.listening': (l) => `the window of question ${word(l['attempt'])} ran`,
  'dance.interrogating.confirming': () => 'its agent or its pane seemed gone; a second look was to confirm it',
  'dance.interrogating.suspended': () => 'the hearing was suspended: a person was at the keys',
  'dance.evaluating': (l) => `the window of question ${word(l['attempt'])} was over`,
  'dance.executing.listing': () => 'its end was considered: its processes were to be listed',
  'dance.executing.rescuing': () => 'its work was to be saved',
  'dance.executing.terminating': () => 'its processes were asked to end (TERM)',
  'dance.executing.killing': () => 'those that were left were to be ended (KILL)',
  'dance.executing.clearing': () => 'its pane was to be cleared',
  'dance.complete': (l) => `the verdict stood: ${word(l['verdict']).replace('_', ' ')}`,
  'dance.executing.looking': (l) =>
    `a last look was taken${l['forced'] === true ? '' : ': an answer would still have pardoned'}`,
  'dance.pardoned': (l) => `it was pardoned${because(l)}`,
  'dance.failed': (l) => `the hearing failed${because(l)}`,
  'dance.closed': closed,
  'session.starting': (l) => `it was being started${because(l)}`,
  'session.running': (l) => `it ran${because(l)}`,
  'session.backing_off': (l) =>
    `it waited ${span(Number(l['waitMs']))} for its next start${because(l)}${withExit(l)}${l['crashLoop'] === true ? '; it is in a crash loop' : ''}`,
  'session.ended': (l) => `it ended${because(l)}${withExit(l)}`,
  'session.wanted': (l) => `it was wanted${l['why'] === undefined ? '' : `: ${word(l['why'])}`}`,
  'end.wanted': (l) =>
    `it asked for its own end${l['then'] === 'restart' ? ' and a new start' : ''}: ${word(l['why'])}`,
  'session.removed': () => 'it was removed: the town forgot it',
  'session.observed': (l) => `it was adopted and watched${because(l)}`,
  'mail.sent': (l) => `the town wrote to ${word(l['to'])}: ${word(l['subject'])}`,
  'mail.put_away': (l) => `the lifecycle request ${word(l['mail'])} was put away: ${word(l['why'])}`,
  'nudge.ordered': (l) => `${word(l['from'])} wanted to say: ${word(l['text'])}`,
  'nudge.typed': () => 'the remark was typed into its pane',
  'nudge.not_typed': (l) => `the remark was not typed: ${obstacleText(l['obstacle'])}`,
  tmux: (l) => TMUX[String(l['server'])] ?? `the tmux server: ${word(l['server'])}`,
  boot: (l) => `Boot judged the Deacon: ${bootActText(l['action'])}, ${word(l['result'])}${because(l)}`,
  'connection.lost': (l) => `the connection to ${word(l['what'])} was lost: ${word(l['why'])}`,
  'dances.compacted': (l) => `${times(Number(l['dances']), 'old hearing')} became this line of the journal`,
  'patrol.did': (l) => `${patrolOf(l)}: ${word(l['act'])} ${word(l['about'])}, ${word(l['text'])}`,
  'patrol.did_not': (l) => `${patrolOf(l)} could not ${word(l['act'])} ${word(l['about'])}: ${word(l['text'])}`,
  'patrol.failed': (l) => `${patrolOf(l)} came to nothing: ${word(l['why'])}`,
  'town.started': (l) => `the town started (pid ${word(l['pid'])}, epoch ${word(l['epoch'])})`,
  'town.stopped': () => 'the town stopped, as it was told to',
};

/** One journal line as a sentence, without its time. */
export function sentence(line: WrittenLine): string {
  const tell = SENTENCES[line.kind];
  if (tell !== undefined) return tell(line);
  if (line.kind.startsWith('dance.')) return `the hearing went on: ${line.kind.slice('dance.'.length)}`;
  const { at: _, kind, session: __, ...rest } = line;
  return `${kind} ${word(rest)}`;
}
