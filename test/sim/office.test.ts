/** Law 8 in virtual time: troubles that come and go twice, with a town that is killed anywhere in between. */
import { describe, expect, test, vi } from 'vitest';
import { DAY } from './day.ts';
import { traceOf } from './log.ts';
import { Office, type OfficeRan } from './office.ts';
import { TROUBLES, type Trouble } from './office-troubles.ts';
import { judgeOffice, type Expected } from './oracle-office.ts';
import type { OfficePlant } from './plants.ts';

vi.setConfig({ testTimeout: 180_000 });

const SECOND = 1_000;
const BEGIN = 10 * SECOND;
const PAUSE = 10 * SECOND;
async function play(trouble: Trouble, killAt?: number, plant?: OfficePlant): Promise<readonly [OfficeRan, string[]]> {
  const { begins, ends, tells, may = [], isUnrecorded = false, lastsMs, overMs } = trouble;
  const stood = [0, 1].map((n) => {
    const from = BEGIN + n * (lastsMs + overMs + PAUSE);
    return { from, to: from + lastsMs, overBy: from + lastsMs + overMs };
  });
  const changes = stood.flatMap(({ from, to }) => [
    { at: from, make: begins },
    { at: to, make: ends },
  ]);
  const ran = await new Office(changes, killAt, plant).run((stood.at(-1)?.overBy ?? 0) + PAUSE);
  return [ran, judgeOffice(ran, { tells, may, stood, isUnrecorded } satisfies Expected)];
}

/** Of all places where a kill may come, so many are tried, and so many just before something is told. */
const KILLS = process.env['SIM_KILLS'] === 'all' ? Infinity : 5;
function some(of: readonly number[]): readonly number[] {
  const stride = Math.max(1, Math.floor(of.length / KILLS));
  return of.filter((_, n) => n % stride === DAY % stride);
}
const chosen = (steps: number, edges: readonly number[]): Set<number> =>
  new Set([...some(Array.from({ length: steps }, (_, n) => n + 1)), ...some(edges)]);

describe.each(Object.entries(TROUBLES))('%s', (_, trouble) => {
  let whole: Promise<readonly [OfficeRan, string[]]> | undefined;
  const played = () => (whole ??= play(trouble));

  test('is told once each time, and over once', async () => {
    expect((await played())[1]).toEqual([]);
  });

  // Rules: law 8.
  test('also where the town is killed at any step', async () => {
    const [{ steps, edges }] = await played();
    for (const killAt of chosen(steps, edges)) {
      const [{ log }, found] = await play(trouble, killAt);
      expect(found, `killed at step ${killAt} of ${steps}: ${traceOf(log)}`).toEqual([]);
    }
  });
});

/** What the oracle must say about each planted fault, whichever trouble it shows in. */
const SEEN: Readonly<Record<OfficePlant, RegExp>> = {
  'loses ends': /open in the end/,
  'tells each time': /: alert at \d+ and again/,
  'ends what stands': /while its cause stands/,
  'forgets what others told': /no alert between|open in the end/,
  'notifies nobody': /no alert between/,
};
/** The step at which a kill is known to show the one that shows in no whole history. */
const KNOWN_EDGE = 1230;
test.each(Object.entries(SEEN))('the oracle sees a planted fault: %s', async (plant, sentence) => {
  const trouble = TROUBLES['an agent keeps crashing'] as Trouble;
  const [{ edges }, found] = await play(trouble, undefined, plant as OfficePlant);
  const isSeen = (what: readonly string[]): boolean => what.some((one) => sentence.test(one));
  if (isSeen(found)) return;
  for (const killAt of [KNOWN_EDGE, ...edges])
    if (isSeen((await play(trouble, killAt, plant as OfficePlant))[1])) return;
  expect.unreachable(`no finding like ${String(sentence)}`);
});
