/**
 * What counts as work on a screen needs movement between two looks, for every judgement that counts work (law 1, W-4). A hearing
 * compares each look with the one before: `live/evidence.test.ts`.
 */
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/settings.ts';
import { composer, FakePane } from '../config/probes/pane.ts';

const MINUTE = 60_000;
const FOOTER = '  esc to interrupt';
const spinning = (glyph: string, seconds: number): string[] => [
  ...composer('', [`${glyph} Thinking… (${seconds}s · ↓ 20 tokens)`, '']),
  FOOTER,
];
const BACKGROUND = [...composer(''), '  1 shell still running · ? for shortcuts'];
/** Streams without a spinner: its footer alone says so. */
const STREAMS = [...composer('', ['● The first half of a sentence', '']), FOOTER];
/** With a half-typed line: nothing may be typed, whether it works or not. */
const DRAFT = [...composer('do not', ['✻ Thinking… (12s · ↓ 20 tokens)', '']), FOOTER];

interface Judged {
  /** A nudge for one that rests. */
  readonly nudge: string;
  /** What Boot sees in the Deacon's pane. */
  readonly mood: string;
}

/** The screen at a first look, a while later, and at the look that follows at once. */
type Shown = readonly [first: string[], later: string[], again: string[]];
const STANDS = (rows: string[]): Shown => [rows, rows, rows];

const TABLE: [name: string, shown: Shown, afterMs: number, judged: Judged][] = [
  ['a spinner that stands for a window', STANDS(spinning('✻', 12)), MINUTE, { nudge: 'busy', mood: 'unreadable' }],
  ['a footer that stands for a window', STANDS(STREAMS), MINUTE, { nudge: 'busy', mood: 'unreadable' }],
  ['work beside a draft that stands', STANDS(DRAFT), MINUTE, { nudge: 'busy', mood: 'unreadable' }],
  ['… and less than a window', STANDS(spinning('✻', 12)), MINUTE - 5_000, { nudge: 'working', mood: 'busy' }],
  [
    'a clock that goes on',
    [spinning('✻', 12), spinning('✻', 72), spinning('✻', 73)],
    MINUTE,
    { nudge: 'working', mood: 'busy' },
  ],
  [
    'a spinner alone that turns between the last two looks',
    [spinning('✻', 12), spinning('✻', 12), spinning('✶', 12)],
    MINUTE,
    { nudge: 'working', mood: 'busy' },
  ],
  ['a shell in the background, beside an empty composer', STANDS(BACKGROUND), MINUTE, { nudge: 'typed', mood: 'idle' }],
  ['no work', STANDS(composer('')), MINUTE, { nudge: 'typed', mood: 'idle' }],
];

describe('a judgement of work', () => {
  /** Looks by this judgement: the first at once, the second after the wait. */
  async function judged(shown: Shown, afterMs: number, judge: (pane: FakePane) => Promise<string>): Promise<string> {
    let from = 0;
    let at = 0;
    const rows = (pane: FakePane): string[] => shown[at === 0 ? 0 : pane.shots - from > 1 ? 2 : 1];
    const pane = new FakePane(DEFAULTS, { rows });
    await judge(pane);
    at = 1;
    from = pane.shots;
    pane.now += afterMs;
    return judge(pane);
  }

  const nudge = async (pane: FakePane): Promise<string> => {
    const outcome = await pane.nudge(true);
    if (pane.pastes > 0) return 'typed';
    return outcome.type === 'NOT_NUDGED' ? outcome.obstacle.kind : outcome.type;
  };
  const mood = async (pane: FakePane): Promise<string> => (await pane.mood()).pane;

  // Rules: C-2, W-4.
  test.each(TABLE)('work is judged by movement: %s', async (_, shown, afterMs, expected) => {
    expect({ nudge: await judged(shown, afterMs, nudge), mood: await judged(shown, afterMs, mood) }).toEqual(expected);
  });
});
