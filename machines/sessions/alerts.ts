/**
 * Alerts of sessions that last as long as their cause (law 8): each kind says when it stands, in which words, and how
 * it ended. All of it is in the records, so every process of the town says the same.
 */
import { programText } from '../kernel/command-text.ts';
import { quoteForeign } from '../kernel/visible-text.ts';
import { attach, status, why } from '../alerts/asks.ts';
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import { isReport } from '../alerts/question.ts';
import { NEEDS_INPUT } from '../alerts/things.ts';
import type { About, Alert, Declared, SessionRecord } from '../protocol.ts';
import { ACCOUNT_LEVELS } from './account-alerts.ts';
import { TMUX_LEVELS } from './tmux-alerts.ts';
import { deathText, INCIDENT_LEVEL, isInIncident } from './incidents.ts';
import { differences, isFailing } from './lifecycle.ts';
import { placeOf } from './configured.ts';
import { BURNING_LEVEL } from './burning.ts';
import { keptClaim } from './kept-claim.ts';
import { HALT_LEVELS } from './halts.ts';
import { HALTED_TOGETHER_LEVEL } from './halted-together.ts';
import { MEMORY_LEVEL } from './memory.ts';
import { isStopping, isWatched, orderedAt, type SessionsState } from './state.ts';
import { foundOf, survivorsAlertText } from './survivors.ts';
import { span } from '../kernel/span.ts';

const BEFORE = 'It was over when the town started.';

/** A kind of which each session has one. */
interface OfSession extends Declared {
  readonly severity: Alert['severity'];
  /** The text of the alert; null = it does not stand. */
  readonly text: (r: SessionRecord, book: SessionsState) => string | null;
  /** How it ended; absent = as troubles with running do. `r`: its record by now; absent = it was removed. */
  readonly ended?: (name: string, r: SessionRecord | undefined, book: SessionsState) => string;
}

/** How a trouble with running ended. */
function ranAgain(name: string, r: SessionRecord | undefined): string {
  if (r === undefined) return `${name} was removed.`;
  if (r.state === 'ended' || isStopping(r))
    return r.asked?.operatorAt === undefined
      ? `${name} ended, and is not started again.`
      : `${name} was stopped by hand.`;
  if (r.state === 'observed') return `What runs in ${name} was adopted.`;
  return r.state === 'running' ? `${name} runs steadily again.` : `${name} was started by hand.`;
}

function started(name: string, r: SessionRecord | undefined): string {
  return r?.state === 'running' && !isStopping(r) ? `${name} is started.` : ranAgain(name, r);
}

const start = ({ session }: About): string => `town session start ${session}`;

const CRASH_LOOP = 'crash-loop';

