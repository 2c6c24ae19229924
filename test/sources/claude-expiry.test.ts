/** How long a Claude Code takes an answer to what it holds open. */
import { expect, test } from 'vitest';
import { askedNow, standingNow } from '../../src/sources/claude-asks.ts';
import { dialogOf } from '../../src/sources/question.ts';
import { NONE_HELD, type HeldQuestion } from '../../src/sources/held-questions.ts';

const HELD_AT = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

// Rules: A-1.
test.each([
  ['Bash', { command: 'npm test' }],
  ['AskUserQuestion', { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }] }],
  ['ExitPlanMode', { plan: 'Mend it' }],
])('%s is held for a day, as its hook says', (tool_name, tool_input) => {
  const request = {
    hook_event_name: 'PermissionRequest' as const,
    session_id: '0199f2c4-1a2b-7abc-9def-0123456789ab',
    tool_name,
    tool_input,
    permission_suggestions: [],
  };
  const one: HeldQuestion = { key: 'k', heldAt: HELD_AT, request, isAnswered: false };
  const calls = [{ type: 'tool_use' as const, id: 'toolu_1', name: tool_name, input: tool_input }];
  const standing = standingNow(NONE_HELD, [one], { isWaiting: true, calls, at: HELD_AT });
  const { key: _, ...asked } = askedNow(NONE_HELD, standing)!;
  const dialog = dialogOf({ ...asked, isOver: () => Promise.resolve(false) }, 'life');
  expect([dialog.expiresAt, dialog.way]).toEqual([HELD_AT + DAY_MS, 'request']);
});
