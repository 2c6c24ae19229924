/**
 * What stays on a terminal: drawn again and again in its own place, until it is interrupted.
 * 1. However it ends (Ctrl-C, Ctrl-\, TERM, HUP, an error) or is stopped (Ctrl-Z), the screen of before and the cursor are
 *    there again; a stopped one draws itself anew when it goes on.
 * 2. A picture is one write: from the top, each line erased behind its words, then all below. So nothing flickers.
 * 3. A look that fails is told in its place, above the last one that did not.
 */
import { textOf } from '../../state/files/disk.ts';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseDuration } from '../config/duration.ts';
import { stopOneself } from '../proc/own-stop.ts';
import { onResized, own, print, inStyle, terminal } from '../terminal/streams.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { quoteName } from './naming/names.ts';
import { clean, note } from '../terminal/print.ts';
import { REDRAW } from './policy.ts';
import { span } from '../../machines/kernel/span.ts';

/** The alternate screen, without cursor and without a break in lines that are too long; and back. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

const ENDED_BY = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** The size of a terminal that does not know it. */
const USUAL_ROWS = 24;
/** The number that shells add to that of a signal. */
const BY_SIGNAL = 128;

export interface Staying<T> {
  readonly first: T;
  readonly everyMs: number;
  look(): Promise<T>;
  /** Draws for the terminal as it is now. */
  text(seen: T): string;
  /** Tells each below the one before, where nothing is drawn; absent = it is drawn. */
  readonly below?: (seen: T) => void;
}

/** Throws Failure (2) for what is no duration, too short or too long. */
export function intervalOf(text: string | undefined, usualMs: number): number {
  if (text === undefined) return usualMs;
  const ms = parseDuration(text);
  if (ms !== null && ms >= REDRAW.minMs && ms <= REDRAW.maxMs) return ms;
  const why = `--interval ${quoteName(text)} is no duration of ${REDRAW.minMs}ms to 1h; write --interval 5s`;
  throw new Failure(EXIT.usage, 'bad_duration', why);
}

export async function stay<T>({ first, everyMs, look, text, below }: Staying<T>): Promise<never> {
  let seen = first;
  let fault: string | null = null;
  const draw = (): void => drawn(fault, text(seen), everyMs);
  const show = below === undefined ? draw : (): void => below(seen);
  const leave = below === undefined ? enter(draw) : (): void => undefined;
  try {
    for (;;) {
      show();
      await pause(everyMs);
      try {
        seen = await look();
        fault = null;
      } catch (error) {
        fault = `no answer this time: ${textOf(error)}`;
        if (below !== undefined) note(fault);
      }
    }
  } finally {
    leave();
  }
}

/** Returns how to leave again, which is done once. */
function enter(draw: () => void): () => void {
  let isLeft = false;
  const stopDrawing = onResized(draw);
  const leave = (): void => {
    if (isLeft) return;
    isLeft = true;
    stopDrawing();
    print(own(LEAVE));
  };
  for (const signal of ENDED_BY) process.once(signal, () => process.exit(BY_SIGNAL + constants.signals[signal]));
  process.once('exit', leave);
  // Before the error is printed: on the restored screen, since the other one is gone with its text.
  process.once('uncaughtExceptionMonitor', leave);
  process.on('SIGTSTP', () => {
    print(own(LEAVE));
    stopOneself();
  });
  process.on('SIGCONT', () => {
    print(own(ENTER));
    draw();
  });
  print(own(ENTER));
  return leave;
}

/** The last line counts the rows that do not fit. */
function drawn(fault: string | null, text: string, everyMs: number): void {
  const rows = Math.max(2, terminal()?.rows || USUAL_ROWS);
  const lines = [...(fault === null ? [] : [inStyle('yellow', clean(fault))]), ...text.split('\n')];
  const fit = lines.slice(0, rows - 1);
  const hidden = lines.length - fit.length;
  const foot = `${hidden === 0 ? '' : `… ${hidden} more lines; `}every ${span(everyMs)}, Ctrl-C ends`;
  const all = [...fit, inStyle('dim', foot)].map((line) => `${line}${own(ERASE_LINE)}`);
  print(`${own(HOME)}${all.join('\n')}${own(ERASE_BELOW)}`);
}
