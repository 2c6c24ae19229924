/** Sessions for people: their state in a sentence, and a table with the heard and the sick on top. */
import type { Sums } from '../costs/tally.ts';
import type { AccountView } from '../overview/agent-view.ts';
import type { HearingView, SessionView } from '../overview/sessions.ts';
import { LAYOUT } from '../terminal/policy.ts';
import { clean, table } from '../terminal/print.ts';
import { countText, sizeText, times } from '../../machines/kernel/span.ts';
import { about, age, clockText, when } from '../journal/when.ts';

/** How a session is, in the order in which people look for it; with what is said of one, and of several. */
const CONDITIONS = {
  heard: ['is heard', 'are heard'],
  asks: ['asks you', 'ask you'],
  'logged out': ['is logged out', 'are logged out'],
  limited: ['is at a usage limit', 'are at a usage limit'],
  denied: ['was denied a step', 'were denied a step'],
  error: ['stopped on an error', 'stopped on an error'],
  gone: ['is gone', 'are gone'],
  unknown: ['is unknown', 'are unknown'],
  'crash loop': ['keeps ending', 'keep ending'],
  'backing off': ['starts again', 'start again'],
  starting: ['starts', 'start'],
  done: ['is done', 'are done'],
  idle: ['is idle', 'are idle'],
  working: ['works', 'work'],
  running: ['runs', 'run'],
  observed: ['is watched', 'are watched'],
  ended: ['has ended', 'have ended'],
  foreign: ['is not ours', 'are not ours'],
} as const;
/** Their records cannot be read; the reason is printed beside it. */
const SESSIONS_UNKNOWN = 'the sessions are not known';
type Condition = keyof typeof CONDITIONS;
const ORDER = Object.keys(CONDITIONS) as Condition[];
/** What is well is said first. */
const WELL: readonly Condition[] = ['working', 'idle', 'done', 'running', 'observed'];
const SAID = [...WELL, ...ORDER.filter((one) => one !== 'foreign' && !WELL.includes(one))] as const;

export function conditionOf(view: SessionView): Condition {
  if (view.hearing !== null) return 'heard';
  if (view.crash_loop && view.state !== 'ended') return 'crash loop';
  const believed = view.state === 'running' || view.state === 'observed';
  if (believed && view.alive === false) return 'gone';
  if (view.state !== 'foreign' && view.alive === null) return 'unknown';
  if (believed && view.asks !== null) return 'asks';
  const told = believed ? (view.screen?.state ?? 'unknown') : 'unknown';
  const state = (told === 'unknown' ? view.state : told).replace('_', ' ');
  return ORDER.find((one) => one === state) ?? 'unknown';
}

/** `30 sessions: 27 run, 2 are heard, 1 starts again; 3 others are not ours`. null = unknown. */
export function sessionsSentence(views: readonly SessionView[] | null): string {
  if (views === null) return SESSIONS_UNKNOWN;
  const counts = new Map<Condition, number>();
  for (const view of views) counts.set(conditionOf(view), (counts.get(conditionOf(view)) ?? 0) + 1);
  const said = (one: Condition): string => CONDITIONS[one][counts.get(one) === 1 ? 0 : 1];
  const others = counts.get('foreign') ?? 0;
  const ours = views.length - others;
  const how = SAID.flatMap((one) => (counts.has(one) ? [`${counts.get(one) ?? 0} ${said(one)}`] : []));
  // All are alike: the number stands once.
  const [alike] = ours === 0 || how.length > 1 ? [] : SAID.filter((one) => counts.has(one));
  const sum = times(ours, 'session');
  const told = ours === 0 ? 'no sessions' : alike === undefined ? `${sum}: ${how.join(', ')}` : `${sum} ${said(alike)}`;
  const foreign = others === 0 ? '' : `; ${times(others, 'other')} in tmux ${said('foreign')}`;
  const unlooked = unlookedText(views);
  return `${told}${foreign}${unlooked === '' ? '' : `; ${unlooked}`}`;
}

