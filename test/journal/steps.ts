/** Steps of a town that leave every kind of line in its journal, for the golden file. */
import { SESSION_STATES } from '../../machines/protocol/sessions.ts';
import { episodeIn, type NewsBody, type Request } from '../../machines/protocol.ts';
import type { StepSeen } from '../../src/journal/chronicle.ts';
import { NOW, savedSession, session } from '../state/make.ts';
import { records, news, outcomes, orders, order, target, step, stamp } from './step-seen.ts';
import { PROC, hearings } from './hearing-steps.ts';

const REQUESTS: readonly Request[] = [
  { verb: 'startSession', spec: session().spec },
  { verb: 'adoptSession', name: 'gt-nux', process: null, tags: [] },
  ...(['restart', 'end'] as const).map((then): Request => ({
    verb: 'stopSession',
    name: 'gt-nux',
    then,
    force: false,
  })),
  { verb: 'removeSession', name: 'gt-nux' },
  { verb: 'cancelWarrant', id: 'w-1', by: 'mayor' },
  { verb: 'nudge', name: 'gt-nux', text: 'say\u001b[31m it', from: 'mayor', raw: false },
  { verb: 'answer', name: 'gt-nux', dialog: 'dialog-123456789', question: 'Proceed?', option: 'Yes' },
  {
    verb: 'answer',
    name: 'gt-nux',
    dialog: 'dialog-123456789',
    question: 'The key?',
    option: 'other',
    text: 'a-key-of-mine',
  },
  { verb: 'send', name: 'gt-nux', send: 's-1', text: `${'mend it '.repeat(20)}\nand tell it`, from: 'overseer' },
  { verb: 'bootTriage' },
  { verb: 'healthCheck', session: 'gt-nux' },
  { verb: 'healthCheck', session: null },
];

