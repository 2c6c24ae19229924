/** What the record of a hearing says of each question (D-14). */
import { describe, expect, test } from 'vitest';
import { askedUpTo, awake, danceAt, MARK, SIGHTS, TREE, type LoneDog } from './lone.ts';

describe('what was seen of each question (D-14)', () => {
  const seen = (lone: LoneDog): string[] => lone.dance.attempts.map((attempt) => attempt.seen);
  const evaluated = (): LoneDog => {
    const dance = askedUpTo(danceAt({ stage: 'evaluating', observedMs: 240_000 }), 3);
    const before = dance.attempts.map((a, i) => (i < 2 ? { ...a, seen: 'silent' } : a));
    return awake({ ...dance, attempts: before });
  };

  // Rules: D-14.
  test('also the last one has it once its window went by in silence, before anything is done', () => {
    const lone = evaluated();
    expect(seen(lone)).toEqual(['silent', 'silent', '']);
    lone.look(SIGHTS.silent);
    expect(lone.state).toBe('executing.listing');
    expect(seen(lone)).toEqual(['silent', 'silent', 'silent']);
  });

  test('an answer after the intent stands in its place', () => {
    const lone = evaluated();
    lone.look(SIGHTS.silent);
    lone.outcome({ type: 'TREE_LISTED', tree: TREE });
    lone.look(SIGHTS.answered);
    expect(lone.dance.verdict).toBe('pardoned');
    expect(seen(lone)).toEqual(['silent', 'silent', 'answered: code']);
  });

  test('a question that is asked anew has seen nothing yet', () => {
    const lone = evaluated();
    lone.look(SIGHTS.silent);
    const again = awake({ ...lone.dance, stage: 'interrogating.asking' });
    again.outcome({ type: 'ASKED', mark: MARK, tail: '' });
    expect(seen(again)).toEqual(['silent', 'silent', '']);
  });
});