/** How many panes the town did not look at since its start: what they ask is not known. Empty = it looked at all. */
export function unlookedText(views: readonly SessionView[]): string {
  const count = views.filter(({ unlooked }) => unlooked === true).length;
  const living = views.filter(
    ({ state, alive }) => alive === true && (state === 'running' || state === 'observed'),
  ).length;
  return count === 0 ? '' : `the town has not looked at ${count} of ${times(living, 'pane')} yet`;
}

/** A session of which the town cannot tell how it is, and why, as the end of a sentence (M-13): no source tells, or two disagree (M-2). */
export interface NotWatched {
  readonly session: string;
  readonly because: string;
}

export const notWatched = (views: readonly SessionView[] | null): NotWatched[] =>
  (views ?? []).flatMap((view) => {
    const { name, screen } = view;
    const because = screen?.disagree === undefined ? screen?.not_watched : DISAGREE;
    return because === undefined || isOwnProgram(view) ? [] : [{ session: name, because }];
  });

/** The tag of a refinery's session, and a word of the town's own command for it. */
const REFINERY = 'refinery';
/** `town refinery` is no agent: it asks by mail, and its witness watches it. An agent may be a rig's refinery too. */
const isOwnProgram = ({ tags, command }: SessionView): boolean => tags.includes(REFINERY) && command.includes(REFINERY);
const DISAGREE = 'two sources contradict each other';

/** A line for each reason: `2 not watched, because no pack knows the program: make, worker`. */
export function notWatchedLines(all: readonly NotWatched[]): string[] {
  const names = Map.groupBy(all, ({ because }) => because);
  return Array.from(names, ([because, of]) => {
    const shown = of.slice(0, LAYOUT.notWatched).map(({ session }) => session);
    const more = of.length > shown.length ? `, … ${of.length - shown.length} more: \`town status --json\`` : '';
    return `${of.length} not watched, because ${because}: ${clean(shown.join(', '))}${more}`;
  });
}

/** A line for each account that keeps sessions from working: `account ~/.claude: 3 of 12 sessions are at the usage limit, the first back at 20:50`. */
export function accountLines(views: readonly SessionView[] | null): string[] {
  const known = (views ?? []).flatMap(({ account }) => account ?? []);
  return [...Map.groupBy(known, ({ id }) => id).values()].flatMap((all) => {
    const [first] = all;
    const counted = (some: readonly unknown[], one: string, many: string): string =>
      `account ${first?.label ?? '?'}: ${some.length} of ${times(all.length, 'session')} ${some.length === 1 ? one : many}`;
    const limited = all.filter(({ barred }) => barred === 'limited');
    const loggedOut = all.filter(({ barred, outdated }) => barred === 'logged_out' && outdated === undefined);
    const old = all.filter(({ outdated }) => outdated !== undefined);
    return [
      ...(limited.length === 0 ? [] : [`${counted(limited, 'is', 'are')} at the usage limit${backText(limited)}`]),
      ...(loggedOut.length === 0
        ? []
        : [`${counted(loggedOut, 'is', 'are')} logged out; its starts wait for the login`]),
      ...(old.length === 0 ? [] : [`${counted(old, 'uses', 'use')} the old login; restart them when they are at rest`]),
    ];
  });
}

/** The first end of these limits, where the town runs; in the program's words where they are no time. */
function backText(limited: readonly AccountView[], now = Date.now()): string {
  const told = limited.filter(({ told: at }) => at !== undefined).length;
  const goesOn = told === 0 ? '' : `; ${told === limited.length ? '' : `${told} `}told to go on`;
  const [at] = limited.flatMap(({ resets_at }) => resets_at ?? []).sort();
  if (at !== undefined)
    return `${Date.parse(at) > now ? `, the first back ${clockText(at)}` : `, whose time was over ${clockText(at)}`}${goesOn}`;
  const words = limited.find(({ resets }) => resets !== null)?.resets ?? null;
  return `${words === null ? '' : `, back: ${words}`}${goesOn}`;
}

