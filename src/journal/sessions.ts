/** What sessions leave in the journal: a life when its place changes, deaths, starts, nudges, and what was asked of the town. */
import { z } from 'zod';
import { PATROLS } from '../../machines/protocol/hearings.ts';
import {
  orderName,
  type Exit,
  type NudgeObstacle,
  type OrderId,
  type Request,
  type SessionRecord,
  type SessionState,
} from '../../machines/protocol.ts';
import { REQUESTS, type RequestRow, type Verb } from '../../machines/protocol/requests.ts';
import { amount, because, count, flag, kind, name, names, asWords, words, wordsFor } from './kind.ts';
import { operatorBy } from './via.ts';
import type { Draft, Story } from './kind.ts';
import { obstacle, obstacleText } from './hearings.ts';
import { JOURNAL_WORDS } from './policy.ts';
import { span } from '../../machines/kernel/span.ts';

const exit = z.object({ kind: words, code: count, signal: name }).optional().catch({ kind: 'unknown' });

function exitText(of: z.output<typeof exit>): string {
  switch (of?.kind) {
    case 'code':
      return `its process ended with code ${asWords(of.code)}`;
    case 'signal':
      return `its process was ended by ${asWords(of.signal ?? undefined)}`;
    default:
      return 'its process ended, it is unknown how';
  }
}

const LIFE = { uuid: name, note: name, restarts: amount, exit };
interface Life {
  readonly note?: string | null | undefined;
  readonly exit?: z.output<typeof exit>;
}
/** A note that only repeats the state says nothing. */
const noted = (state: SessionState, { note }: Life): string => because(note === state ? '' : note);
/** How it ended, unless its note tells. */
const ended = ({ note, exit: how }: Life): string =>
  how === undefined || /^ended (with|by) /.test(note ?? '') ? '' : `; ${exitText(how)}`;
const life = (sentence: (line: Life) => string, ends?: true) =>
  kind(LIFE, sentence, { chapter: 'life', ...(ends === true && { ends }) });

/** Lines of an older town do not say who, or have the town's patrols ask as the operator. */
function askerOf(by: string | null | undefined, via: string | null | undefined): string {
  if (via === 'town' || (via === 'operator' && by === PATROLS)) return "the town's patrol";
  if (via === 'operator') return operatorBy(by);
  return typeof by === 'string' ? by : 'a caller';
}

const request = z.looseObject({ verb: words }).catch({ verb: 'nothing' });

function requestText(of: z.output<typeof request>): string {
  const { told }: Pick<RequestRow, 'told'> = Object.hasOwn(REQUESTS, of.verb)
    ? REQUESTS[of.verb as Verb]
    : { told: `asked for ${of.verb}` };
  return typeof told === 'string' ? told : told((word) => (of[word] === undefined ? '' : asWords(of[word])));
}

/** As the journal keeps it: for weeks, and for every agent to read. */
function kept(asked: Request): Request {
  const { secret, long }: RequestRow = REQUESTS[asked.verb];
  const words = Object.entries(asked).filter(([name]) => name !== secret);
  return Object.fromEntries(
    words.map(([name, word]) => [name, name === long ? beginningOf(String(word)) : word]),
  ) as unknown as Request;
}

function beginningOf(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const cut = [...line].slice(0, JOURNAL_WORDS.begun).join('');
  return cut === text ? text : `${cut}…`;
}

/** Why not, without the time that is left. */
const reasonOf = (what: NudgeObstacle): string => JSON.stringify({ ...what, waitMs: null });
/** The words for a session by one order, however often that is given. */
const wordsOf = (re: OrderId, { session = '' }: { readonly session?: string }): string =>
  `words/${session}/${orderName({ ...re, round: undefined })}`;

/** The session of a request; null = the town, or no session in particular. */
function subjectOf(of: Request): string | null {
  if ('spec' in of) return of.spec.name;
  return 'name' in of ? of.name : 'session' in of ? of.session : null;
}

const TMUX: Readonly<Record<string, string>> = {
  up: 'the tmux server was there',
  gone: 'the tmux server was gone',
  none: 'no tmux server ran yet',
  unknown: 'the tmux server could not be asked',
};

