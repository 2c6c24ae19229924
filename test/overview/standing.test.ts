/** How an agent stands to its account (M-9): only what has lasted counts, and what is not known says nothing. */
import { expect, test } from 'vitest';
import type { Heard } from '../../src/sources/port.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import { Standings } from '../../src/overview/standing.ts';
import { HANDS } from '../../src/ports/policy.ts';

const ACCOUNT = { id: 'claude-1', label: '~/.claude', file: '/home/dev/.claude/.credentials.json' };
const word = (state: Word['state'], by: Word['by'] = 'screen'): Word => ({
  by,
  source: by,
  state,
  since: null,
  at: 1,
  detail: null,
  rule: null,
});

/** `isMute`: its program serves nothing. */
function stage({ isMute = false } = {}) {
  const now = {
    at: 0,
    program: null as Word | null,
    screen: null as Word | null,
    resets: null as string | null,
    isCut: undefined as true | undefined,
    mark: 'mark' as string | undefined,
  };
  const standings = new Standings({
    asking: {
      get heard(): ReadonlyMap<string, Heard> {
        return new Map(isMute ? [] : [['u', { word: now.program, conversation: null }]]);
      },
      seen: () => ({ word: now.screen, resets: now.resets, isCut: now.isCut, unheard: null, wrote: null }),
    },
    accounts: { of: () => ACCOUNT, credentialOf: () => now.mark },
    clock: { now: () => now.at, wall: () => Date.UTC(2026, 10, 22, 18, 0) },
    policy: HANDS,
  });
  const after = (ms: number) => {
    now.at += ms;
    return standings.of('u');
  };
  return { now, after, halted: () => standings.haltOf('u') };
}

// Rules: M-9.
test('a limit counts once it has lasted, with its end as a time; a program that tries again by turns shows none', () => {
  const { now, after } = stage();
  [now.screen, now.resets] = [word('limited'), '8:50pm (UTC)'];
  expect(after(0)).toBeUndefined();
  const found = {
    state: 'limited',
    credential: 'mark',
    resets: '8:50pm (UTC)',
    resetsAt: Date.UTC(2026, 10, 22, 20, 50),
  };
  expect(after(HANDS.asksAfterMs)).toEqual(found);
  for (let turn = 0; turn < 10; turn += 1) {
    now.screen = word(turn % 2 === 0 ? 'working' : 'limited');
    expect(after(HANDS.asksAfterMs - 1)).toBeUndefined();
  }
});

test('a limit ended a turn where a hook says so, or where its words stand for the answer; a footer tells of none', () => {
  const { now, after } = stage();
  now.screen = word('limited');
  after(0);
  expect(after(HANDS.asksAfterMs)).not.toHaveProperty('isCut');
  now.isCut = true;
  expect(after(1)).toMatchObject({ state: 'limited', isCut: true });
  expect(after(1)).not.toHaveProperty('since');
  [now.isCut, now.program] = [undefined, { ...word('limited', 'hook'), since: 7, at: 9 }];
  expect(after(1)).toMatchObject({ state: 'limited', isCut: true, since: 7 });
});

test('a login whose file tells nothing is no dead one and no other; a limit needs no file', () => {
  const { now, after } = stage();
  for (const [state, said] of [
    ['logged_out', undefined],
    ['idle', undefined],
    ['limited', 'limited'],
  ] as const) {
    [now.mark, now.screen] = [undefined, word(state)];
    after(0);
    expect(after(HANDS.asksAfterMs)?.state).toBe(said);
  }
});

test('a dead login counts soon; the word of a program that works outranks the screen', () => {
  const { now, after } = stage();
  now.screen = word('logged_out');
  after(0);
  expect(after(HANDS.loggedOutAfterMs)).toMatchObject({ state: 'logged_out' });
  now.program = word('working', 'program');
  expect(after(1)).toBeUndefined();
  expect(after(HANDS.asksAfterMs)).toMatchObject({ state: 'works' });
});

test('a turn counts as long after minutes without a pause by one login: a program tries again by a dead one', () => {
  const { now, after } = stage();
  const long = { state: 'works', credential: 'mark', isLong: true };
  now.screen = word('working');
  after(0);
  expect(after(HANDS.worksLongAfterMs - 1)).toEqual({ state: 'works', credential: 'mark' });
  expect(after(1)).toEqual(long);
  now.mark = 'other';
  expect(after(1)).toEqual({ state: 'works', credential: 'other' });
  expect(after(HANDS.worksLongAfterMs)).toEqual({ ...long, credential: 'other' });
  now.screen = word('idle');
  after(1);
  now.screen = word('working');
  expect(after(1)).toEqual({ state: 'works', credential: 'other' });
});

