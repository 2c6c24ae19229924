/** What a hearing saves of the time that it gives, and what the running town says of the end of a window (D-7, D-12). */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Dance, Observation } from '../../machines/protocol.ts';
import { windowsOf } from '../../src/town/question-deadlines.ts';
import { Drive, warrant } from '../world/drive.ts';
import { ASKED, seeing, type SimHands } from '../world/hands.ts';

const { saveEveryMs, windowsMs } = POLICY.dance;
const SECOND = 1_000;

/** Every save of the one dance. */
interface Save {
  readonly at: number;
  readonly dance: Dance;
}

/** A hearing of a deaf agent; its looks take as long as `tookMs` says, so that time counts in uneven steps. */
function hearing(
  tookMs: (n: number) => number,
  observation: (now: number) => Observation = () => ({ kind: 'silent' }),
) {
  const saves: Save[] = [];
  let looks = 0;
  const hands: SimHands = {
    ask: { after: 700, body: ASKED },
    look: (_, now) => ({ after: tookMs((looks += 1)), body: seeing(observation(now)) }),
  };
  const drive = new Drive(hands, {
    watch: ({ records }, at) => {
      for (const r of records) if (r.kind === 'dance') saves.push({ at, dance: r.value });
    },
  });
  drive.tell({ type: 'WARRANT_FILED', warrant: warrant('w1') });
  return { drive, saves };
}
const UNEVEN = (n: number): number => 20 + ((n * 37) % 90);
const listening = (saves: readonly Save[], attempt: number): Save[] =>
  saves.filter(({ dance }) => dance.stage === 'interrogating.listening' && dance.attempt === attempt);

test('a window is one write per step of the time it gives, and how long the dance lasts goes along', () => {
  const { drive, saves } = hearing(UNEVEN);
  drive.run(430 * SECOND);
  const third = listening(saves, 3);
  expect(third.length).toBeGreaterThan(40);
  expect(third.length).toBeLessThanOrEqual(240_000 / saveEveryMs + 1);
  for (const [i, { at }] of third.entries())
    if (i > 0) expect(at - (third[i - 1]?.at ?? NaN)).toBeGreaterThan(saveEveryMs / 2);
  const last = third.at(-1)?.dance;
  expect(last?.lastedMs).toBeGreaterThan(410 * SECOND);
});

// Rules: D-12.
test('a crash at any moment gives the accused at most one step more, and never less', () => {
  const { drive, saves } = hearing(UNEVEN);
  while (drive.now < 180 * SECOND) {
    drive.run(100);
    const saved = saves.at(-1)?.dance;
    const [snapshot] = drive.tree.snapshotsOf('dog');
    const { dance } = snapshot?.context as { dance: Dance };
    if (saved?.attempt !== dance.attempt) continue;
    expect(dance.observedMs - saved.observedMs).toBeGreaterThanOrEqual(0);
    expect(dance.observedMs - saved.observedMs).toBeLessThan(saveEveryMs);
  }
});

/** What the town says of the end of the first window, every 700 ms, and when it really was over. */
function told(drive: Drive, saves: readonly Save[]): { said: number[]; end: number } {
  const said: number[] = [];
  while (!saves.some(({ dance }) => dance.stage === 'evaluating')) {
    drive.run(700);
    const clock = { now: () => drive.now, wall: () => drive.now };
    for (const { attempt, ends_at } of windowsOf(drive.tree, clock)) if (attempt === 1) said.push(Date.parse(ends_at));
  }
  return { said, end: saves.find(({ dance }) => dance.stage === 'evaluating')?.at ?? NaN };
}

test('the end of a window is told right from the first moment on, and does not move', () => {
  const { drive, saves } = hearing(UNEVEN);
  const { said, end } = told(drive, saves);
  expect(said.length).toBeGreaterThan(80);
  for (const at of said) {
    expect(Math.abs(at - (said[0] ?? NaN))).toBeLessThan(SECOND);
    expect(Math.abs(at - end)).toBeLessThan(SECOND);
  }
});

// Rules: D-7.
test('blind time moves the end on and never back', () => {
  const blind = (now: number): boolean => now > 20 * SECOND && now < 50 * SECOND;
  const { drive, saves } = hearing(UNEVEN, (now) =>
    blind(now) ? { kind: 'unknown', why: 'tmux is silent' } : { kind: 'silent' },
  );
  const { said, end } = told(drive, saves);
  const [first = NaN, last = NaN] = [said[0], said.at(-1)];
  expect(last - first).toBeGreaterThan(29 * SECOND);
  expect(Math.abs(last - end)).toBeLessThan(SECOND);
  for (const [i, at] of said.entries()) if (i > 0) expect(at).toBeGreaterThanOrEqual(said[i - 1] ?? NaN);
});

test('no end is told while no actor counts', () => {
  let observation: Observation = { kind: 'silent' };
  const { drive } = hearing(UNEVEN, () => observation);
  const ends = (): number => windowsOf(drive.tree, { now: () => drive.now, wall: () => drive.now }).length;
  drive.run(20 * SECOND);
  expect(ends()).toBe(1);
  for (const unseen of [
    { kind: 'unknown', why: 'tmux is silent' },
    { kind: 'person', what: 'a person is there' },
  ] as const) {
    observation = unseen;
    drive.run(10 * SECOND);
    expect(ends()).toBe(0);
    observation = { kind: 'silent' };
    drive.run(10 * SECOND);
    expect(ends()).toBe(1);
  }
});

test('no window is told before its question was asked', () => {
  const { drive } = hearing(UNEVEN);
  drive.run(500);
  expect(windowsOf(drive.tree, { now: () => drive.now, wall: () => drive.now })).toEqual([]);
  drive.run(1_000);
  const [window] = windowsOf(drive.tree, { now: () => drive.now, wall: () => drive.now });
  expect(Date.parse(window?.ends_at ?? '')).toBeGreaterThan((windowsMs[0] ?? NaN) - SECOND);
});
