/** The alert about an agent that spends tokens and does nothing new (M-12): a town in virtual time. */
import { describe, expect, test } from 'vitest';
import type { OutcomeBody, SeenSession, Spending } from '../../machines/protocol.ts';
import { BURNING } from '../../machines/sessions/policy.ts';
import { Drive, SELDOM, townInput } from '../world/drive.ts';
import { running, spec } from './one.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AGENT: Spending = {
  conversation: 'c1',
  tokens: 0,
  isAtWork: true,
  news: '1',
  repeated: { call: 'Bash: npm test', count: 1 },
  tree: 'clean',
};

/** A town with one agent, which makes `step` every half minute. */
function town() {
  let told: Spending | undefined = AGENT;
  let last = AGENT;
  let isDead = false;
  const scan = ({ known }: { readonly known: readonly { session: string; uuid: string }[] }): OutcomeBody => {
    const life = isDead ? { life: 'dead', exit: { kind: 'code', code: 1 } } : { life: 'alive', exit: null };
    const one = { ...(life as Pick<SeenSession, 'life' | 'exit'>), maybeSignalled: false, spending: told };
    return {
      type: 'SESSIONS_SEEN',
      server: 'up',
      seen: known.map(({ session: name, uuid }) => ({ name, uuid, ...one })),
    };
  };
  const drive = new Drive({ scan }, { input: townInput(SELDOM), sessions: [running({ spec })] });
  const of = (episodes: readonly string[]): number => episodes.filter((one) => one === 'burning/s1').length;
  const run = (minutes: number, step: (before: Spending) => Spending | undefined): void => {
    for (let at = 0; at < minutes * 2; at += 1) {
      told = step(last);
      last = told ?? last;
      drive.run(MINUTE / 2);
    }
  };
  drive.run(MINUTE / 2);
  const before = of(drive.ends);
  return {
    drive,
    run,
    die: () => {
      isDead = true;
      drive.run(MINUTE);
    },
    get begun() {
      return of(drive.alerts);
    },
    get ended() {
      return of(drive.ends) - before;
    },
    texts: () => drive.given('alert').flatMap(({ alert }) => (alert.episode === 'burning/s1' ? [alert.text] : [])),
  };
}

/** The same call once more, for 1,000 tokens. */
const again = (before: Spending): Spending => ({
  ...before,
  tokens: before.tokens + 1_000,
  repeated: { call: 'Bash: npm test', count: (before.repeated?.count ?? 0) + 1 },
});
let steps = 0;
/** Something else, which changes `what`. */
const other = (before: Spending, what: 'news' | 'tree' | 'conversation'): Spending => ({
  ...again(before),
  [what]: `${what} ${(steps += 1)}`,
});

const AFTER_MIN = BURNING.afterMs / MINUTE + BURNING.minRepeats;

// Rules: M-12, law 8.
test('begins after its time, once, and says what was spent on what and what to type', () => {
  const it = town();
  it.run(BURNING.afterMs / MINUTE, again);
  expect(it.begun).toBe(0);
  it.run(BURNING.minRepeats, again);
  it.run(60, again);
  expect([it.begun, it.ended]).toEqual([1, 0]);
  expect(it.texts()).toEqual([
    's1 used 40.0k tokens in 20 min and did nothing new: it repeated earlier calls 40 times: "Bash: npm test". It wrote nothing new, committed nothing and changed no file. Nothing is ended for that. To end it with its work saved: town session stop s1',
  ]);
});

test.each<[what: string, step: (before: Spending) => Spending]>([
  ['writes words or calls another tool', (before) => other(before, 'news')],
  ['commits, or changes a file', (before) => other(before, 'tree')],
  ['begins another conversation', (before) => other(before, 'conversation')],
  ['ends its turn', (before) => ({ ...before, isAtWork: false })],
  ['makes another call', (before) => ({ ...before, repeated: null })],
])('is over when it %s, and a new one comes only after the whole time', (_, step) => {
  const it = town();
  it.run(AFTER_MIN, again);
  expect([it.begun, it.ended]).toEqual([1, 0]);
  it.run(1, step);
  expect([it.begun, it.ended]).toEqual([1, 1]);
  it.run(BURNING.afterMs / MINUTE - 1, again);
  expect(it.begun).toBe(1);
});

const CALL = { call: 'Bash: make', count: 30 };

describe('is no alert for an agent that', () => {
  test.each<[what: string, step: (before: Spending, at: number) => Spending | undefined]>([
    ['writes or answers', (before) => other(before, 'news')],
    ['writes now and then', (before, at) => (at % 30 === 0 ? other(before, 'news') : again(before))],
    ['runs different tools', (before) => ({ ...again(before), repeated: null })],
    ['commits now and then', (before, at) => (at % 30 === 0 ? other(before, 'tree') : again(before))],
    ['makes one long call', (before) => ({ ...before, repeated: CALL })],
    ['makes a call that takes long, again and again', (before, at) => (at % 12 === 0 ? again(before) : before)],
    ['made a call often and then waits for its last one', (before, at) => (at < 20 ? again(before) : before)],
    ['rests', (before) => ({ ...again(before), isAtWork: false })],
    ['repeats a call that costs nothing', (before) => ({ ...again(before), tokens: 1 })],
    ['takes tokens without a call', (before) => ({ ...before, tokens: before.tokens + 1_000, repeated: CALL })],
    ['works in no worktree', (before) => ({ ...again(before), tree: null })],
    ['does not say whether it works', (before) => ({ ...again(before), isAtWork: null })],
    ['does not say what it does', (before) => ({ ...again(before), news: null })],
    ['does not say what it takes', () => undefined],
  ])('%s', (_, step) => {
    const it = town();
    let at = 0;
    it.run(120, (before) => step(before, (at += 1)));
    expect(it.begun).toBe(0);
  });
});

test.each<[what: string, step: (before: Spending) => Spending | undefined]>([
  ['whether it works', (before) => ({ ...before, isAtWork: null })],
  ['its worktree', (before) => ({ ...again(before), tree: null })],
  ['its tokens', () => undefined],
])('while %s cannot be told it neither ends nor begins', (_, step) => {
  const it = town();
  it.run(AFTER_MIN, again);
  it.run(30, step);
  expect([it.begun, it.ended]).toEqual([1, 0]);
});

test('a few looks that fail do not begin its time anew', () => {
  const it = town();
  it.run(10, again);
  it.run(2, () => undefined);
  it.run(AFTER_MIN - 12, again);
  expect(it.begun).toBe(1);
});

test('the next life begins anew', () => {
  const it = town();
  it.run(15, again);
  it.drive.run(MINUTE);
  it.run(AFTER_MIN, (before) => ({ ...again(before), conversation: 'c2' }));
  expect(it.begun).toBe(1);
});

test('a restarted town leaves an alert that still stands as it is, until it knows more', () => {
  const it = town();
  it.run(AFTER_MIN, again);
  const before = it.ended;
  it.drive.restart(SECOND);
  it.run(10, again);
  expect(it.ended).toBe(before);
  it.run(1, (one) => other(one, 'news'));
  expect(it.ended).toBe(before + 1);
});

test('is over with its life', () => {
  const it = town();
  it.run(AFTER_MIN, again);
  it.die();
  expect([it.begun, it.ended]).toEqual([1, 1]);
});
