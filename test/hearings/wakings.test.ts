/** A record counts as one that kills the process only while nothing at all came of its wakings (D-12). */
import { expect, test } from 'vitest';
import type { Dance, OutcomeBody } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, SIGHTS } from './lone.ts';

const listening = askedUpTo(danceAt({ stage: 'interrogating.listening', wakings: 4 }), 1);
const asking = danceAt({ stage: 'interrogating.asking', wakings: 4 });
const looked = (sight: keyof typeof SIGHTS): OutcomeBody => ({ type: 'LOOKED', sight: SIGHTS[sight], tail: '' });

test.each<[string, Dance, OutcomeBody]>([
  ['a look that sees nothing', listening, looked('unknown')],
  ['a look that sees a person', listening, looked('person')],
  ['a look that sees it gone', listening, looked('gone with its pane')],
  ['a silent look', listening, looked('silent')],
  ['a failed look', listening, { type: 'ORDER_FAILED', why: 'tmux did not answer' }],
  ['a question that cannot be typed', asking, { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } }],
  ['a failed question', asking, { type: 'ORDER_FAILED', why: 'tmux did not answer' }],
])('%s ends the count of wakings', (_, dance, outcome) => {
  const lone = awake(dance);
  expect(lone.dance.wakings).toBe(5); // its own checkpoint proves nothing
  lone.outcome(outcome);
  expect(lone.dance.wakings).toBe(0);
});
