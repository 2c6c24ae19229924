/** `status/1`, and the same for a person: one sentence first, then what needs them, then everybody. */
import type { Overview } from '../overview/overview.ts';
import type { ActorView, StatusView } from '../socket/protocol.ts';
import { inStyle, type Style } from '../terminal/streams.ts';
import { hanging } from '../terminal/layout.ts';
import { clean, roomOf } from '../terminal/print.ts';
import { LAYOUT } from '../terminal/policy.ts';
import type { HeldBack } from './asking/held-back.ts';
import { rigLines } from './rigs-text.ts';
import { accountLines, notWatchedLines, sessionsSentence, sessionTable, type NotWatched } from './session-table.ts';
import { asking, commandLines, type Question } from './story/asking.ts';
import { times } from '../../machines/kernel/span.ts';
import { age, clockText } from '../journal/when.ts';

type Text = string | null;
type ActorState = Pick<ActorView, 'id' | 'state' | 'restarts'>;
/**
 * A field of the status: its value while the town is silent, its value from the town's own word, and its line for
 * people.
 */
interface Field<T> {
  readonly down: T;
  readonly up: (town: StatusView) => T;
  readonly line: (value: T) => Text;
}
const field = <T>(down: T, up: Field<T>['up'] = () => down, line: Field<T>['line'] = () => null): Field<T> => {
  return { down, up, line };
};

/** What the town says of itself. */
const FIELDS = {
  running: field<boolean>(false, () => true),
  /** False also when it runs and is silent: then `silent_why` says why. */
  answers: field<boolean>(false, () => true),
  silent_why: field<Text>(null),
  /** Why no town can be started here; null = one can, or one runs. */
  barred_why: field<Text>(null),
  /** When the guard starts a fallen town again, ISO time, a past one = at once; null = no guard will. */
  back_at: field<Text>(null),
  /** How it fell, and which guard restarts it; null = it did not fall, or no guard will. */
  back_why: field<Text>(null),
  pid: field<number | null>(null, (town) => town.pid),
  guard_pid: field<number | null>(null, (town) => town.guard_pid),
  /** Why the guard does nothing; null = it can act, or there is none. */
  guard_fault: field<Text>(null, undefined, (why) => why),
  epoch: field<number | null>(null, (town) => town.epoch),
  degraded: field<boolean>(false, (town) => town.degraded.is),
  degraded_why: field<Text>(
    null,
    ({ degraded: { why } }) => why,
    (why) => why && `degraded: ${clean(why)}`,
  ),
  /** town.toml was written after the town read it. */
  config_changed: field<boolean>(false, undefined, (changed) =>
    changed ? 'town.toml changed since the town read it; `town reload` takes it up, or names its mistakes' : null,
  ),
  inspect_port: field<number | null>(null, (town) => town.inspect_port),
  ready: field<boolean>(false, (town) => town.ready),
  version: field<Text>(null, (town) => town.version),
  started_at: field<Text>(null, (town) => town.started_at),
  /** `waiting for disk`, or null. */
  waiting: field<Text>(
    null,
    (town) => town.waiting,
    (what) => what && clean(what),
  ),
  actors: field<readonly ActorState[]>([], ({ actors }) =>
    actors.map(({ id, state, restarts }) => ({ id, state, restarts })),
  ),
};
type Name = keyof typeof FIELDS;
export type OwnWord = { readonly [K in Name]: (typeof FIELDS)[K]['down'] };

/** `status/1`. */
export interface StatusData extends Omit<Overview, 'unreadable'>, OwnWord {
  /** Of the alerts and messages those that ask a person something, with what to type. */
  readonly questions: readonly Question[];
  /** The sessions that the town has no ears for, each with the reason. */
  readonly not_watched: readonly NotWatched[];
  /** Channels whose budget of messages is spent while some wait; absent = none. */
  readonly held_back?: readonly HeldBack[];
  readonly root: string;
}

const NAMES = Object.keys(FIELDS) as Name[];
/** null = the town does not answer. */
export const ownWord = (town: StatusView | null): OwnWord =>
  Object.fromEntries(NAMES.map((name) => [name, town === null ? FIELDS[name].down : FIELDS[name].up(town)])) as OwnWord;

function ownLines(data: StatusData): Line[] {
  const texts = NAMES.map((name) => (FIELDS[name] as Field<unknown>).line(data[name]));
  return texts.flatMap((text): Line[] => (text === null ? [] : [['  ', text]]));
}

/** A line: what it begins with, in which style, and what goes on below itself. */
type Line = readonly [lead: string, text: string, style?: Style];

