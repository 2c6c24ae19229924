/**
 * The look of a restart for a new login (M-9): the real hand at real panes. Only an agent that is seen at rest is `resting`; in
 * such a hearing no question was asked, so that no sign of life counts either.
 */
import { expect, test } from 'vitest';
import type { Incarnation, Observation } from '../../../machines/protocol.ts';
import { AtRest } from '../../../src/overview/at-rest.ts';
import { HANDS } from '../../../src/ports/policy.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { CONVERSATION, keepConversation } from '../../overview/kept.ts';
import { running, specOf } from '../../sessions/one.ts';
import { tempFolder } from '../../world/over.ts';
import { danceAt } from '../lone.ts';
import { table, type Court } from './court.ts';
import { claude } from './questions.ts';
import { courtWith } from './courts.ts';

/** Looks as such a hearing does. */
async function look(court: Court, target: Incarnation): Promise<Observation['kind']> {
  const attempts = danceAt({}, true).attempts.slice(0, 1);
  return (await court.looked(target, attempts, 'evidence', { mustRest: true })).observation.kind;
}

/** An agent whose conversation its program keeps, below this home. */
async function started(
  home: string,
  mode: readonly string[],
  ready: string,
): Promise<{ court: Court; target: Incarnation }> {
  const program = keepConversation(home);
  const { court, target } = await courtWith([`HOME=${home}`, ...claude(...mode)], { ready });
  const spec = { ...specOf('ada'), command: [program], dir: home };
  const record = running({ spec, incarnation: target, conversation: { id: CONVERSATION, resumed: false, deaths: 0 } });
  const atRest = new AtRest({
    tmux: court.tmux,
    clock: systemClock,
    processes: table,
    packs: new Packs(),
    asking: court.asking(),
    personIn: () => Promise.resolve(null),
    recordOf: () => Promise.resolve(record),
    policy: HANDS,
  });
  court.isAtRest = atRest.isFreeNow;
  return { court, target };
}

test.each<[string, readonly string[], string, boolean]>([
  ['at an empty prompt', ['home'], 'Ready', true],
  ['in its turn', ['busy'], 'Pondering', false],
  ['with a tool below it', ['working'], 'Pondering', false],
  ['before a dialog', ['dialog'], 'Do you want', false],
  ['before a half-typed line', ['deaf', 'half a line'], 'half a line', false],
])('%s', async (_, mode, ready, rests) => {
  const { court, target } = await started(tempFolder('rest'), mode, ready);
  const observation = await look(court, target);
  if (rests) return expect(observation).toBe('resting');
  expect(observation).not.toBe('resting');
});