test.each([
  ['idle', 'rests'],
  ['error', 'rests'],
  ['denied', 'works'],
] as const)('%s: it %s', (state, stands) => {
  const { now, after } = stage();
  now.screen = word(state);
  after(0);
  expect(after(HANDS.asksAfterMs)).toMatchObject({ state: stands });
});

test('a program that asks is at work by its login, but proves no dead one alive: a person may have opened the dialog', () => {
  const { now, after } = stage();
  now.screen = word('logged_out');
  after(HANDS.loggedOutAfterMs);
  [now.program, now.mark] = [word('asks', 'program'), 'other'];
  after(0);
  expect(after(HANDS.asksAfterMs)).toEqual({ state: 'works', credential: 'other' });
  expect(after(2 * HANDS.worksLongAfterMs)).toEqual({ state: 'works', credential: 'other' });
});

test('a dialog on the screen, which may be the one about a login, and an unknown screen say nothing', () => {
  const { now, after } = stage();
  for (const screen of [word('asks'), null]) {
    now.screen = screen;
    after(0);
    expect(after(10 * HANDS.asksAfterMs)).toBeUndefined();
  }
});

// Rules: M-2.
test('a denied step counts once it has stood for a while, and no more once its agent goes on', () => {
  const { now, halted } = stage();
  expect(halted()).toBeUndefined();
  now.program = { ...word('denied', 'hook'), detail: 'Bash: git push --force' };
  expect(halted()).toBeUndefined();
  now.at += HANDS.asksAfterMs - 1;
  expect(halted()).toBeUndefined();
  now.at += 1;
  expect(halted()).toEqual({ state: 'denied', what: 'Bash: git push --force' });
  // Its transcript does not tell for once.
  [now.program, now.screen] = [null, word('idle')];
  expect(halted()).toBeUndefined();
  now.program = word('working', 'program');
  expect(halted()).toBeNull();
});

// Rules: M-2.
test('an error that stood before the town started counts at once; a time to come counts for nothing', () => {
  const wall = Date.UTC(2026, 10, 22, 18, 0);
  for (const [since, found] of [
    [wall - HANDS.asksAfterMs, { state: 'error', what: '529' }],
    [wall - HANDS.asksAfterMs + 1, undefined],
    [wall + HANDS.asksAfterMs, undefined],
  ] as const) {
    const { now, halted } = stage();
    now.program = { ...word('error', 'hook'), detail: '529', since };
    expect(halted()).toEqual(found);
  }
});

// Rules: M-2, law 7.
test.each<[string, Word | null, Word | null, ReturnType<Standings['haltOf']>]>([
  ['by its hook', { ...word('error', 'hook'), detail: '529' }, word('idle'), { state: 'error', what: '529' }],
  ['on its screen', word('idle', 'program'), word('error'), { state: 'error', what: 'screen' }],
  ['as a limit on its screen', word('error', 'hook'), word('limited'), undefined],
  ['as a dead login on its screen', word('error', 'hook'), word('logged_out'), undefined],
  ['and a dialog on its screen alone', null, word('asks'), undefined],
  ['and it is done by its report', word('done', 'hook'), word('idle'), null],
  ['at work by its program', word('working', 'program'), word('error'), null],
  ['and asks on its screen', word('error', 'hook'), word('asks'), undefined],
])('a turn that ended with an error %s', (_, program, screen, halt) => {
  const { now, halted } = stage();
  [now.program, now.screen] = [program, screen];
  halted();
  now.at += HANDS.asksAfterMs;
  expect(halted()).toEqual(halt);
});

test('an error that only a screen shows is over with that screen', () => {
  const { now, halted } = stage({ isMute: true });
  now.screen = word('error');
  halted();
  now.at += HANDS.asksAfterMs;
  expect(halted()).toEqual({ state: 'error', what: 'screen' });
  now.screen = null;
  expect(halted()).toBeUndefined();
  now.screen = word('idle');
  expect(halted()).toBeNull();
});
