/** What stands between an order to signal and a signal: the hands may hold it back, and a process may die on the way. */
import { describe, expect, test } from 'vitest';
import { afterRestart } from '../../machines/hearings/dance.ts';
import type { Dance } from '../../machines/protocol.ts';
import { askedUpTo, danceAt, LoneDog, SIGHTS, tools, TREE, type ObservationName } from './lone.ts';

const RESCUE = { folder: 'rescue/dog-1', ref: null };
const HEARD = { tree: TREE, rescue: RESCUE, observedMs: 240_000 };
const standing = (more: Partial<Dance>): Dance => askedUpTo(danceAt({ ...HEARD, ...more }), 3);

/** A dog whose first TERM was ordered. */
function termed(): LoneDog {
  const lone = new LoneDog(standing({ stage: 'executing.looking' }));
  lone.outcome({ type: 'SAVED' });
  lone.look(SIGHTS.silent);
  lone.outcome({ type: 'RESCUED', rescue: RESCUE });
  lone.look(SIGHTS.silent);
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'TERM' });
  return lone;
}

describe('a first signal that the hands held back', () => {
  const why = 'the last look is 6000 ms old; look again';
  test.each<[ObservationName, string]>([
    ['evidence', 'pardoned'],
    ['dialog', 'pardoned'],
    ['person', 'interrogating.suspended'],
    ['answered', 'pardoned'],
  ])('harmed no agent: %s then ends in %s', (observation, state) => {
    const lone = termed();
    lone.outcome({ type: 'NOT_SIGNALLED', why });
    expect(lone.dance.killing).toBe(false);
    lone.pass(tools().policy.retryMs);
    expect(lone.last?.type).toBe('look');
    lone.look(SIGHTS[observation]);
    expect(lone.state.startsWith(state)).toBe(true);
  });

  test('that failed without a word may have been sent: a sign of life still pardons, unless something had ended', () => {
    const lone = termed();
    const blind = (outcome: 'ORDER_FAILED' | 'NOT_SIGNALLED'): void => {
      lone.outcome({ type: outcome, why: 'tmux did not answer' });
      lone.pass(tools().policy.retryMs);
      // An hour in which tmux says nothing.
      for (let n = 0; n < 720; n += 1) {
        lone.look(SIGHTS.unknown);
        lone.pass(tools().policy.retryMs);
      }
    };
    blind('ORDER_FAILED');
    expect(lone.last?.type).toBe('look');
    // One that is held back after that proves nothing of the first.
    lone.look(SIGHTS.silent);
    expect(lone.last?.type).toBe('rescue');
    lone.outcome({ type: 'RESCUED', rescue: RESCUE });
    lone.look(SIGHTS.silent);
    blind('NOT_SIGNALLED');
    expect(lone.dance.killing).toBe(true);
    lone.look(SIGHTS.evidence);
    expect(lone.last?.type).toBe('listTree');
    lone.outcome({ type: 'TREE_LISTED', tree: TREE });
    expect(lone.dance).toMatchObject({ verdict: 'pardoned', evidenceOnly: true });
  });
});

test('who is to be killed by force is not spared, also when the order came while the dog woke', () => {
  const lone = new LoneDog(afterRestart(standing({ stage: 'executing.sparing', killing: true }), tools().policy));
  const [first] = lone.dance.warrants;
  lone.hear({ type: 'ATTACHED', warrant: { ...first!, id: 'w2', requester: 'operator', force: true } });
  lone.outcome({ type: 'SAVED' });
  expect(lone.last?.type).toBe('look');
  expect(lone.dance.verdict).toBeNull();
});

test('a record that kills the process at its rescue, again and again, ends failed', () => {
  let dance = standing({ stage: 'executing.looking' });
  for (let deaths = 0; deaths < 30 && dance.verdict === null; deaths += 1) {
    dance = afterRestart(dance, tools().policy);
    if (dance.verdict !== null) break;
    const lone = new LoneDog(dance);
    lone.outcome({ type: 'SAVED' });
    lone.look(SIGHTS.silent);
    expect(lone.last?.type).toBe('rescue');
    dance = lone.dance;
  }
  expect(dance.verdict).toBe('failed');
});