function headline(data: StatusData): Line[] {
  const sentence = sessionsSentence(data.sessions);
  const more: Line = ['  ', sentence];
  if (data.back_why !== null) return [['back soon  ', `${data.root}: ${data.back_why}`, 'yellow'], more];
  if (!data.running) {
    const way = data.barred_why === null ? 'start it with `town up`' : clean(data.barred_why);
    return [['down  ', `the town of ${data.root} is not running; ${way}`, 'red'], more];
  }
  if (!data.answers)
    return [['silent  ', `${data.root}: ${data.silent_why ?? 'the town does not answer'}`, 'red'], more];
  const up: Line = data.degraded
    ? ['degraded  ', sentence, 'yellow']
    : [data.ready ? 'up  ' : 'starting  ', sentence, 'green'];
  const guard = data.guard_pid === null ? 'without a guard' : `guard ${data.guard_pid}`;
  const since = data.started_at === null ? '' : `, up for ${age(data.started_at)}`;
  return [up, ['  ', `${data.root}: town ${data.pid ?? '?'}, ${guard}, epoch ${data.epoch ?? '?'}${since}`]];
}

function holderOf({ tmux_holder: by, root }: StatusData): string {
  if (by === null) return 'no town holds it';
  if (by.root === root) return 'this town holds it';
  const whose = by.root === null ? 'another town' : `the town of ${clean(by.root)}`;
  return `${whose} holds it (${by.pid === null ? `guard ${by.guard_pid ?? '?'}` : `town ${by.pid}`})`;
}

/** null = unknown. */
const counted = (count: number | null, what: string): string =>
  count === null ? `an unknown number of ${what}s` : times(count, what);

const workLines = ({ work }: StatusData): string[] =>
  work === undefined ? [] : work === null ? ['rigs unknown'] : rigLines(work);

const heldText = ({ channel, waiting, until, because }: HeldBack): string =>
  `channel ${channel}: ${times(waiting, 'message')} held back by ${because}, the next may go ${clockText(until)}: \`town channel list\``;

const more = (count: number, command: string): Line[] =>
  count <= 0 ? [] : [['    ', `… ${count} more: \`${command}\``]];

/** What waits for a person, with what to type; below it what is only news. */
function waitingLines({ questions, alerts, mail, mail_count }: StatusData): Line[] {
  const { news } = asking({ alerts, mail });
  const unshown = mail === null ? 0 : (mail_count ?? mail.length) - mail.length;
  return [
    ...questions
      .slice(0, LAYOUT.alerts)
      .flatMap(({ text, type, seen }): Line[] => [
        ['  ? ', `${text}${seen ? ' (seen)' : ''}`],
        ...commandLines(type, 0).map((line): Line => ['      ', line]),
      ]),
    ...more(questions.length - LAYOUT.alerts, 'town questions'),
    ...news.slice(0, LAYOUT.alerts).map((text): Line => ['  - ', text]),
    ...more(news.length - LAYOUT.alerts, 'town report'),
    ...more(unshown, 'town mail inbox'),
  ];
}

export function statusText(data: StatusData): string {
  const fallen = data.actors.filter(({ restarts }) => restarts > 0);
  const waits = data.mail === null || data.mail.length > 0;
  const lines: Line[] = [
    ...headline(data),
    ...ownLines(data),
    ['  ', `tmux socket ${clean(data.tmux_socket)}: ${holderOf(data)}`],
    ...(data.tmux_fault === null ? [] : [['  ', `tmux could not be asked: ${clean(data.tmux_fault)}`] as const]),
    ...fallen.map(({ id, state, restarts }): Line => ['  ', `${id} is ${state}, restarted ${times(restarts, 'time')}`]),
    [
      '  ',
      [
        counted(data.dances, 'hearing'),
        counted(data.alerts && data.alerts.length, 'open alert'),
        `${counted(data.mail && (data.mail_count ?? data.mail.length), 'message')} for you${waits ? ' (`town mail inbox`)' : ''}`,
      ].join(', '),
    ],
    ...workLines(data).map((text): Line => ['  ', text]),
    ...accountLines(data.sessions).map((text): Line => ['  ', clean(text)]),
    ...(data.held_back ?? []).map((one): Line => ['  ', heldText(one)]),
    ...notWatchedLines(data.not_watched).map((text): Line => ['  ', text]),
    ...waitingLines(data),
  ];
  const room = roomOf();
  const drawn = lines.flatMap(([lead, text, style]) => {
    const [first = '', ...more] = hanging(lead, text, room);
    return [style === undefined ? first : `${inStyle(style, lead)}${first.slice(lead.length)}`, ...more];
  });
  return [...drawn, '', sessionTable(data.sessions)].join('\n');
}