const OF_SESSIONS: readonly OfSession[] = [
  {
    kind: CRASH_LOOP,
    severity: 'high',
    asks: (about) => [...why(about), start(about)],
    text: (r) => {
      const { name, command } = r.spec;
      return r.crashLoop
        ? `${name} keeps dying (${r.streak} times in a row, last: ended ${deathText(r)}). It runs \`${programText(command)}\`, and is tried on at a slower pace. After mending it: town session start ${name}`
        : null;
    },
    ended: (name, r, book) =>
      isInIncident(book, name) ? `${name} is one of many that die of one cause.` : ranAgain(name, r),
  },
  {
    kind: 'ends-at-once',
    severity: 'medium',
    asks: why,
    text: ({ restless, spec: { name } }, { policy }) =>
      restless === true
        ? `${name} ends at once, again and again (${policy.crashLoopRestarts} times within ${span(policy.withinMs)}, with exit code 0). That is no crash; it is started again ever later. If it is meant to end, its restart policy should be transient; see: town why ${name}`
        : null,
  },
  {
    kind: 'start-failing',
    severity: 'high',
    asks: (about) => [...status(about), start(about)],
    text: (r, { policy }) =>
      isFailing(r, policy) && r.state !== 'ended'
        ? `${r.spec.name} could not be started ${r.failedStarts ?? 0} times in a row: ${r.note}, at a slower pace. After mending it: town session start ${r.spec.name}`
        : null,
    ended: started,
  },
  {
    kind: 'name-taken',
    severity: 'medium',
    asks: (about) => [...attach(about), start(about)],
    text: ({ nameTaken, note, spec: { name } }) =>
      nameTaken === true ? `${name} cannot be started again: ${note}. It starts once the name is free.` : null,
    ended: (name, r) =>
      r?.state === 'backing_off' || r?.state === 'starting'
        ? `No other session is in ${name} any more.`
        : started(name, r),
  },
  {
    kind: 'start-waits',
    severity: 'medium',
    asks: (about) => [...attach(about), start(about)],
    text: ({ personThere, note, spec: { name } }) =>
      personThere === true
        ? `${name} ${note}, in the pane that its last life left. It starts once no key was pressed there for a while; or by hand: town session start ${name}`
        : null,
    ended: started,
  },
  {
    kind: 'life-unknown',
    severity: 'medium',
    asks: (about) => [...status(about), `town session kill ${about.session} --force`],
    text: ({ unknownTold, incarnation, spec: { name } }) =>
      unknownTold === true
        ? `It is unknown whether ${name} lives (pid ${incarnation?.agent.pid ?? 'unknown'}), though tmux answers: its process outlived its pane, or cannot be looked at. It is neither judged nor started again meanwhile. Look at the process, or end it (town session kill ${name} --force); once it is gone, the town goes on.`
        : null,
    ended: (name) => `It is known again whether ${name} lives.`,
  },
  {
    kind: 'survivors',
    severity: 'medium',
    asks: status,
    text: (r, book) => (foundOf(r).length > 0 ? survivorsAlertText(book, r) : null),
    ended: (name) => `Nothing of earlier lives of ${name} runs any more.`,
  },
  {
    kind: 'end-waits',
    severity: 'medium',
    asks: status,
    text: (r) => (isEndAwaited(r) ? endWaitsText(r) : null),
    ended: (name, r) =>
      r?.state === 'running' ? `The end of ${name} is an operator's order by now.` : `${name} has ended.`,
  },
  {
    kind: 'agent-changed',
    severity: 'low',
    asks: (about) => [`town session stop ${about.session}`, start(about)],
    text: (r, book) => {
      const { agents, differing } = book;
      const { name } = r.spec;
      const spec = differing.includes(name) ? agents.find((one) => one.name === name) : undefined;
      const keys = spec === undefined ? [] : differences(r.spec, spec);
      return keys.length === 0
        ? null
        : `${placeOf(book, name).key} in town.toml has another ${keys.join(', ')} for ${name} than it was started with; what was started is kept. To change it: town session stop ${name}, then town session start ${name}`;
    },
    ended: (name, r) => (r === undefined ? `${name} was removed.` : `${name} is as town.toml has it.`),
  },
  {
    kind: 'agent-removed',
    severity: 'low',
    asks: ({ session }) => [`town session stop ${session}`],
    text: ({ configured, state, spec: { name } }, { agents }) =>
      configured === true && state !== 'ended' && !agents.some((one) => one.name === name)
        ? `town.toml does not start ${name} any more, which is still supervised. To end it: town session stop ${name}`
        : null,
    ended: (name, r) =>
      r === undefined
        ? `${name} was removed.`
        : r.state === 'ended'
          ? `${name} has ended.`
          : `town.toml starts ${name} again.`,
  },
];

/** Its agent asked for its end, but without a pane the town could not save its work and ends no agent (law 4, C-7). */
const isEndAwaited = ({ state, asked, incarnation }: SessionRecord): boolean =>
  state === 'running' &&
  incarnation?.origin === 'detached' &&
  asked?.uuid === incarnation.uuid &&
  orderedAt(asked) === undefined;

function endWaitsText({ spec: { name }, incarnation, asked }: SessionRecord): string {
  const then = asked?.then === 'restart' ? 'Then it starts again' : 'Then it stays ended';
  return `${name} asked for its own end, but runs without tmux, where the town ends no agent: it could not save its work. Once that is safe: kill ${incarnation?.agent.pid ?? '<pid>'}. ${then}.`;
}

type Of<T> = Readonly<Record<string, T>>;
/** What was made of the same thing under the same configuration is not made again: a thousand quiet sessions cost nothing. */
interface Made<T> extends Pick<SessionsState, 'policy' | 'agents' | 'differing'> {
  readonly what: T;
}
const ofRecord = new WeakMap<SessionRecord, Made<Of<Standing>>>();
const ofRecords = new WeakMap<SessionsState['records'], Made<Of<Claim>>>();