const kinds = {
  'session.starting': life((l) => `it was being started${noted('starting', l)}`),
  'session.running': life((l) => `it ran${noted('running', l)}`, true),
  'session.observed': life((l) => `it was adopted and watched${noted('observed', l)}`, true),
  'session.ended': life(
    (l) => `it ${l.note?.startsWith('ended ') === true ? l.note : `ended${noted('ended', l)}`}${ended(l)}`,
    true,
  ),
  'session.backing_off': kind(
    { ...LIFE, waitMs: amount, crashLoop: flag },
    (l) =>
      `it waited ${span(l.waitMs)} for its next start${noted('backing_off', l)}${ended(l)}${l.crashLoop === true ? '; it is in a crash loop' : ''}`,
    { chapter: 'life' },
  ),
  'session.removed': kind({}, () => 'it was removed: the town forgot it', { chapter: 'life' }),
  'session.wanted': kind({ why: name }, (l) => `the town was asked to run it${because(l.why)}`, { chapter: 'life' }),
  'end.wanted': kind(
    { then: name, why: words },
    (l) => `it asked for its own end${l.then === 'restart' ? ' and a new start' : ''}: ${l.why}`,
    { chapter: 'life' },
  ),
  'start.ordered': kind(
    { uuid: name, command: names },
    ({ command }) =>
      `its start was ordered${command.length === 0 ? '' : `, with the command \`${command.join(' ')}\``}`,
    { chapter: 'life' },
  ),
  'death.noticed': kind({ pane: name, exit }, (l) => exitText(l.exit), { chapter: 'life' }),
  requested: kind(
    { rpc: name, request, by: name, via: name },
    (l) => `${askerOf(l.by, l.via)} ${requestText(l.request)}`,
  ),
  'nudge.ordered': kind({ from: words, text: words }, (l) => `${l.from} wanted to say: ${l.text}`, {
    chapter: 'nudge',
  }),
  'limit.told': kind(
    { text: words },
    (l) => `its usage limit should have been over, and the town wanted to say: ${l.text}`,
    { chapter: 'nudge' },
  ),
  'limit.over': kind({}, () => 'it went on after its usage limit, since the town had told it to'),
  'nudge.typed': kind({}, () => 'the nudge was typed into its pane', { chapter: 'nudge', ends: true }),
  'nudge.not_typed': kind({ obstacle }, (l) => `the nudge was not typed: ${obstacleText(l.obstacle)}`, {
    chapter: 'nudge',
    ends: true,
  }),
  'dialog.answered': kind({ option: name, then: words }, (l) => {
    // An older town did not write which.
    const option = l.option ? ` with ${JSON.stringify(l.option)}` : '';
    return `its dialog was answered${option}; ${l.then}`;
  }),
  'dialog.not_answered': kind({ why: words }, (l) => `its dialog was not answered: ${l.why}`),
  tmux: kind({ server: words }, ({ server }) => wordsFor(TMUX, server, `the tmux server: ${server}`)),
};

/** `session.<state>`, with its last exit and the wait before its next start. */
function sessionLine(r: SessionRecord): Draft<typeof kinds> {
  const { state, note, lastExit, restarts, incarnation, waitMs, crashLoop } = r;
  const line = {
    session: r.spec.name,
    uuid: incarnation?.uuid ?? null,
    note,
    restarts,
    ...(lastExit !== null && { exit: lastExit satisfies Exit }),
  };
  return state === 'backing_off'
    ? { kind: 'session.backing_off', ...line, waitMs, crashLoop }
    : { kind: `session.${state}` as const, ...line };
}

const thingOf = (name: string): string => `session/${name}`;
const placeOf = ({ state, incarnation, restarts, streak }: SessionRecord): string =>
  `${state}/${incarnation?.uuid ?? ''}/${restarts}/${streak}`;

export const sessions: Story<typeof kinds> = {
  kinds,
  facts: {
    // An end that an earlier process of the town saw is in the journal; one that goes on is told again, as what ran on.
    SESSIONS_READ: ({ sessions: read }, seen) => {
      for (const one of read) if (one.state === 'ended') seen.knows(thingOf(one.spec.name), placeOf(one));
      return null;
    },
    SESSION_DIED: ({ paneId, exit: how }) => ({ kind: 'death.noticed', pane: paneId, exit: how }),
    SESSIONS_SEEN: ({ server }, seen) => (seen.isNew('server', server) ? { kind: 'tmux', server } : null),
    // `by` and `via` stand where the words of the caller cannot reach: beside the request, not in it.
    REQUESTED: ({ rpc, request: asked, by, via }, seen) => {
      // A caller that waits for its work asks again and again.
      if (asked.verb === 'send' && !seen.isNew(`send/${asked.send}`, 'asked')) return null;
      const session = subjectOf(asked);
      return {
        kind: 'requested',
        rpc,
        request: kept(asked),
        ...(session !== null && { session }),
        ...(by !== undefined && { by }),
        ...(via !== undefined && { via }),
      };
    },
    SESSION_WANTED: ({ spec, why, uuid }, seen) =>
      seen.isNew(`wanted/${spec.name}`, `${why}/${uuid ?? ''}`)
        ? { kind: 'session.wanted', session: spec.name, why }
        : null,
    END_WANTED: ({ id, uuid, session, then, why }, seen) =>
      seen.isNew(`end/${uuid}`, id) ? { kind: 'end.wanted', session, then, why } : null,
    NUDGED: ({ re }, seen) => {
      seen.isNew(wordsOf(re, seen.nudged(re)), 'typed');
      return { kind: 'nudge.typed', ...seen.nudged(re) };
    },
    // Work that waits is tried every few seconds.
    NOT_NUDGED: ({ re, obstacle: what }, seen) =>
      seen.isNew(wordsOf(re, seen.nudged(re)), reasonOf(what))
        ? { kind: 'nudge.not_typed', ...seen.nudged(re), obstacle: what }
        : null,
    DIALOG_ANSWERED: ({ re, option, then }, seen) => ({ kind: 'dialog.answered', ...seen.nudged(re), option, then }),
    DIALOG_NOT_ANSWERED: ({ re, why }, seen) => ({ kind: 'dialog.not_answered', ...seen.nudged(re), why }),
  },
  records: {
    session: ({ id, value: r }, seen) => [
      ...(seen.isNew(thingOf(id), placeOf(r)) ? [sessionLine(r)] : []),
      ...(seen.wentOn(r) ? [{ kind: 'limit.over', session: id } as const] : []),
    ],
    forgotten: ({ id }) => ({ kind: 'session.removed', session: id }),
  },
  orders: {
    startSession: ({ spec, uuid }) => ({ kind: 'start.ordered', session: spec.name, uuid, command: spec.command }),
    nudge: ({ id, target: { session }, from, text, atLimit }, seen) => {
      seen.nudging(id, session);
      return atLimit === true ? { kind: 'limit.told', session, text } : { kind: 'nudge.ordered', session, from, text };
    },
    remind: ({ id, session }, seen) => {
      seen.nudging(id, session);
      return null;
    },
    answerDialog: ({ id, target: { session } }, seen) => {
      seen.nudging(id, session);
      return null;
    },
  },
};
