/**
 * Judges a history by the world's log alone. Shares no code and no types with the town: own words, own arithmetic.
 * What it demands is written in the sentences of its findings; the numbers come with `Rules`.
 */
import { Blindness } from './blindness.ts';
import { judgeAlerts } from './oracle-alerts.ts';
import { judgeMail } from './oracle-mail.ts';
import { judgeSessions } from './oracle-sessions.ts';
import { judgeVoids } from './oracle-voids.ts';
import { of, type EntryOf, type Log } from './log.ts';
import { isSaved, stretchOf } from './oracle-stretch.ts';
import { SIM_POLICY } from './policy.ts';

/** The promises of the town that are numbers. All in milliseconds. */
export interface Rules {
  readonly windowsMs: readonly number[];
  /** The most that one gap between two looks may count. */
  readonly creditMs: number;
  /** A signal rests on a look no older than this. */
  readonly lookStaleMs: number;
  /** Of the first town, and of those that start later. */
  readonly poolSizes: readonly [number, number];
  /** Signs of life pardon. */
  readonly evidencePardons: boolean;
  /** A file put into the inbox is seen within this, when the town runs. */
  readonly seenWithinMs: number;
  /** A session that others start again, however it ended. */
  readonly watched?: string;
  /** Sessions that share no account with others: none where it is absent. */
  readonly alone?: readonly string[];
}

/** The numbers of the promises, written down anew: the oracle believes no policy but the one of the documents, scaled. */
export const RULES: Rules = {
  windowsMs: [6_000, 12_000, 24_000],
  creditMs: 1_500,
  lookStaleMs: 5_000,
  poolSizes: [5, 5],
  evidencePardons: true,
  seenWithinMs: SIM_POLICY.dance.readWarrantsEveryMs + 1_000,
};

/** What a dance's file says, as far as the oracle believes files. */
interface Intent {
  readonly tree: readonly string[] | null;
  readonly killing: boolean;
}

/** Verdicts that end a hearing and harm no agent. */
const HARMLESS = new Set(['pardoned', 'escalated', 'void', 'failed', 'already_dead']);

/** `files`: what stands on the disk in the end. */
export const judge = (log: Log, files: ReadonlyMap<string, string>, rules: Rules): string[] => [
  ...judgeLog(log, rules),
  ...judgeMail(log, files),
];

export function judgeLog(log: Log, rules: Rules): string[] {
  return [
    ...judgeKills(log, rules),
    ...judgeWarrants(log),
    ...judgeVoids(log),
    ...judgeAlerts(log, rules.alone),
    ...judgePool(log, rules),
    ...judgeQueue(log, rules),
    ...judgeSessions(log, rules.watched),
  ];
}

function intentIn(text: string | null): Intent {
  const none = { tree: null, killing: false };
  if (text === null) return none;
  const file = JSON.parse(text) as {
    context?: { tree?: { pid: number; started: string }[] | null; killing?: boolean };
  };
  const tree = file.context?.tree ?? null;
  return { tree: tree && tree.map(({ pid, started }) => `${pid} ${started}`), killing: file.context?.killing === true };
}

function judgeKills(log: Log, rules: Rules): string[] {
  const found: string[] = [];
  const forced = forcedOf(log);
  const blindness = new Blindness(log);
  for (const [index, entry] of log.entries()) {
    if (entry.what === 'gaveUp') found.push(`the town gave up by itself: ${entry.why}`);
    if (entry.what === 'cleared') found.push(...judgeClearing(log, index, entry));
    if (entry.what !== 'signalled') continue;
    const bad = (why: string) => found.push(`${entry.dance}: ${entry.life} at ${entry.t}: ${why}`);
    const before = log.slice(0, index);
    const intent = intentIn(entry.record);
    if (entry.superseded) bad('signalled by a superseded town');
    if (entry.refused) bad('signalled though its agent is not to be ended by this town');
    if (entry.of !== entry.life) bad(`signalled a process of ${entry.of}`);
    if (intent.tree === null) bad('signalled without a durable intent');
    else if (!intent.tree.includes(entry.proc)) bad(`signalled ${entry.proc}, which is not in the durable list`);
    if (intent.tree !== null && !intent.killing) bad('signalled before it was durable that signals may be sent');
    const mine = stretchOf(before, entry);
    if (!isSaved(before, mine, entry)) bad('signalled before the work was saved');
    if (!forced.has(entry.dance)) for (const why of judgeSpared(before, entry)) bad(why);
    // What it shows right after a signal is its effect.
    if (mine.some((one) => one.what === 'signalled')) continue;
    const isForced = forced.has(entry.dance);
    const isFirst = !before.some((b) => b.what === 'signalled' && b.dance === entry.dance);
    for (const why of judgeLastLook(before, entry, { isForced, isFirst }, rules)) bad(why);
    if (isFirst && !isForced) for (const why of judgeHearing(before, entry, blindness, rules)) bad(why);
  }
  return found;
}

