/** What hearings leave in the journal: warrants, each step of a dance when its place changes, looks when what they see changes. */
import { z } from 'zod';
import { isSelfStop, isLoginRestart, isStop } from '../../machines/hearings/dance.ts';
import { savedText } from '../../machines/hearings/saved-work.ts';
import { survivorsOf } from '../../machines/sessions/survivors.ts';
import type { Dance, Outcome, Warrant } from '../../machines/protocol.ts';
import { clean } from '../terminal/print.ts';
import { thingOf, type Correlation } from './correlation.ts';
import { amount, because, count, flag, kind, list, name, names, asWords, words, wordsFor } from './kind.ts';
import type { Draft, Story } from './kind.ts';
import { times } from '../../machines/kernel/span.ts';
import { viaText } from './via.ts';

const processes = (count: number): string => times(count, 'process', 'processes');
const were = (count: number): string => `${processes(count)} ${count === 1 ? 'was' : 'were'}`;

const SAVED = { ref: name, repos: count, files: count };
const rescue = z
  .object({ folder: z.string(), ...SAVED })
  .nullish()
  .catch(undefined);

/** What a rescue saved; null = there was none. */
export const savedIn = (of: z.output<typeof rescue>): string | null =>
  of ? savedText({ ...of, folder: clean(of.folder), ref: of.ref ?? null }) : null;

const OBSTACLE = z.object({ kind: words, what: name, why: name });
/** Why something was not typed. */
export const obstacle = OBSTACLE.optional().catch(undefined);
export const obstacleText = (of: z.output<typeof obstacle>): string => asWords(of?.what ?? of?.why ?? of?.kind);

const sight = z
  .object({ kind: words, what: name, why: name, quote: name, by: words.optional() })
  .catch({ kind: 'unknown' });

/** What was seen, in its own words; empty = none are left. */
export const quoteOf = (of: z.output<typeof sight> | undefined): string => of?.quote ?? of?.what ?? '';

const SIGHTS: Readonly<Record<string, string>> = {
  evidence: 'it showed signs of life',
  inconclusive: 'its screen changed, which proves no work',
  reacted: 'its screen changed, which proves no work', // the word of earlier journals
  limited: 'a usage limit was on its screen',
  error: 'it answered with an error of its own',
  dialog: 'a question to a person was on its screen',
  person: 'a person was at its keys',
  gone: 'its agent was gone',
  replaced: 'another life had taken its name',
  paneless: 'it had outlived its pane',
};
function sightText({ kind: of, by, what, why, quote }: z.output<typeof sight>): string {
  const seen = of === 'answered' ? `it answered by ${asWords(by)}` : wordsFor(SIGHTS, of, 'it could not be seen');
  return `${seen}${because(what ?? why ?? quote)}`;
}

/** A health check asks too, and is no hearing. */
const asker = (check: string | null | undefined): string =>
  typeof check === 'string' ? 'a health check' : 'the question';

const SIGNAL = { signal: words, pids: list };
const STAGE = {
  attempt: amount,
  warrants: names,
  forced: flag,
  stopped: flag,
  ownWish: flag,
  /** Restarted for a new login. */
  renewal: flag,
  verdict: name,
  reason: name,
};
const stage = (sentence: (line: { attempt: number; forced?: boolean | undefined }) => string) =>
  kind({ ...STAGE, falls: count }, sentence);
const verdictText = (verdict: string | null | undefined): string => asWords(verdict ?? undefined).replace('_', ' ');

const PROC = z.object({ pid: amount, started: words }).catch({ pid: NaN, started: '' });
const attempt = z.object({ asked: z.number().nullable(), windowMs: amount, seen: words });
const closed = kind(
  {
    ...STAGE,
    evidenceOnly: flag,
    rescue,
    survivors: list,
    uuid: name,
    attempts: z.array(attempt).readonly().catch([]),
  },
  ({ verdict, reason, forced, stopped, ownWish, renewal, survivors, ...line }) => {
    const saved = savedIn(line.rescue);
    const end = `${saved === null ? '' : `; ${saved}`}${survivors.length === 0 ? '' : `; ${processes(survivors.length)} survived`}`;
    // The reason says who stopped it.
    if (verdict === 'executed' && stopped === true) return `it was ${asWords(reason)}${end}`;
    if (verdict === 'executed' && (ownWish === true || renewal === true)) return `it ${asWords(reason)}${end}`;
    const isForced = verdict === 'executed' && forced === true;
    const how = isForced ? 'it was executed by force' : `the hearing ended: ${verdictText(verdict)}`;
    return `${how}${because(reason)}${end}`;
  },
);

