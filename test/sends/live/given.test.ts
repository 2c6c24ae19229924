/** Work for an agent whose program takes it without a key: given once, and typed only where it was surely not taken (law 5, law 7). */
import { describe, expect, test } from 'vitest';
import { bash } from '../../hearings/live/questions.ts';
import { courtWith } from '../../hearings/live/courts.ts';
import type { Give, Given } from '../../../src/sources/gives.ts';

/** A reader of lines that shows how each arrived. */
const READER = bash('while IFS= read -r line; do echo "got<$line>"; done');
const WORK = 'prune the quince tree';

interface Program extends Give {
  readonly taken: string[];
}

/** `before`: what it says of earlier work; mute = nothing. */
function program(answer: Given, before: Given | 'mute' | null = null): Program {
  const taken: string[] = [];
  return {
    taken,
    has: () => Promise.resolve(before === 'mute' ? undefined : before),
    give: ({ text }) => (taken.push(text), Promise.resolve(answer)),
  };
}

// Rules: law 7.
describe('work', () => {
  test.each(['given', 'begun'] as const)('that its program says is %s is not typed', async (way) => {
    const { court, target } = await courtWith(READER);
    const it = program(way);
    expect(await court.work(target, 'one', WORK, it)).toEqual({ type: 'NUDGED', way });
    expect(it.taken).toEqual([WORK]);
    expect((await court.text(target)).trim()).toBe('');
  });

  test('that its program has already is given no second time', async () => {
    const { court, target } = await courtWith(READER);
    const it = program('begun', 'given');
    expect(await court.work(target, 'one', WORK, it)).toEqual({ type: 'NUDGED', way: 'given' });
    expect(it.taken).toEqual([]);
  });

  test('that its program surely did not take is typed', async () => {
    const { court, target } = await courtWith(READER);
    expect(await court.work(target, 'one', WORK, program('not'))).toEqual({ type: 'NUDGED' });
    await court.until(async () => (await court.text(target)).includes(`got<${WORK}>`), 'the line to arrive');
  });

  test('of which its program does not say whether it took it is neither typed nor given again', async () => {
    const { court, target } = await courtWith(READER);
    expect(await court.work(target, 'one', WORK, program('unknown'))).toMatchObject({
      type: 'NOT_NUDGED',
      obstacle: { kind: 'unfit', what: expect.stringContaining('did not say whether it has it') as string },
    });
    // After a kill of the town its program does not answer: it waits, and is not typed.
    const mute = program('given', 'mute');
    expect(await court.work(target, 'one', WORK, mute)).toMatchObject({ obstacle: { kind: 'unknown' } });
    expect(mute.taken).toEqual([]);
    expect((await court.text(target)).trim()).toBe('');
  });

  test.each([
    ['is heard no more', null, 'unknown'],
    ['does not have it', program('given'), 'unfit'],
  ])('that a killed town may have given is not typed where its program %s', async (_, now, kind) => {
    const { court, target } = await courtWith(READER);
    await court.work(target, 'one', WORK, program('unknown'));
    expect(await court.work(target, 'one', WORK, now)).toMatchObject({ type: 'NOT_NUDGED', obstacle: { kind } });
    expect(now?.taken ?? []).toEqual([]);
    expect((await court.text(target)).trim()).toBe('');
    // Another piece with the same words is another.
    const next = program('given');
    expect(await court.work(target, 'two', WORK, next)).toEqual({ type: 'NUDGED', way: 'given' });
  });

  test('that was never given is typed where its program does not answer', async () => {
    const { court, target } = await courtWith(READER);
    const mute = program('given', 'mute');
    expect(await court.work(target, 'one', WORK, mute)).toEqual({ type: 'NUDGED' });
    expect(mute.taken).toEqual([]);
  });

  test('for a life that is gone is given to none', async () => {
    const { court, target } = await courtWith(READER);
    const it = program('given');
    const gone = { ...target, agent: { ...target.agent, started: 'before' } };
    expect(await court.work(gone, 'one', WORK, it)).toMatchObject({ type: 'NOT_NUDGED' });
    expect(it.taken).toEqual([]);
  });
});