/** Dances that an operator's force asked for. */
export const forcedOf = (log: Log): ReadonlySet<string> =>
  new Set(of(log, 'saved').flatMap(({ dance, forced }) => (forced ? [dance] : [])));

function judgeLastLook(
  before: Log,
  kill: EntryOf<'signalled'>,
  { isForced, isFirst }: { isForced: boolean; isFirst: boolean },
  rules: Rules,
): string[] {
  const looks = of(before, 'looked').filter((look) => look.dance === kill.dance && look.town === kill.town);
  const last = looks.findLast((look) => intentIn(look.record).tree !== null);
  if (last === undefined) return ['no look was taken after the intent was durable'];
  const found: string[] = [];
  // An execution that goes on after a crash may find its target gone: what is left of the list rests on its own listing.
  if (kill.signal === 'TERM' && kill.t - last.t > rules.lookStaleMs)
    found.push(`the last look was ${kill.t - last.t} ms old`);
  if (last.truth === 'hidden') found.push('the last look could not see');
  if (isFirst && last.truth === 'replaced') found.push('another incarnation had the name at the last look');
  if (isForced) return found;
  const pardons = ['answered', 'dialog', 'person', ...(rules.evidencePardons ? ['evidence'] : [])];
  if (pardons.includes(last.truth)) found.push(`the last look could see: ${last.truth}`);
  return found;
}

/** An answer that this town could see ends the signals, also once they began. */
function judgeSpared(before: Log, kill: EntryOf<'signalled'>): string[] {
  const seen = of(before, 'looked').find(
    (look) => look.dance === kill.dance && look.town === kill.town && look.truth === 'answered',
  );
  return seen === undefined ? [] : [`signalled though its answer was seen at ${seen.t}`];
}

function judgeHearing(before: Log, kill: EntryOf<'signalled'>, blindness: Blindness, rules: Rules): string[] {
  const found: string[] = [];
  const asks = of(before, 'asked').filter((ask) => ask.dance === kill.dance && ask.life === kill.life);
  const codes = [...new Set(asks.map(({ code }) => code))];
  if (codes.length !== rules.windowsMs.length) return [`killed after ${codes.length} questions`];
  const looks = of(before, 'looked').filter((look) => look.dance === kill.dance);
  for (const [n, code] of codes.entries()) {
    const mine = asks.filter((ask) => ask.code === code && !blindness.isSuperseded(ask.town, ask.t));
    const asked = mine.at(-1) ?? asks.find((ask) => ask.code === code);
    const within = looks.filter((look) => look.attempt === n + 1);
    const last = within.at(-1);
    if (asked === undefined || last === undefined) {
      found.push(`no look came after question ${n + 1}`);
      continue;
    }
    const { seenMs, gaps } = blindness.seenMs(kill.life, asked.t, last.t);
    const windowMs = rules.windowsMs[n] ?? Infinity;
    const creditMs = gaps.reduce((sum, gap) => sum + Math.min(gap, rules.creditMs), 0);
    if (seenMs + creditMs < windowMs)
      found.push(`question ${n + 1} got ${seenMs} ms (+ ${creditMs} ms credit) of its ${windowMs} ms`);
    const answer = of(before, 'answered').find((a) => a.life === kill.life && a.code === code);
    const couldSee =
      answer &&
      within.find(({ t, town, truth }) => t >= answer.t && truth !== 'hidden' && !blindness.isSuperseded(town, t));
    if (answer && couldSee)
      found.push(`killed though it answered question ${n + 1} at ${answer.t}, before the look at ${couldSee.t}`);
  }
  return found;
}

/** Clearing a pane ends the agent that lives in it. */
function judgeClearing(log: Log, index: number, entry: EntryOf<'cleared'>): string[] {
  const bad = (why: string) => [`${entry.order}: ${entry.life} at ${entry.t}: ${why}`];
  if (entry.superseded) return bad('cleared by a superseded town');
  if (!entry.agentLives) return [];
  const dance = entry.order.slice(0, entry.order.indexOf('/'));
  const before = log.slice(0, index);
  if (!of(before, 'signalled').some((s) => s.dance === dance && s.life === entry.life))
    return bad('the pane was cleared while its agent lived, unheard');
  return [];
}

function judgeWarrants(log: Log): string[] {
  const found: string[] = [];
  const told = new Map<string, string>();
  for (const { warrant, verdict, dance } of of(log, 'told')) {
    const before = told.get(warrant);
    if (before !== undefined && before !== verdict)
      found.push(`${warrant} was told ${before}, then ${verdict} (${dance})`);
    told.set(warrant, verdict);
    const wasSignalled = of(log, 'signalled').some((s) => s.dance === dance);
    const died = of(log, 'died').map(({ life }) => life);
    const wasGone = of(log, 'looked').some((look) => look.dance === dance && died.includes(look.life));
    const fallen = harmOf(log, dance);
    if (verdict === 'pardoned' && fallen.length > 0)
      found.push(`${warrant} was told pardoned, and ${fallen.join(', ')} of its agent had ended`);
    if (verdict === 'executed' && !wasSignalled && !wasGone)
      found.push(`${warrant} was told executed, and nothing was`);
    if (!HARMLESS.has(verdict) && verdict !== 'executed') found.push(`${warrant} was told ${verdict}`);
  }
  return [...found, ...judgeLosses(log, told)];
}

