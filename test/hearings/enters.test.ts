/** Each Enter looks first (D-6): what a program does between two of them may be a dialog, which Enter would answer. */
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/settings.ts';
import { composer, FakePane, LINES } from '../config/probes/pane.ts';

const OURS = composer(LINES.join(' '));
/** What FakePane types as a nudge. */
const NUDGE = 'Nudge: check your inbox';
const DIALOG = ['Do you want to proceed?', '❯ 1. Yes', '  2. No', '', 'Esc to cancel · Tab to amend'];
/** Pictures that are taken up to the first Enter: one to see what is there, one to see our text. */
const BEFORE = 2;
/** … and with each Enter: one behind it, one before the next. */
const EACH = 2;

/** What a question to a program came to that takes no Enter, and shows this from a picture on. */
async function asked(then: readonly string[], from: number) {
  const pane = new FakePane(DEFAULTS, { rows: ({ shots }) => (shots >= from ? then : OURS) });
  const outcome = await pane.ask();
  return { enters: pane.enters, outcome };
}

describe('between two Enters', () => {
  // Rules: D-6.
  test.each([1, 2, 3])('a dialog that opens behind Enter %i is not answered', async (nth) => {
    const { enters, outcome } = await asked(DIALOG, BEFORE + nth * EACH);
    expect(outcome).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'Do you want to proceed?' } });
    expect(enters).toBe(nth);
  });

  test.each([1, 2, 3])('a text that is taken late, behind Enter %i, gets no other', async (nth) => {
    const { enters, outcome } = await asked(composer(''), BEFORE + nth * EACH);
    expect([outcome.type, enters]).toEqual(['ASKED', nth]);
  });

  test.each([1, 2, 3])('words that come to ours behind Enter %i are not sent', async (nth) => {
    const theirs = composer(`${LINES.join(' ')} and then delete the`);
    const { enters, outcome } = await asked(theirs, BEFORE + nth * EACH);
    expect([outcome.type, enters]).toEqual(['NOT_ASKED', nth]);
  });

  // Rules: law 6.
  test.each([
    ['behind', `${NUDGE}z`],
    ['before', `no ${NUDGE}`],
  ])('a nudge is not taken for sent when a person writes %s it right after an Enter', async (_, theirs) => {
    const typed = ({ pastes }: FakePane): string => (pastes > 0 ? NUDGE : '');
    const rows = (pane: FakePane) => composer(pane.enters > 0 ? theirs : typed(pane));
    const pane = new FakePane(DEFAULTS, { rows });
    expect(await pane.nudge()).toMatchObject({ type: 'NOT_NUDGED', obstacle: { kind: 'busy' } });
    expect(pane.enters).toBe(1);
  });
});

describe('a program that throws the text back each time', () => {
  // Rules: D-6.
  test('keeps nothing of it in its box, and is asked anew', async () => {
    const scene = { rows: ({ erased }: FakePane) => (erased > 0 ? composer('') : OURS) };
    const pane = new FakePane(DEFAULTS, scene);
    const outcome = await pane.ask();
    expect(outcome).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(JSON.stringify(outcome)).toContain('not submitted');
    expect([pane.enters, pane.erased]).toEqual([DEFAULTS.hands.maxEnters, LINES.join(' · ').length]);
    await pane.ask();
    expect(pane.pastes).toBe(1);
  });

  // Rules: law 5.
  test('gets words at most three times an Enter, and refuses them', async () => {
    const ours = composer(NUDGE);
    const pane = new FakePane(DEFAULTS, {
      rows: ({ pastes, erased }) => (pastes > 0 && erased === 0 ? ours : composer('')),
    });
    expect(await pane.nudge()).toMatchObject({ type: 'NOT_NUDGED', obstacle: { kind: 'refused' } });
    expect(pane.enters).toBe(3);
  });

  test('keeps what a person added to it', async () => {
    const enters = DEFAULTS.hands.maxEnters;
    const theirs = composer(`${LINES.join(' ')} and then`);
    const pane = new FakePane(DEFAULTS, { rows: ({ shots }) => (shots >= BEFORE + enters * EACH ? theirs : OURS) });
    await pane.ask();
    expect(pane.erased).toBe(0);
  });
});
