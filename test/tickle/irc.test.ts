/** Pages in the channel of IRC, in virtual time. */
import { expect, test } from 'vitest';
import { BELL, MINUTE, silent } from './town.ts';

const IN_CHANNEL = { nicks: ['builder'] };

// Rules: T-2, T-3.
test('an agent in the channel of IRC is paged there instead of in its pane; unanswered a person is told', () => {
  const town = silent({ ...BELL, ...IN_CHANNEL });
  town.run(4 * MINUTE);
  expect(town.pages.map(({ by }) => by)).toEqual(['bell', 'irc']);
  expect(town.noted('page')).toMatchObject([{ method: 'bell' }, { paged: true, method: 'irc' }]);
  town.run(2 * MINUTE);
  expect(town.alerts).toEqual(['silent-agent/builder']);
  expect(town.pages).toHaveLength(2);
  expect(town.noted('escalation')).toMatchObject([{ reason: 'unanswered', tried: [{}, { method: 'irc' }] }]);
  town.sign('builder');
  town.run(MINUTE);
  expect(town.alerts).toEqual([]);
});

// Rules: T-2.
test('where IRC does not reach it, its pane does at once, and without a pane a person', () => {
  const town = silent({ nicks: ['builder', 'remote'] });
  town.agent('remote', 0, { life: null });
  town.irc = 'builder is not in #town';
  town.run(2 * MINUTE);
  expect(town.pages).toMatchObject([{ agent: 'builder', by: 'pane' }]);
  expect(town.noted('page')).toMatchObject([{ paged: false, method: 'irc', error: town.irc }, { method: 'pane' }]);
  town.run(5 * MINUTE);
  expect(town.noted('escalation').find(({ agent }) => agent === 'remote')).toMatchObject({
    reason: 'page-failed',
    tried: [{ method: 'irc' }, { method: 'pane', error: 'it has no pane' }],
  });
});

// Rules: T-2.
test('a line that may stand there counts for the cooldown, though the pane may not be used then', () => {
  const town = silent(IN_CHANNEL);
  town.instead.sayOnIrc = { type: 'SAID_ON_IRC', error: 'no PONG came', isUnsure: true };
  town.obstacles.set('builder', { kind: 'dialog', what: 'Proceed?' });
  town.run(14 * MINUTE);
  expect(town.drive.given('sayOnIrc')).toHaveLength(1);
  expect(town.noted('page')[0]).toMatchObject({ paged: false, unsure: true });
  expect(town.alerts).toEqual([]);
});

// Rules: T-2.
test('an agent is paged by its nick, where that is another', () => {
  const town = silent({ nicks: ['builder = bob'] });
  town.run(2 * MINUTE);
  expect(town.drive.given('sayOnIrc')).toMatchObject([{ nick: 'bob' }]);
});
