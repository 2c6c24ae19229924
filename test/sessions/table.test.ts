/** The life of a session (C-6), cell by cell: the same table, with what comes of each; and that what cannot happen never does. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { sessionOf, type EventName, type Events, type State } from '../../machines/sessions/session.ts';
import { emptyBook, type Live } from '../../machines/sessions/state.ts';
import { happen, IMPOSSIBLE, STATES, TABLE } from '../../machines/sessions/table.ts';
import { incarnation } from '../world/drive.ts';

const NAME = 's1';
const spec: SessionSpec = { name: NAME, command: ['agent'], dir: '/', tags: [], restart: 'permanent', process: null };
const life = incarnation(1, { session: NAME });
const asked = (more: object = {}) => ({ uuid: life.uuid, then: 'end' as const, ...more });
const record = (more: Partial<SessionRecord>): SessionRecord => ({
  ...freshSession(spec, ''),
  pending: null,
  incarnation: life,
  streak: 1,
  configured: true,
  ...more,
});
const out: Live = { dueAt: null, rpc: null };

/** One of each. */
const SAMPLES: Readonly<Record<State, readonly [SessionRecord | null, Live]>> = {
  absent: [null, out],
  starting: [record({ state: 'starting', pending: 'u2' }), out],
  withdrawn: [record({ state: 'starting', pending: 'u2', asked: { uuid: 'u2', then: 'end', operatorAt: 1 } }), out],
  waiting: [record({ state: 'backing_off', waitMs: 500, startBlocked: true }), { ...out, dueAt: 500 }],
  running: [record({ state: 'running' }), out],
  stopping: [record({ state: 'running', asked: asked({ operatorAt: 1 }) }), out],
  observed: [record({ state: 'observed', incarnation: { ...life, origin: 'adopted' } }), out],
  ended: [record({ state: 'ended' }), out],
  retired: [record({ state: 'ended', asked: asked() }), out],
};
const by = { rpc: 'r1' };
const why = 'no';
const born = { incarnation: incarnation(2, { session: NAME, uuid: 'u2' }), tokenHash: 'hash' };
const lostLife = incarnation(3, { session: NAME });
const EVENTS: { readonly [E in EventName]: Events[E] } = {
  START_ASKED: { ...by, by: 'r1', spec },
  STOP_ASKED: { ...by, byHand: true },
  RESTART_ASKED: { ...by, by: 'r1', byHand: true },
  REMOVAL_ASKED: { ...by, isLooked: true, isCleared: true },
  ADOPTION_ASKED: { ...by, process: null, tags: [] },
  ADOPTED: { ...by, process: null, tags: [], dir: '/', ...born },
  ANSWER_ASKED: { ...by, dialog: 'dialog-123456789', option: 'Yes' },
  NUDGE_ASKED: { ...by, text: 'go on', from: 'deacon', raw: false },
  WANTED: { by: 'wanted', rpc: null, spec },
  FOUND: { by: 'wanted', rpc: null, spec, uuid: 'u3' },
  END_ASKED: { then: 'end', id: 'w1', filedAt: 1, why },
  READ: {},
  LISTED: { spec, first: 0 },
  UNLISTED: {},
  UNRECORDED: { spec, incarnation: lostLife, tokenHash: 'hash', startedAt: 1 },
  DUE: {},
  STARTED: born,
  NOT_STARTED: { why },
  NAME_TAKEN: { why },
  PERSON_THERE: { why, personMs: 1_000 },
  LOGGED_OUT: { why, account: { id: 'claude-1', label: '~/.claude', file: null } },
  LOGIN_RENEWED: {},
  CAUSE_PASSED: {},
  SURVIVORS_SEEN: {},
  STEP_DONE: {},
  ORDER_FAILED: { why },
  SEEN_ALIVE: {},
  SEEN_UNKNOWN: {},
  SEEN_DEAD: {
    seen: { name: NAME, uuid: life.uuid, life: 'dead', exit: { kind: 'code', code: 1 }, maybeSignalled: false },
    exit: { kind: 'code', code: 1 },
    sharedWaitMs: null,
    isServerGone: false,
  },
  HELD_BACK: { waitMs: 9_000 },
};

/** Where it is then, what the caller hears, and the other orders; `=` where the book is as it was. */
function played(event: EventName, [r, live]: readonly [SessionRecord | null, Live]): string {
  const empty = emptyBook({ policy: POLICY.sessions, entropy: 'test', agents: [] });
  const book = r === null ? empty : { ...empty, records: { [NAME]: r }, live: { [NAME]: live } };
  const turn = happen(book, [{ name: NAME, event: { type: event, ...EVENTS[event] } as never }], {
    at: 100,
    wall: 100,
  });
  const { records = book.records, live: lives = book.live } = turn.changes;
  const isSame = Object.keys(turn.changes).length === 0;
  const words = turn.orders.map((order) =>
    order.type !== 'reply' ? order.type : order.reply.ok ? 'ok' : order.reply.code,
  );
  return [isSame ? '=' : sessionOf(NAME, records[NAME], lives[NAME]).is, ...words].join(' ');
}

