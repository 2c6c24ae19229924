/** Law 8 in virtual time: troubles that come and go twice, with a town that is killed anywhere in between. */
import { describe, expect, test, vi } from 'vitest';
import { traceOf } from './log.ts';
import { TROUBLES } from './office-troubles.ts';
import { testScene } from './oracle-tests.ts';
import { playTrouble, type Kill } from './scenes.ts';
import { someOf } from './seeds.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Of all places where a kill may come, so many are tried, and so many just before something is told. */
const KILLS = 3;
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, n) => n + 1);

describe.each(Object.keys(TROUBLES))('%s', (name) => {
  let whole: ReturnType<typeof playTrouble> | undefined;
  const played = () => (whole ??= playTrouble(name));

  test('is told once each time, and over once', async () => {
    expect((await played()).findings).toEqual([]);
  });

  // Rules: law 8.
  test('also where the town is killed at any step', async () => {
    const { world } = await played();
    const kills: Kill[] = [
      ...someOf(upTo(world.steps), KILLS).map((step) => ({ step })),
      ...someOf(upTo(world.tellings), KILLS).map((telling) => ({ telling })),
    ];
    for (const kill of kills) {
      const { log, findings } = await playTrouble(name, kill);
      expect(findings, `killed at ${JSON.stringify(kill)} of ${world.steps} steps: ${traceOf(log)}`).toEqual([]);
    }
  });
});

testScene('alerts', 1);
