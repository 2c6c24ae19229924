/** kill -9 at any instant of a night with agents that fall silent, answer, ask and are typed at: no page twice, no ladder forgotten. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { METHODS } from '../../machines/protocol/tickle.ts';
import { TICKLE } from '../../machines/tickle/policy.ts';
import { MINUTE, SECOND, TickleTown } from './town.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 240_000 });

const NAMES = ['a', 'b', 'c'] as const;
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('sign' as const), of: fc.constantFrom(...NAMES) }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constantFrom('spare' as const, 'free' as const), of: fc.constantFrom(...NAMES) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('kill' as const), awayMs: fc.integer({ min: 1, max: 5 * MINUTE }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('lose' as const, 'find' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('page' as const), of: fc.constantFrom(...NAMES) }) },
);
const history = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 4 * MINUTE }), happens: happening }), {
  minLength: 5,
  maxLength: 60,
});

/** An answer is over only by a sign, a page only leads to a page after its cooldown, and no agent is paged that may not be. */
function play(
  steps: readonly (typeof history extends fc.Arbitrary<infer Of> ? Of : never)[number][],
  bell: boolean,
  nicks: readonly string[],
): void {
  const town = new TickleTown({ ...(bell && { bell: ['ring'] }), nicks, graceMs: 1 });
  for (const name of NAMES) town.agent(name, 10 * MINUTE);
  const spared = new Map<string, boolean>(NAMES.map((name) => [name, false]));
  let seen = 0;
  const look = (): void => {
    for (const { agent } of town.pages.slice(seen)) expect(spared.get(agent), `${agent} may not be paged`).toBe(false);
    seen = town.pages.length;
  };
  for (const { afterMs, happens } of steps) {
    town.run(afterMs);
    look();
    switch (happens.what) {
      case 'sign':
        town.sign(happens.of);
        break;
      case 'spare':
      case 'free': {
        // What the hand would refuse; the look sees it too.
        const is = happens.what === 'spare';
        spared.set(happens.of, is);
        const agent = town.agents.get(happens.of);
        if (agent !== undefined) agent.spared = is ? 'it asks a person' : null;
        if (is) town.obstacles.set(happens.of, { kind: 'dialog', what: 'Proceed?' });
        else town.obstacles.delete(happens.of);
        break;
      }
      case 'kill':
        town.kill(happens.awayMs);
        break;
      case 'page':
        town.ask('page', happens.of);
        break;
      default:
        town.isLost = happens.what === 'lose';
    }
  }
  look();
  for (const name of NAMES)
    for (const by of METHODS) {
      const times = town.pages.filter((one) => one.agent === name && one.by === by).map(({ at }) => at);
      const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
      // The second rung of one page and the first of the next are less than a cooldown apart, by the time to answer.
      const least = TICKLE.cooldownMs - (bell && by !== 'bell' ? 5 * MINUTE : 0);
      for (const gap of gaps) expect(gap, `${name} by ${by}`).toBeGreaterThanOrEqual(least - SECOND);
    }
  // Left alone, each that is silent and may be paged ends with a person, and each record is in the ledger.
  town.isLost = false;
  town.obstacles.clear();
  for (const name of NAMES) {
    const agent = town.agents.get(name);
    if (agent !== undefined) agent.spared = null;
  }
  town.run(40 * MINUTE);
  expect(town.alerts.toSorted()).toEqual(NAMES.map((name) => `silent-agent/${name}`));
  expect(town.record.unwritten).toEqual([]);
  const escalated = town.noted('escalation').length;
  town.kill();
  town.run(10 * MINUTE);
  expect(town.noted('escalation')).toHaveLength(escalated);
  for (const name of NAMES) town.sign(name);
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual([]);
}

// Rules: T-2, T-6, law 6.
test.each([
  [false, []],
  [true, []],
  [true, NAMES],
])('with a bell: %s, in the channel of IRC: %j', (bell, nicks) => {
  fc.assert(
    fc.property(history, (steps) => play(steps, bell, nicks)),
    { numRuns: 60 },
  );
});

/** What a kill may leave of a page on IRC. */
const CUT_OFF = [
  ['bell', 'irc'],
  ['bell', 'irc', 'pane'],
  ['bell', 'pane'],
];

// Rules: T-6.
test.each([
  ['the bell is rung', 0, 'pane'],
  ['the words are typed', 2 * MINUTE, 'pane'],
  ['the words are said on IRC', 2 * MINUTE, 'irc'],
  ['a person is told', 4 * MINUTE, 'irc'],
] as const)('killed at each instant around the moment when %s, each rung is climbed once', (_, about, by) => {
  for (let ms = 0; ms < 30; ms += 1) {
    const town = new TickleTown({ bell: ['ring'], nicks: by === 'irc' ? ['a'] : [], graceMs: MINUTE / 2 });
    town.agent('a', 10 * MINUTE);
    // The first beat after the grace is at one minute of the drive's own clock.
    town.run(MINUTE - town.drive.now + about - 10 + ms);
    town.kill(1);
    town.run(10 * MINUTE);
    const pages = town.pages.map((one) => one.by);
    expect([pages[0], new Set(pages).size], String(ms)).toEqual(['bell', pages.length]);
    // A line that a kill cut off may stand there, and may not: then the pane is next.
    expect(by === 'pane' ? [['bell', 'pane']] : CUT_OFF, String(ms)).toContainEqual(pages);
    expect([town.alerts, town.told.length]).toEqual([['silent-agent/a'], 1]);
    expect(town.noted('escalation')).toHaveLength(1);
  }
});