/** `null`: it cannot happen there. */
type Came = readonly (string | null)[] & { readonly length: 9 };
// prettier-ignore
const CAME = {
//               absent                starting                  withdrawn                   waiting                 running                 stopping                 observed                 ended                 retired
  START_ASKED:    ['starting',           '= already_running',     '= stopping',              'starting',             '= already_running',    '= stopping',            '= already_running',     'starting',           'starting'],
  STOP_ASKED:     ['= unknown_session',  'withdrawn ok',          'withdrawn ok',            'retired ok',           'stopping ok fileWarrant', 'stopping ok fileWarrant', '= adopted',        'retired ok',         'retired ok'],
  RESTART_ASKED:  ['= unknown_session',  '= ok',                  'starting ok',             'starting',             'stopping ok fileWarrant', 'stopping ok fileWarrant', '= adopted',        'starting',           'starting'],
  REMOVAL_ASKED:  ['= unknown_session',  '= still_running',       '= still_running',         '= still_running',      '= still_running',      '= still_running',       '= still_running',       'absent announce ok', 'absent announce ok'],
  ADOPTION_ASKED: ['absent adoptSession', '= already_known',      '= already_known',         'waiting adoptSession', '= ok',                 '= ok',                  '= ok',                  'ended adoptSession', 'retired adoptSession'],
  ADOPTED:        ['observed ok',        'observed ok',           'observed ok',             'observed ok',          'observed ok',          'observed ok',           'observed ok',           'observed ok',        'observed ok'],
  NUDGE_ASKED:    ['= unknown_session',  '= not_running',         '= not_running',           '= not_running',        'running nudge',        'stopping nudge',        'observed nudge',        '= not_running',      '= not_running'],
  ANSWER_ASKED:   ['= unknown_session',  '= not_running',         '= not_running',           '= not_running',        'running answerDialog', 'stopping answerDialog', 'observed answerDialog', '= not_running',      '= not_running'],
  WANTED:         ['starting',           '=',                     '=',                       '=',                    '=',                    '=',                     '=',                     'starting',           '='],
  FOUND:          ['starting',           '=',                     '=',                       '=',                    '=',                    '=',                     '=',                     'starting',           'starting'],
  END_ASKED:      [null,                 '=',                     '=',                       '=',                    'running fileWarrant',  '=',                     'observed fileWarrant',  '=',                  '='],
  READ:           [null,                 'starting',              'withdrawn',               'waiting',              '=',                    'stopping fileWarrant',  '=',                     '=',                  '='],
  LISTED:         ['starting',           '=',                     '=',                       '=',                    '=',                    '=',                     '=',                     'starting',           '='],
  UNLISTED:       [null,                 '=',                     '=',                       '=',                    '=',                    '=',                     '=',                     'ended',              'retired'],
  UNRECORDED:     ['running',            '=',                     '=',                       '=',                    '=',                    '=',                     '=',                     '=',                  '='],
  DUE:            [null,                 'starting startSession', 'withdrawn startSession',  'starting startSession', null,                  'stopping fileWarrant',  null,                    'ended',              null],
  STARTED:        [null,                 'running',               'stopping fileWarrant',    null,                   null,                   null,                    null,                    null,                 null],
  NOT_STARTED:    [null,                 'waiting',               'retired',                 null,                   null,                   null,                    null,                    null,                 null],
  NAME_TAKEN:     [null,                 'waiting',               'retired',                 null,                   null,                   null,                    null,                    null,                 null],
  PERSON_THERE:   [null,                 'waiting',               'retired',                 null,                   null,                   null,                    null,                    null,                 null],
  LOGGED_OUT:     [null,                 'waiting',               'retired',                 null,                   null,                   null,                    null,                    null,                 null],
  LOGIN_RENEWED:  [null,                 null,                    null,                      null,                   'running fileWarrant', '=',                     '=',                     null,                 null],
  CAUSE_PASSED:   [null,                 null,                    null,                      'waiting',              null,                   null,                    null,                    null,                 null],
  SURVIVORS_SEEN: [null,                 'starting startSession', 'withdrawn startSession',  null,                   null,                   null,                    null,                    null,                 null],
  STEP_DONE:      [null,                 'starting listSurvivors', 'withdrawn listSurvivors', null,                  null,                   null,                    null,                    null,                 null],
  ORDER_FAILED:   [null,                 'starting',              'withdrawn',               null,                   null,                   'stopping',              null,                    null,                 null],
  SEEN_ALIVE:     [null,                 null,                    null,                      null,                   'running',              'stopping',              'observed',              null,                 null],
  SEEN_UNKNOWN:   [null,                 null,                    null,                      null,                   'running',              'stopping',              'observed',              null,                 null],
  SEEN_DEAD:      [null,                 null,                    null,                      null,                   'waiting',              'retired',               'ended',                 null,                 null],
  HELD_BACK:      [null,                 null,                    null,                      'waiting',              null,                   null,                    null,                    null,                 null],
} as const satisfies Readonly<Record<EventName, Came>>;

const isImpossible = (event: EventName, at: number): boolean => IMPOSSIBLE.has(TABLE[event][at] as never);

test.each(Object.keys(TABLE) as EventName[])('%s', (event) => {
  expect(STATES.map((state, at) => (isImpossible(event, at) ? null : played(event, SAMPLES[state])))).toEqual(
    CAME[event],
  );
  for (const [at, state] of STATES.entries())
    if (isImpossible(event, at)) expect(played(event, SAMPLES[state])).toBe('=');
});

// Rules: C-13.
test.each<[string, object, State, string]>([
  ['its agent', {}, 'retired', '='],
  ['the operator', { operatorAt: 1 }, 'retired', '='],
  ['the town', { townAt: 1 }, 'ended', 'starting'],
])('an end that was asked for by %s', (_, by, state, wanted) => {
  const r = record({ state: 'ended', asked: asked(by) });
  expect([sessionOf(NAME, r).is, played('WANTED', [r, out])]).toEqual([state, wanted]);
});

test('the state of each sample is read from its record', () => {
  expect(STATES.map((state) => sessionOf(NAME, SAMPLES[state][0] ?? undefined, SAMPLES[state][1]).is)).toEqual(STATES);
});