const sessions: readonly StepSeen[] = [
  ...SESSION_STATES.map((state) => records(savedSession(session('gt-nux', { state, note: state, waitMs: 464 })))),
  ...SESSION_STATES.map((state) =>
    records(
      savedSession(
        session('gt-odd', {
          state,
          note: `because of ${state}`,
          incarnation: null,
          waitMs: 61_000,
          crashLoop: true,
          lastExit: state === 'ended' ? { kind: 'signal', signal: 'SIGKILL' } : null,
        }),
      ),
    ),
  ),
  records({ kind: 'forgotten', id: 'gt-nux', value: { at: NOW } }),
  ...(['code', 'signal', 'unknown'] as const).map((kind) =>
    news({
      type: 'SESSION_DIED',
      server: 100,
      paneId: '%7',
      exit: { kind, code: 3, signal: 'SIGKILL' } as const,
    }),
  ),
  ...(['up', 'gone', 'none', 'unknown', 'unknown'] as const).map((server) =>
    outcomes({ issuer: 'sessions', verb: 'scan' }, { type: 'SESSIONS_SEEN', server, seen: [] }),
  ),
  news(
    ...REQUESTS.map((request): NewsBody => ({ type: 'REQUESTED', rpc: 'r1', request })),
    { type: 'REQUESTED', rpc: 'r2', request: REQUESTS[0]!, by: 'operator', via: 'operator' },
    { type: 'REQUESTED', rpc: 'r3', request: REQUESTS[0]!, by: 'gt-mayor', via: 'agent' },
    { type: 'SESSION_WANTED', spec: session().spec, uuid: null, why: 'it is configured' },
    { type: 'END_WANTED', session: 'gt-nux', uuid: 'u', then: 'restart', id: 'm-1', filedAt: NOW, why: 'it said so' },
    { type: 'END_WANTED', session: 'gt-nux', uuid: 'v', then: 'end', id: 'm-2', filedAt: NOW, why: 'it is done' },
  ),
  orders(
    order(
      { issuer: 'sessions', verb: 'start', life: 'u' },
      { type: 'startSession', spec: session().spec, uuid: 'u', previous: null },
    ),
    order(
      { issuer: 'sessions', verb: 'nudge', name: 'u/1' },
      { type: 'nudge', target, text: 'go on', from: 'mayor', raw: false },
    ),
    order(
      { issuer: 'sessions', verb: 'nudge', name: 'u/2' },
      { type: 'nudge', target, text: 'go on', from: 'mayor', raw: false },
    ),
    order(
      { issuer: 'sessions', verb: 'nudge', name: 'u/3' },
      { type: 'nudge', target, text: 'go on', from: 'mayor', raw: false },
    ),
    order(
      { issuer: 'sessions', verb: 'answer', name: 'u/4' },
      { type: 'answerDialog', target, dialog: 'dialog-123456789', option: 'Yes' },
    ),
    order(
      { issuer: 'sessions', verb: 'ending', session: 'gt-nux', step: 'term' },
      { type: 'signal', target, signal: 'KILL', tree: [PROC], graceMs: 1, lookedAt: 0 },
    ),
  ),
  orders(
    order(
      { issuer: 'sessions', verb: 'goOn', life: 'u', turn: 1 },
      { type: 'nudge', target, text: 'go on', from: 'town', raw: false, atRest: true, atLimit: true },
    ),
  ),
  outcomes({ issuer: 'sessions', verb: 'goOn', life: 'u', turn: 1 }, { type: 'NUDGED' }),
  records(
    savedSession(session('gt-nux', { bar: { by: 'limited', life: 'u', since: 1, goOn: { is: 'told', at: 2 } } })),
  ),
  records(savedSession(session('gt-nux'))),
  outcomes({ issuer: 'sessions', verb: 'nudge', name: 'u/1' }, { type: 'NUDGED' }),
  outcomes(
    { issuer: 'sessions', verb: 'nudge', name: 'u/2' },
    { type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'a moment ago', waitMs: 5 } },
  ),
  outcomes({ issuer: 'sessions', verb: 'nudge', name: 'u/3' }, { type: 'ORDER_FAILED', why: 'tmux is gone' }),
  outcomes(
    { issuer: 'sessions', verb: 'answer', name: 'u/4' },
    { type: 'DIALOG_ANSWERED', option: 'Allow once', then: 'it works' },
  ),
  outcomes(
    { issuer: 'sessions', verb: 'answer', name: 'u/4' },
    { type: 'DIALOG_NOT_ANSWERED', why: 'it is gone', given: false },
  ),
  outcomes({ issuer: 'sessions', verb: 'start', life: 'u' }, { type: 'ORDER_FAILED', why: 'tmux is gone' }),
];

const code = 'M4TT';
const check = { uuid: target.uuid, lastPingAt: NOW, lastAnswerAt: null, failures: 2, code: null };
const CHECK = { issuer: 'health', life: target.uuid, verb: 'ask' } as const;
const asks = (): StepSeen => orders(order(CHECK, { type: 'ask', target, lines: [], code }));
const asked = (result: string): StepSeen =>
  records({ kind: 'note', id: 'healthChecks', value: { 'gt-nux': { ...check, result } } });