/** `question 3 of 3, 2 min left`. */
export function hearingText(
  { stage, question, questions, window_ends_at: ends, not_typed: why, waits }: HearingView,
  now = Date.now(),
): string {
  const which = `question ${question} of ${questions}`;
  if (waits) return `${which} waits for a dog: the pool is full`;
  if (stage.startsWith('executing.')) return 'its end is under way';
  switch (stage) {
    case 'idle':
      return 'a hearing is opened';
    case 'interrogating.listening':
      return ends === null ? which : `${which}, ${about(Math.max(0, Date.parse(ends) - now))} left`;
    case 'interrogating.suspended':
      return `${which} waits${why === null ? ': a person is at the keys' : `; ${clean(why)}`}`;
    case 'interrogating.asking':
    case 'interrogating.retrying':
      return `${which} is to be asked${why === null ? '' : `; ${clean(why)}`}`;
    case 'interrogating.confirming':
    case 'evaluating':
      return `${which} is judged`;
    default:
      return 'its hearing ends';
  }
}

/** Without what its state says already. */
const toldOf = (view: SessionView): string => {
  const note = view.state === 'observed' ? view.note.replace(/^adopted(?:; |$)/, '') : view.note;
  return [disagreement(view), note].filter((text) => text !== '').join('; ');
};

/** `its sources disagree: working by claude session file, idle by screen, by pack claude`. Empty = they do not. */
function disagreement({ screen }: Pick<SessionView, 'screen'>): string {
  const words = (screen?.disagree ?? []).map(({ state, source }) => `${state} by ${source ?? '?'}`);
  return words.length === 0 ? '' : `its sources disagree: ${words.join(', ')}`;
}

function noteOf(view: SessionView, now: number): string {
  const next = view.next_start_at === null ? '' : when(view.next_start_at, now);
  const soon = next === 'now' || next.endsWith(' ago') ? 'now' : next;
  const told = toldOf(view);
  const note = soon === '' || told.endsWith('again') ? `${told} ${soon}`.trimEnd() : `${told}; next start ${soon}`;
  const asks = view.asks === null ? '' : `it asks: ${view.asks}`;
  // Where its state is the agent's own, it still is a person's pane.
  const whose = view.state === 'observed' && conditionOf(view) !== 'observed' ? 'adopted' : '';
  return [view.hearing === null ? '' : hearingText(view.hearing, now), asks, note, whose]
    .filter((text) => text !== '')
    .join('; ');
}

const memoryText = (bytes: number | null): string => (bytes === null ? '-' : sizeText(bytes));
const cpuText = (part: number | null): string => (part === null ? '-' : `${Math.round(part * 100)} %`);

const COLUMNS = [
  { head: 'NAME' },
  { head: 'STATE' },
  { head: 'AGE', right: true, drop: 5 },
  { head: 'CPU', right: true, drop: 4 },
  { head: 'MEMORY', right: true, drop: 3 },
  { head: 'RESTARTS', right: true, drop: 2 },
  { head: 'PID', right: true, drop: 1 },
  { head: 'NOTE' },
] as const;

/** A running session with a note comes before those without. */
const rankOf = (view: SessionView): number => {
  const rank = ORDER.indexOf(conditionOf(view));
  return rank >= ORDER.indexOf('done') && view.state !== 'foreign' && toldOf(view) !== '' ? rank - 0.5 : rank;
};

