/** When a conversation is gone on with, when it is left, and which names are kept: every row of afterStart and afterEnd. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Conversation, Spoken } from '../../machines/protocol.ts';
import {
  afterHeard,
  afterStart,
  afterSteadyLife,
  conversationText,
  resumedBy,
} from '../../machines/sessions/conversation.ts';
import { afterDeath } from '../../machines/sessions/lifecycle.ts';
import { town } from './lasting.ts';
import { code, life, running } from './one.ts';

const policy = POLICY.sessions;
const most = policy.conversationDeaths;
const had = (more: Partial<Conversation> = {}): Conversation => ({ id: 'c-1', resumed: false, deaths: 0, ...more });
const begun = (more: Partial<Spoken> = {}): Spoken => ({ id: 'c-2', resumed: false, ...more });

// Rules: M-11.
test.each<[string, Conversation | undefined, string | null]>([
  ['its first life', undefined, null],
  ['a life after the first', had(), 'c-1'],
  ['a life after one crash less than too many', had({ deaths: most - 1 }), 'c-1'],
  ['a life after too many crashes', had({ deaths: most }), null],
])('%s', (_, conversation, id) => {
  expect(resumedBy(running({ conversation }), policy)).toBe(id);
});

test.each<[string, Conversation | undefined, Spoken | undefined, Conversation | undefined]>([
  ['the first one begins', undefined, begun(), { id: 'c-2', resumed: false, deaths: 0 }],
  ['it is gone on with', had({ deaths: 2 }), { id: 'c-1', resumed: true }, had({ resumed: true, deaths: 2 })],
  [
    'its program keeps none of that name',
    had(),
    begun({ because: 'it keeps none' }),
    { id: 'c-2', resumed: false, deaths: 0, because: 'it keeps none', left: 'c-1' },
  ],
  [
    'it ended too many lives',
    had({ deaths: most }),
    begun(),
    { id: 'c-2', resumed: false, deaths: 0, because: `${most} lives in a row ended with c-1`, left: 'c-1' },
  ],
  [
    'one that no life was steady with is no loss: the name of the one before is kept',
    had({ deaths: most, left: 'c-0', because: 'x' }),
    begun(),
    { id: 'c-2', resumed: false, deaths: 0, because: `${most} lives in a row ended with c-1`, left: 'c-0' },
  ],
  [
    'one that a life was steady with is kept by name',
    had({ deaths: most, left: 'c-0', steady: true }),
    begun(),
    { id: 'c-2', resumed: false, deaths: 0, because: `${most} lives in a row ended with c-1`, left: 'c-1' },
  ],
  ['its start can name none: the name is kept', had({ resumed: true }), undefined, had()],
])('%s', (_, conversation, spoken, after) => {
  expect(afterStart(running({ conversation }), { conversation: spoken }, policy)).toEqual(after);
});

// Rules: M-11.
test('a start with another prompt, whose program names its conversation later, leaves the last one at once', () => {
  const before = running({ conversation: had(), prompt: 'p-1' });
  expect(afterStart(before, { prompt: 'p-1' }, policy)).toEqual(had());
  expect(afterStart(before, { prompt: '' }, policy)).toEqual(had());
  const now = afterStart(before, { prompt: 'p-2' }, policy);
  expect(resumedBy(running({ conversation: now }), policy)).toBeNull();
  expect(afterHeard(now, 'c-2', policy)?.because).toBe('its first prompt is another one');
});

// Rules: M-11.
test.each<[string, Conversation | undefined, string, Conversation | undefined]>([
  ['the first one that its program names', undefined, 'c-1', had()],
  ['the one on record', had({ resumed: true, deaths: 2 }), 'c-1', had({ resumed: true, deaths: 2 })],
  [
    'another one than the record has',
    had({ resumed: true, deaths: 2, steady: true }),
    'c-2',
    had({ id: 'c-2', because: 'another one was begun in it', left: 'c-1' }),
  ],
  [
    'another one after the one that its operator wanted left',
    had({ over: 'the operator asked for a new one' }),
    'c-2',
    had({ id: 'c-2', because: 'the operator asked for a new one', left: 'c-1' }),
  ],
  ['what would be an option of a command', had(), '--last', had()],
  ['what is no name', undefined, 'a b', undefined],
])('a program says: %s', (_, conversation, id, after) => {
  expect(afterHeard(conversation, id, policy)).toEqual(after);
});

// Rules: M-11.
test('crashes and executions in a row count, limits and the death of a server do not; a clean end and a steady life forget them', () => {
  const death = { exit: code(1), maybeSignalled: false, elapsedMs: 0, sharedWaitMs: null };
  const deathsAfter = (
    more: Partial<typeof death> | { readonly limit: string } | { readonly sharedWaitMs: number },
    deaths = 0,
  ) =>
    afterDeath(running({ conversation: had({ deaths }) }), { ...death, ...more }, policy, 'test').conversation?.deaths;
  expect(deathsAfter({})).toBe(1);
  expect(deathsAfter({ maybeSignalled: true })).toBe(1);
  expect(deathsAfter({}, 1)).toBe(2);
  expect(deathsAfter({ exit: code(0) }, 2)).toBe(0);
  expect(deathsAfter({ limit: 'limit reached' }, 1)).toBe(1);
  expect(deathsAfter({ sharedWaitMs: 5 }, 1)).toBe(1);
  expect(afterSteadyLife(had({ deaths: 2 }))).toEqual(had({ deaths: 0, steady: true }));
});

// Rules: C-10.
test('an agent that asks for a new life begins anew, one that an operator restarts goes on', () => {
  const death = { exit: code(0), maybeSignalled: true, elapsedMs: 0, sharedWaitMs: null };
  const asked = { uuid: life.uuid, then: 'restart' } as const;
  const next = (more: object) =>
    resumedBy(
      afterDeath(running({ conversation: had(), asked: { ...asked, ...more } }), death, policy, 'test'),
      policy,
    );
  expect(next({})).toBeNull();
  expect(next({ operatorAt: 1 })).toBe('c-1');
  const over = had({ over: 'its agent asked for a new life' });
  expect(afterStart(running({ conversation: over }), { conversation: begun() }, policy)?.because).toBe(
    'its agent asked for a new life',
  );
});

test('what a start says of it', () => {
  expect(conversationText(had(), undefined)).toBe('');
  expect(conversationText(had({ resumed: true }), undefined)).toBe('went on with its conversation');
  expect(conversationText(had({ because: 'x' }), undefined)).toBe('began its conversation anew, because x');
  expect(conversationText(undefined, 'y')).toBe('began its conversation anew, because y');
  expect(conversationText(undefined, undefined)).toBe('');
});

test.each<[string, Conversation, string]>([
  [
    'it ended too many lives',
    had({ deaths: most }),
    `running; began its conversation anew, because ${most} lives in a row ended with c-1`,
  ],
  [
    'its agent wanted another one',
    had({ over: 'its agent asked for a new life' }),
    'running; began its conversation anew, because its agent asked for a new life',
  ],
  ['nothing tells', had(), 'running'],
])('a program that names its conversation later says at its start why it is another one: %s', (_, before, note) => {
  const waiting = running({ state: 'backing_off', incarnation: null, conversation: before });
  const { drive, now } = town(waiting, {
    life: 'alive',
    start: { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' },
  });
  drive.run(60_000);
  expect(now()).toMatchObject({ state: 'running', note });
});