const watchdog: readonly StepSeen[] = [
  outcomes({ issuer: 'health', verb: 'read' }, { type: 'NOTE_READ', note: 'healthChecks', value: null }),
  ...['answered: code', 'no answer', 'busy: new lines'].flatMap((result) => [
    asks(),
    outcomes(CHECK, { type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' }),
    news({ type: 'ALIVE_ANSWERED', code, uuid: target.uuid }),
    asked(result),
  ]),
  asks(),
  outcomes(CHECK, { type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'go on?' } }),
  ...(['START', 'WAKE', 'NUDGE', 'WARRANT', 'RESTART', 'NOTHING'] as const).map((action) =>
    records({
      kind: 'note',
      id: 'bootStatus',
      value: {
        at: NOW,
        action,
        reason: 'stale',
        heartbeatAgeMs: 1,
        result: 'typed',
        session: action === 'NOTHING' ? 'actor' : 'hq-deacon',
        memory: { uuid: null, wakes: 0, spared: false, undelivered: 0 },
      },
    }),
  ),
  orders(
    order(
      { issuer: 'deacon', verb: 'archive' },
      { type: 'archiveDeaconMail', ids: ['m-1'], why: { 'm-1': 'no session has that name' } },
    ),
    order({ issuer: 'deacon', verb: 'archive', turn: 2 }, { type: 'archiveDeaconMail', ids: ['m-1'] }),
  ),
];

const alert = { severity: 'high', session: 'gt-nux', text: 'gt-nux waits for you.' } as const;
const others: readonly StepSeen[] = [
  orders(
    order(
      { name: 'a', turn: 1 },
      { type: 'alert', alert: { ...alert, episode: episodeIn('needs-input/gt-nux'), life: 'u' } },
    ),
    order(
      { name: 'a', turn: 2 },
      { type: 'alert', alert: { ...alert, episode: episodeIn('disk'), session: null, severity: 'critical' } },
    ),
    order({ name: 'a', turn: 3 }, { type: 'mail', to: 'mayor', subject: 'verdict', body: 'pardoned' }),
  ),
  outcomes(
    { name: 'a', turn: 1 },
    { type: 'ALERTED', ended: [{ episode: episodeIn('needs-input/gt-nux'), text: 'it was heard.' }] },
  ),
  outcomes({ name: 'a', turn: 2 }, { type: 'ALERTED' }),
  step({
    facts: [
      {
        type: 'ALERTS_CHECKED',
        re: { issuer: 'alerts', verb: 'check' },
        ...stamp,
        acked: {},
        over: [{ episode: episodeIn('disk'), text: 'there is room again.', count: 1 }],
      },
      { type: 'LOST', what: 'tmux', why: 'its client ended', ...stamp },
    ],
  }),
  ...(['rig-a', 'deacon'] as const).map((of) =>
    records({
      kind: 'patrol',
      id: of,
      value: {
        of,
        cycle: 7,
        endedAt: NOW,
        why: 'the ledger is locked',
        failures: 1,
        observed: {},
        done: 0,
        undone: 0,
        stranded: [],
        tried: {},
        letters: null,
        memory: {},
        stands: {},
        claims: null,
      },
    }),
  ),
  outcomes(
    { issuer: 'patrol', rig: 'rig-a', turn: 7 },
    {
      type: 'PATROLLED',
      found: {
        observed: {},
        isActive: true,
        stranded: [],
        isPaused: false,
        deeds: [
          { step: 'cleanup', act: 'nuke', about: 'toast', done: true, text: 'everything in it is elsewhere' },
          { step: 'cleanup', act: 'nudge', about: 'gt-rig-a-toast', done: false, text: 'a person is at the keys' },
          { step: 'work', act: 'close', about: 'bead-1', done: true, text: 'merged' },
        ],
      },
    },
  ),
  outcomes(
    { issuer: 'patrol', rig: 'deacon', verb: 'step', name: 'gates', turn: 7 },
    { type: 'ORDER_FAILED', why: 'the ledger is locked' },
  ),
  outcomes(
    { issuer: 'patrol', rig: 'deacon', verb: 'step', name: 'convoys', turn: 7 },
    {
      type: 'STEP_DONE',
      observed: { convoys: 1 },
      outcomes: [{ act: 'land', about: 'tw-cv', done: true, text: 'all of its beads are closed' }],
      isActive: false,
    },
  ),
  news(
    ...(['operator', 'telegram:81'] as const).map((by): NewsBody => {
      const text = 'mail from gt-nux: which database?';
      const asked = { question: 'm-1', kind: 'letter', session: null, text, option: 'reply' };
      return { type: 'QUESTION_ANSWERED', answer: { at: NOW, by, ...asked } };
    }),
    {
      type: 'QUESTION_ANSWERED',
      answer: {
        at: NOW,
        by: 'ntfy',
        question: 'dance-escalated/gt-nux',
        kind: 'alert',
        session: 'gt-nux',
        text: 'high: The hearing of gt-nux needs a person',
        option: 'seen',
      },
    },
  ),
];

export const STEPS: readonly StepSeen[] = [...hearings, ...sessions, ...watchdog, ...others];
