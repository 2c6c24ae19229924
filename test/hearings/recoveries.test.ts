/** A record counts as one that kills the process only while nothing at all came of its recoveries (D-12). */
import { expect, test } from 'vitest';
import type { Dance, OutcomeBody } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, SIGHTS } from './lone.ts';

const listening = askedUpTo(danceAt({ stage: 'interrogating.listening', recoveries: 4 }), 1);
const asking = danceAt({ stage: 'interrogating.asking', recoveries: 4 });
const looked = (observation: keyof typeof SIGHTS): OutcomeBody => ({
  type: 'LOOKED',
  observation: SIGHTS[observation],
  tail: '',
});

test.each<[string, Dance, OutcomeBody]>([
  ['a look that sees nothing', listening, looked('unknown')],
  ['a look that sees a person', listening, looked('person')],
  ['a look that sees it gone', listening, looked('gone with its pane')],
  ['a silent look', listening, looked('silent')],
  ['a failed look', listening, { type: 'ORDER_FAILED', why: 'tmux did not answer' }],
  ['a question that cannot be typed', asking, { type: 'NOT_ASKED', obstacle: { kind: 'busy', what: 'copy mode' } }],
  ['a failed question', asking, { type: 'ORDER_FAILED', why: 'tmux did not answer' }],
])('%s ends the count of recoveries', (_, dance, outcome) => {
  const lone = awake(dance);
  expect(lone.dance.recoveries).toBe(5); // its own checkpoint proves nothing
  lone.outcome(outcome);
  expect(lone.dance.recoveries).toBe(0);
});