/** Processes that ended by the signals of this dance: no other one signalled them later. */
function harmOf(log: Log, dance: string): readonly string[] {
  const lastSignal = new Map<string, string>();
  return log.flatMap((entry) => {
    if (entry.what === 'signalled') lastSignal.set(entry.proc, entry.dance);
    return entry.what === 'fell' && lastSignal.get(entry.proc) === dance ? [entry.proc] : [];
  });
}

/** After a crash every acknowledged warrant is somewhere: in the inbox, in a dance, or answered. */
function judgeLosses(log: Log, told: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [index, entry] of log.entries()) {
    if (entry.what !== 'survived') continue;
    const { files, t } = entry;
    const all = [...files].filter(([path]) => path.startsWith('deacon/dogs/'));
    const refused = new Set(of(log, 'refused').map(({ file }) => file));
    for (const { warrant } of of(log.slice(0, index), 'filed')) {
      if (refused.has(`deacon/dogs/warrants/${warrant}.json`)) continue;
      const isThere = all.some(
        ([path, text]) => path === `deacon/dogs/warrants/${warrant}.json` || text.includes(`"id":"${warrant}"`),
      );
      if (!isThere) found.push(`${warrant} was lost in the crash at ${t} (told: ${told.get(warrant) ?? 'nothing'})`);
    }
  }
  return found;
}

interface Hearing {
  readonly from: number;
  readonly to: number;
}

/** Hearings that this town has a dog for: from its first question or look to the durable end. */
function hearingsBy(log: Log, town: number, forced: ReadonlySet<string>): Hearing[] {
  const closed = new Map<string, number>();
  for (const { dance, t } of of(log, 'told')) if (!closed.has(dance)) closed.set(dance, t); // its verdict is durable by then
  const opened = new Map<string, number>();
  for (const entry of log)
    if ((entry.what === 'asked' || entry.what === 'looked') && entry.town === town)
      if (!opened.has(entry.dance) && !forced.has(entry.dance)) opened.set(entry.dance, entry.t);
  return [...opened].map(([dance, from]) => ({ from, to: closed.get(dance) ?? Infinity }));
}

function judgePool(log: Log, { poolSizes: [first, later] }: Rules): string[] {
  const forced = forcedOf(log);
  return of(log, 'booted').flatMap(({ town }) => {
    const hearings = hearingsBy(log, town, forced);
    const size = town === 1 ? first : later;
    const most = hearings.reduce((sum, { from }) => {
      const atOnce = hearings.filter((other) => other.from <= from && other.to > from).length;
      return Math.max(sum, atOnce);
    }, 0);
    return most > size ? [`${most} hearings at once in town ${town}, ${size} are allowed`] : [];
  });
}

/** First in, first out, among those that the town must have seen and that wait for a place of their own. */
function judgeQueue(log: Log, { seenWithinMs }: Rules): string[] {
  /** When the warrant opened a dance of its own. */
  const opened = new Map<string, number>();
  const heard = new Set<string>();
  for (const { warrants, t } of of(log, 'saved'))
    for (const [n, id] of warrants.entries()) {
      if (n === 0 && !heard.has(id)) opened.set(id, t);
      heard.add(id);
    }
  const blindness = new Blindness(log);
  const plain = of(log, 'filed').filter((f) => !f.force && !f.expired && !f.loose);
  const others = new Set(of(log, 'cancelAsked').map(({ warrant }) => warrant));
  const found: string[] = [];
  for (const first of plain) {
    for (const second of plain) {
      const one = opened.get(first.warrant);
      const two = opened.get(second.warrant);
      if (first.filedAt >= second.filedAt || two === undefined || others.has(second.warrant)) continue;
      const isSeen = two > blindness.after(first.t, seenWithinMs);
      const isLate = one === undefined ? !heard.has(first.warrant) : one > two;
      if (isSeen && isLate && !isBusy(log, first.life, two))
        found.push(`${second.warrant} was heard at ${two}, before ${first.warrant} which was filed earlier`);
    }
  }
  return found;
}

/** This life was in a hearing at that time: a warrant against it waits for that one, not for a place. */
const isBusy = (log: Log, life: string, at: number): boolean =>
  of(log, 'looked').some((look) => look.life === life && look.t < at) &&
  of(log, 'looked').some((look) => look.life === life && look.t > at);
