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
const { enterAfterMs, enterShownMs, maxEnters } = DEFAULTS.hands;
/** … and with each Enter that shows nothing: some behind it, in a wait that is twice as long each time, and one before the next. */
const picturesBehind = (nth: number): number => (enterShownMs / enterAfterMs) * 2 ** (nth - 1);
const picturesUpTo = (nth: number): number =>
  Array.from({ length: nth }, (_, at) => picturesBehind(at + 1) + 1).reduce((sum, one) => sum + one, BEFORE);

/** What a question to a program came to that takes no Enter, and shows this from a picture on. */
async function asked(then: readonly string[], from: number) {
  const pane = new FakePane(DEFAULTS, { rows: ({ shots }) => (shots >= from ? then : OURS) });
  const outcome = await pane.ask();
  return { enters: pane.enters, outcome };
}

describe('between two Enters', () => {
  // Rules: D-6.
  test.each([1, 2, 3])('a dialog that opens behind Enter %i is not answered', async (nth) => {
    const { enters, outcome } = await asked(DIALOG, picturesUpTo(nth));
    expect(outcome).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'Do you want to proceed?' } });
    expect(enters).toBe(nth);
  });

  test.each([1, 2, 3])('a text that is taken late, behind Enter %i, gets no other', async (nth) => {
    const { enters, outcome } = await asked(composer(''), picturesUpTo(nth));
    expect([outcome.type, enters]).toEqual(['ASKED', nth]);
  });

  // Rules: D-6.
  test.each([
    ['a dialog of that work', [`> ${NUDGE}`, '', ...DIALOG]],
    ['a screen without a composer', ['Compacting the conversation…']],
  ])('a text that a starved program takes late is sent, where %s follows', async (_, then) => {
    const rows = ({ shots, pastes }: FakePane) => (shots > BEFORE + 1 ? then : composer(pastes > 0 ? NUDGE : ''));
    const pane = new FakePane(DEFAULTS, { rows });
    expect([(await pane.nudge()).type, pane.enters]).toEqual(['NUDGED', 1]);
  });

  test('a text that stands before the cursor is not, also where no composer is in sight', async () => {
    const rows = ({ shots, pastes }: FakePane) =>
      shots > BEFORE + 1 ? [`❯ ${NUDGE}`] : composer(pastes > 0 ? NUDGE : '');
    const pane = new FakePane(DEFAULTS, { rows });
    expect([(await pane.nudge()).type, pane.enters]).toEqual(['NOT_NUDGED', 1]);
  });

  test.each([1, 2, 3])('words that come to ours behind Enter %i are not sent', async (nth) => {
    const theirs = composer(`${LINES.join(' ')} and then delete the`);
    const { enters, outcome } = await asked(theirs, picturesUpTo(nth));
    expect([outcome.type, enters]).toEqual(['NOT_ASKED', nth]);
  });

  test('the next one comes at once where something was drawn, and later and later where nothing was', async () => {
    const drawn = new FakePane(DEFAULTS, { rows: ({ enters }) => composer(LINES.join(' '), [`${enters} drawn`]) });
    const still = new FakePane(DEFAULTS, { rows: OURS });
    await Promise.all([drawn.ask(), still.ask()]);
    const waits = [1, 2, 3].reduce((sum, nth) => sum + picturesBehind(nth), 0);
    expect([drawn.enters, still.enters]).toEqual([maxEnters, maxEnters]);
    expect(still.slept.length - drawn.slept.length).toBe(waits - maxEnters);
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
    expect([pane.enters, pane.erased]).toEqual([maxEnters, LINES.join(' · ').length]);
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
    const theirs = composer(`${LINES.join(' ')} and then`);
    const pane = new FakePane(DEFAULTS, { rows: ({ shots }) => (shots >= picturesUpTo(maxEnters) ? theirs : OURS) });
    await pane.ask();
    expect(pane.erased).toBe(0);
  });
});