const kinds = {
  'warrant.filed': kind(
    { uuid: name, reason: name, requester: words, force: flag, via: name },
    (l) =>
      `${l.requester}${viaText(l.via, l.requester)} filed warrant ${asWords(l.warrant ?? undefined)}${l.force === true ? ', without a hearing' : ''}${because(l.reason)}`,
  ),
  'question.typed': kind({}, (l) => `${asker(l.check)} was typed into its pane`),
  'question.not_typed': kind({ obstacle }, (l) => `${asker(l.check)} could not be typed: ${obstacleText(l.obstacle)}`),
  'answer.given': kind({ code: words }, (l) => `the code ${l.code} was answered with \`town alive\``),
  look: kind({ sight }, (l) => sightText(l.sight)),
  intent: kind(
    { processes: z.array(PROC).readonly().catch([]), elsewhere: list.optional() },
    ({ processes: tree, elsewhere = [] }) =>
      `its end was decided: ${were(tree.length)} listed${elsewhere.length === 0 ? '' : `, and ${processes(elsewhere.length)} left alone where its work may go on`}`,
  ),
  rescued: kind(
    { folder: name, ...SAVED },
    ({ folder, ...l }) => savedIn(folder ? { folder, ...l } : null) ?? 'its work was looked at',
  ),
  signalled: kind(
    { alive: amount, newcomers: amount },
    ({ alive, newcomers }) =>
      `${alive === 0 ? 'none' : alive} of its processes ${alive === 1 ? 'was' : 'were'} still there afterwards${newcomers === 0 ? '' : `, and ${times(newcomers, 'new one')}`}`,
  ),
  'signal.ordered': kind(SIGNAL, (l) => `${l.signal} was ordered for ${processes(l.pids.length)}`),
  'survivors.signalled': kind(
    SIGNAL,
    (l) =>
      `${l.signal} was ordered for ${processes(l.pids.length)} that an earlier life of it had left: ${asWords(l.pids)}`,
  ),
  'clear.ordered': kind({ pane: words }, (l) => `its pane ${l.pane} was to be cleared`),
  'dance.idle': stage(() => 'a hearing was opened'),
  'dance.interrogating.asking': stage((l) => `question ${l.attempt} was to be asked`),
  'dance.interrogating.retrying': stage((l) => `question ${l.attempt} waited to be tried again`),
  'dance.interrogating.listening': stage((l) => `the window of question ${l.attempt} ran`),
  'dance.interrogating.confirming': stage(() => 'its agent or its pane seemed gone; a second look was to confirm it'),
  'dance.interrogating.suspended': stage(() => 'the hearing was suspended: a person was at the keys'),
  'dance.evaluating': stage((l) => `the window of question ${l.attempt} was over`),
  'dance.executing.listing': stage(() => 'its end was considered: its processes were to be listed'),
  'dance.executing.looking': stage(
    (l) => `a last look was taken${l.forced === true ? '' : ': an answer would still have pardoned'}`,
  ),
  'dance.executing.rescuing': stage(() => 'its work was to be saved'),
  'dance.executing.terminating': stage(() => 'its processes were asked to end (TERM)'),
  'dance.executing.killing': stage(() => 'those that were left were to be ended (KILL)'),
  'dance.executing.sparing': stage(() => 'it answered after its end was decided: nothing more is signalled'),
  'dance.executing.clearing': stage(() => 'its pane was to be cleared'),
  'dance.pardoned': kind(STAGE, (l) => `it was pardoned${because(l.reason)}`),
  'dance.complete': kind(STAGE, (l) => `the verdict stood: ${verdictText(l.verdict)}`),
  'dance.failed': kind(STAGE, (l) => `the hearing failed${because(l.reason)}`),
  'dance.closed': closed,
};
type Told = Draft<typeof kinds>;