function made<T>(all: WeakMap<object, Made<T>>, of: object, book: SessionsState, make: () => T): T {
  const { policy, agents, differing } = book;
  const known = all.get(of);
  if (known?.policy === policy && known.agents === agents && known.differing === differing) return known.what;
  const what = make();
  all.set(of, { policy, agents, differing, what });
  return what;
}

function standing(r: SessionRecord, book: SessionsState): Of<Standing> {
  const { name } = r.spec;
  const alerts = OF_SESSIONS.flatMap(({ kind, severity, text: textOf }) => {
    const text = textOf(r, book);
    return text === null ? [] : [[kind, { name, severity, session: name, text }] as const];
  });
  return Object.fromEntries(alerts);
}

function claims(book: SessionsState): Of<Claim> {
  const all = Object.values(book.records).map((r) => made(ofRecord, r, book, () => standing(r, book)));
  const by = OF_SESSIONS.map(({ kind }): [string, Claim] => {
    const claim = { stands: all.flatMap(({ [kind]: one }) => one ?? []), only: [] };
    return [kind, kind === CRASH_LOOP ? ofCrashLoops(claim, book) : claim];
  });
  return Object.fromEntries(by);
}

/**
 * Those of an incident have one alert together. The alert of a crash loop begins at a death: one that runs again, though not steadily yet,
 * keeps the alert that it has and gets none, so that the last ones after an incident are not named as they recover.
 */
function ofCrashLoops({ stands }: Claim, book: SessionsState): Claim {
  const own = stands.filter(({ name }) => !isInIncident(book, name));
  const runs = ({ name }: Standing): boolean => book.records[name]?.state === 'running';
  return { stands: own.filter((one) => !runs(one)), only: own.filter(runs).map(({ name }) => name) };
}

const level = ({ kind, asks, ended = ranAgain }: OfSession): Level<SessionsState> => ({
  kind,
  asks,
  claim: (book) => made(ofRecords, book.records, book, () => claims(book))[kind] ?? null,
  ended: (name, book) => (name === null ? BEFORE : ended(name, book.records[name], book)),
});

type Book = Pick<SessionsState, 'asking' | 'records'>;

const UNSEEN = { what: '', question: undefined };

/** What a person hears of what this agent asks. */
export function asksOfSession(
  { name, background }: SessionRecord['spec'],
  { what, question }: { readonly what: string; readonly question: string | undefined },
): Omit<Standing, 'name'> & { readonly session: string } {
  const isReported = isReport(question);
  const typed = isReported ? `town send ${name} "<answer>"` : 'town questions';
  const how = background ? `town session attach ${name}` : `${typed}; or in its pane`;
  const said = isReported ? 'It reported' : 'It asks';
  const text = `${name} waits for a person. ${said}: ${quoteForeign(what)}. Answer it: ${how}.`;
  return { severity: 'medium', session: name, ...(question !== undefined && { question }), text };
}

/** Who waits for a person, as the last scans saw it. Of a life that was not looked at yet nothing is known (law 1). */
function askedBy({ asking, records }: Book): Claim {
  const stands: Standing[] = [];
  const only: string[] = [];
  for (const r of Object.values(records)) {
    const { name } = r.spec;
    if (!isWatched(r)) continue;
    const { uuid, what, question } = asking[name] ?? { ...UNSEEN, uuid: r.incarnation?.uuid };
    if (uuid !== r.incarnation?.uuid || what === null) continue;
    if (what === '') only.push(name);
    else stands.push({ name, ...asksOfSession(r.spec, { what, question }) });
  }
  return { stands, only };
}

const needsInput: Level<SessionsState> = {
  ...NEEDS_INPUT,
  claim: keptClaim('asking', ['records'], askedBy),
  ended: (name, { records }) => {
    if (name === null) return BEFORE;
    const r = records[name];
    return r !== undefined && isWatched(r) ? `${name} shows no dialog any more.` : ranAgain(name, r);
  },
};

export const SESSION_LEVELS: readonly Level<SessionsState>[] = [
  ...OF_SESSIONS.map(level),
  needsInput,
  ...HALT_LEVELS,
  HALTED_TOGETHER_LEVEL,
  MEMORY_LEVEL,
  BURNING_LEVEL,
  INCIDENT_LEVEL,
  ...ACCOUNT_LEVELS,
  ...TMUX_LEVELS,
];
