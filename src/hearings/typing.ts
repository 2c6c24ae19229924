/**
 * Typing into a pane. Text goes through a buffer of ours and stdin, never through arguments; Enter goes by itself, later.
 * No other key is sent but Backspace, behind words of ours, and what a person chose in a dialog (answer-dialog.ts): Escape
 * interrupts, and Enter answers a dialog.
 */
import { randomUUID } from 'node:crypto';
import { showInvisible } from '../../machines/kernel/visible-text.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Ms } from '../../machines/protocol.ts';
import type { FoundPane, PaneDeps } from './pane.ts';
import type { Capture } from './capture.ts';

const CONTROLS = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f\u2028\u2029]+`, 'g');

/** One line that acts on no terminal and hides nothing: control characters are blanks, invisible ones are named. */
const harmless = (line: string): string => showInvisible(line.toWellFormed().replace(CONTROLS, ' '));

/**
 * The text for one paste, in one line: a line break is an Enter wherever the program did not ask for bracketed pastes, and tmux
 * does not tell whether it did.
 */
export const pasteOf = (lines: readonly string[]): string => lines.map(harmless).join(' · ');

/** How long Enter waits for a text of this length. */
export const enterPause = (length: number, policy: Pick<HandsPolicy, 'enterAfterMs' | 'enterEveryChars'>): Ms =>
  policy.enterAfterMs * (1 + Math.floor(length / policy.enterEveryChars));

/** Puts the text before the program, unsent. `check` runs last and stops it by throwing. Rejects when tmux refuses. */
export async function paste(
  { tmux }: Pick<PaneDeps, 'tmux'>,
  paneId: string,
  text: string,
  check: () => Promise<void>,
): Promise<void> {
  const buffer = `town-${randomUUID()}`;
  await tmux.call(['load-buffer', '-b', buffer, '-'], text);
  try {
    await check();
    await tmux.call(['paste-buffer', '-p', '-d', '-b', buffer, '-t', paneId]);
  } catch (error) {
    // The buffer is ours and must not stay; the error that brought us here also reports a failed removal.
    await tmux.call(['delete-buffer', '-b', buffer]).catch(() => '');
    throw error;
  }
}

const PLACE = ['pane_pid', 'history_size', 'cursor_x', 'cursor_y', 'alternate_on', 'pane_in_mode', 'pane_synchronized'];

/**
 * Enter, if the pane is as this picture of it: tmux compares and presses in one step, also when it takes the command late, so
 * that it answers nothing that came in between. Whether it was pressed the next look shows.
 */
export async function pressEnter(
  deps: Pick<PaneDeps, 'tmux'>,
  pane: Pick<FoundPane, 'paneId' | 'panePid'>,
  capture: Capture,
): Promise<void> {
  await pressKey(deps, pane, capture, 'Enter');
}

const LEFT = 'left alone';

/** The same with a key that a dialog offers; false = the pane was another by then, and nothing was pressed. */
export async function pressKey(
  { tmux }: Pick<PaneDeps, 'tmux'>,
  { paneId, panePid }: Pick<FoundPane, 'paneId' | 'panePid'>,
  { historySize, cursorColumn, cursorRow, alternate }: Capture,
  key: string,
): Promise<boolean> {
  if (!/^[A-Za-z0-9]+$/.test(key)) throw new Error(`no key of a dialog: ${JSON.stringify(key)}`);
  const seen = [panePid, historySize, cursorColumn, cursorRow, Number(alternate), 0, 0].join(' ');
  const now = PLACE.map((name) => `#{${name}}`).join(' ');
  const [press, leave] = [`send-keys -t ${paneId} ${key}`, `display-message -p '${LEFT}'`];
  const said = await tmux.call(['if-shell', '-F', '-t', paneId, `#{==:${now},${seen}}`, press, leave]);
  return said !== LEFT;
}

/** Takes letters out before the cursor. In an empty composer it does nothing. */
export const eraseDraft = async ({ tmux }: Pick<PaneDeps, 'tmux'>, paneId: string, letters: number): Promise<void> => {
  await tmux.query(['send-keys', '-N', String(letters), '-t', paneId, 'BSpace']);
};