export function sessionTable(views: readonly SessionView[] | null, now = Date.now()): string {
  if (views === null) return SESSIONS_UNKNOWN;
  if (views.length === 0) return 'no sessions';
  const row = (v: SessionView): string[] => [
    v.name,
    conditionOf(v),
    v.alive === true && v.started_at !== null ? age(v.started_at, now) : '-',
    cpuText(v.cpu),
    memoryText(v.memory_bytes),
    v.state === 'foreign' ? '-' : `${v.restarts}`,
    v.pid === null || v.alive === false ? '-' : `${v.pid}`,
    noteOf(v, now),
  ];
  return table(COLUMNS, views.toSorted((one, other) => rankOf(one) - rankOf(other)).map(row));
}

/** The lines about one session, a line for each known thing. */
export function sessionLines(view: SessionView, now = Date.now()): string {
  const { hearing, memory_bytes: memory, cpu, screen, conversation, tokens, account, ...plain } = view;
  const told = (key: string, value: (typeof plain)[keyof typeof plain]): string => {
    if (key.endsWith('_at') && typeof value === 'string') return when(value, now);
    return Array.isArray(value) ? value.join(key === 'survivors' ? ', ' : ' ') : String(value ?? '-');
  };
  const lines: readonly (readonly [string, string])[] = [
    ...Object.entries(plain).map(([key, value]) => [key, told(key, value)] as const),
    ['screen', screenText(screen, now)],
    ['conversation', conversationText(conversation)],
    ['tokens', tokensText(tokens, now)],
    ['account', accountText(account)],
    ['memory', memoryText(memory)],
    ['cpu', cpuText(cpu)],
    ['hearing', hearing === null ? '-' : `${hearingText(hearing, now)}; ${hearing.requester}: ${hearing.charge}`],
  ];
  const width = Math.max(...lines.map(([key]) => key.length)) + 2;
  return lines.map(([key, text]) => `${key.padEnd(width)}${text === '' ? '-' : clean(text)}`).join('\n');
}

/** `~/.claude, at the usage limit`. */
function accountText(account: SessionView['account']): string {
  if (account === null || account === undefined) return '-';
  const { label, barred, outdated } = account;
  if (outdated !== undefined) return `${label}, with a login from before the last one`;
  if (barred === null) return label;
  return barred === 'limited' ? `${label}, at the usage limit${backText([account])}` : `${label}, logged out`;
}

const CENTS = 2;
/** `-`: its program names none. */
export const costText = (cost: number | null): string => (cost === null ? '-' : `$${cost.toFixed(CENTS)}`);

/** `12.3k input, 4.5M from the cache, 950 output, $1.20`. */
export function sumsText({ input, cached, output, cost }: Sums): string {
  const parts = [`${countText(input)} input`, `${countText(cached)} from the cache`, `${countText(output)} output`];
  return [...parts, ...(cost === null ? [] : [costText(cost)])].join(', ');
}

/** `12.3k input, 4.5M from the cache, 950 output, since 08:15`. */
function tokensText(tokens: SessionView['tokens'], now: number): string {
  if (tokens === null || tokens === undefined) return '-';
  return `${sumsText(tokens)}${tokens.since === null ? '' : `, since ${when(tokens.since, now)}`}`;
}

/** `<id>, gone on with`. */
function conversationText(conversation: SessionView['conversation']): string {
  if (conversation === null || conversation === undefined) return '-';
  const { id, resumed, because, left } = conversation;
  const anew = because === undefined ? '' : `begun anew, because ${because}`;
  const before = left === undefined || because?.includes(left) === true ? '' : `the one before is ${left}`;
  return [id, resumed === true ? 'gone on with' : anew, before].filter((text) => text !== '').join('; ');
}

/** `working for 3 min, by claude session file`. */
export function screenText(screen: SessionView['screen'], now: number): string {
  if (screen === null || screen === undefined) return '-';
  const { state, source, since, rule } = screen;
  const span = since === null ? '' : ` for ${age(since, now)}`;
  const by = source === null ? disagreement({ screen }) : `by ${source}${rule === undefined ? '' : ` (${rule})`}`;
  return [`${state.replace('_', ' ')}${span}`, by].filter((text) => text !== '').join(', ');
}