/** `dance.<stage>`; a closed one with its verdict, every question, and what was saved and left alive. */
function danceLine(d: Dance): Told {
  const { id, stage: at, attempt: number, verdict, reason } = d;
  const forced = d.warrants.some((w) => w.force) && {
    forced: true,
    ...(d.warrants.some(isStop) && { stopped: true }),
    ...(isSelfStop(d) && { ownWish: true }),
    ...(isLoginRestart(d) && { renewal: true }),
  };
  const about = { session: d.target.session, dance: id, attempt: number, ...forced };
  const warrants = d.warrants.map((w) => w.id);
  if (at !== 'closed')
    return {
      kind: `dance.${at}` as const,
      ...about,
      warrants,
      ...(verdict !== null && { verdict, reason }),
      ...(d.crashes > 0 && { falls: d.crashes }),
    };
  const { rescue: saved, survivors, evidenceOnly } = d;
  const attempts = d.attempts.slice(0, number).map((a) => ({ asked: a.askedAt, windowMs: a.windowMs, seen: a.seen }));
  return {
    kind: 'dance.closed',
    ...about,
    warrants,
    verdict,
    reason,
    evidenceOnly,
    rescue: saved,
    survivors,
    attempts,
    uuid: d.target.uuid,
  };
}

/** The line of a filed warrant: its target, its reason and its requester. */
function filed(w: Warrant, seen: Correlation): Told[] {
  const { id, reason, requester, force, via, target } = w;
  const { session, uuid } = target;
  const line = { warrant: id, session, uuid, reason, requester, force, ...(via !== undefined && { via }) };
  return seen.isNew(`warrant/${id}`, 'filed') ? [{ kind: 'warrant.filed', ...line }] : [];
}

type Of<Type extends Outcome['type']> = Extract<Outcome, { readonly type: Type }>;

function notAsked({ re, obstacle: what }: Of<'NOT_ASKED'>, seen: Correlation): Told | null {
  const about = seen.about(re);
  if (about.check !== undefined) seen.checks.forget(re);
  return seen.isNew(thingOf(re, about), what.kind) ? { kind: 'question.not_typed', ...about, obstacle: what } : null;
}

function looked({ re, observation: what }: Of<'LOOKED'>, seen: Correlation): Told | null {
  const about = seen.about(re);
  const isNew = what.kind !== 'silent' && seen.isNew(thingOf(re, about), what.kind);
  return isNew ? { kind: 'look', ...about, sight: what } : null;
}

export const hearings: Story<typeof kinds> = {
  kinds,
  facts: {
    WARRANTS_READ: ({ warrants }, seen) => warrants.flatMap((w) => filed(w, seen)),
    WARRANT_FILED: ({ warrant }, seen) => filed(warrant, seen),
    RECORDS_READ: ({ untold = [], warrants }, seen) => [
      ...untold.map((dance) => ({ ...(dance.closedAt !== null && { at: dance.closedAt }), ...danceLine(dance) })),
      ...warrants.flatMap((w) => filed(w, seen)),
    ],
    NOT_ASKED: notAsked,
    ASKED: ({ re }, seen) => ({ kind: 'question.typed', ...seen.about(re) }),
    LOOKED: looked,
    ALIVE_ANSWERED: ({ code }, seen) => ({ kind: 'answer.given', code, ...seen.asking(code) }),
    TREE_LISTED: ({ re, tree, excluded }, seen) => ({
      kind: 'intent',
      ...seen.about(re),
      processes: tree,
      ...(excluded !== undefined && { elsewhere: excluded }),
    }),
    RESCUED: ({ re, rescue: saved }, seen) => ({ kind: 'rescued', ...seen.about(re), ...saved }),
    SIGNALLED: ({ re, alive, newcomers }, seen) => ({
      kind: 'signalled',
      ...seen.about(re),
      alive: alive.length,
      newcomers: newcomers.length,
    }),
  },
  records: {
    dance: ({ value: d }, seen) =>
      seen.isNew(`dance/${d.id}`, `${d.stage}/${d.attempt}/${d.crashes}`) ? danceLine(d) : null,
  },
  orders: {
    signal: ({ id, target, signal, tree }, seen) => ({
      kind: survivorsOf(id) === undefined ? 'signal.ordered' : 'survivors.signalled',
      ...seen.about(id),
      session: target.session,
      signal,
      pids: tree.map((p) => p.pid),
    }),
    clear: ({ id, target }, seen) => ({
      kind: 'clear.ordered',
      ...seen.about(id),
      session: target.session,
      pane: target.paneId,
    }),
    ask: (order, seen) => {
      seen.checks.ordered(order);
      return null;
    },
  },
};
