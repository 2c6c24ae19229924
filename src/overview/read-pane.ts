/** Reads the screen of a life as its pack knows it, without the words that the town typed there. */
import type { Incarnation } from '../../machines/protocol.ts';
import { foregroundOf } from '../hearings/foreground.ts';
import { readPast, rowsPast, typedOf } from '../hearings/sent-text-filter.ts';
import { packOf, type HearingDeps } from '../hearings/view.ts';
import { dialogOn, type DialogOnScreen } from '../screen/dialog.ts';
import type { Screen } from '../screen/screen.ts';
import { isBlank, plain } from '../screen/text.ts';
import { errorIn, writtenOn, type Written } from '../screen/written.ts';
import type { TypedWords } from './records.ts';
import type { Picture } from './study.ts';

export type ReadPaneDeps = Pick<HearingDeps, 'processes' | 'packs' | 'memory'>;

export interface PaneShown {
  readonly picture: Picture;
  /** What the town typed to this life. */
  readonly typed: TypedWords;
  /** Rows above the cursor, those that scrolled away included. */
  readonly above: number;
}

export interface PaneRead {
  readonly screen: Screen;
  readonly pack: string;
  readonly written: Written;
  readonly error: string | null;
  /** The dialog that stands there; null = none does. */
  readonly dialog: Pick<DialogOnScreen, 'id' | 'content' | 'cutTo' | 'subject'> | null;
}

export const UNKNOWN_PROGRAM = 'no pack knows the program';
export const SHELL = 'a shell has the pane';
export const UNREADABLE = 'its pack does not know the screen';

/** Why it reports nothing: its pack does not know the screen, or a shell takes the keys there, whose question is no agent's. */
export async function readPane(
  deps: ReadPaneDeps,
  life: Incarnation,
  { picture, typed, above }: PaneShown,
): Promise<PaneRead | string> {
  const front = await foregroundOf(deps.processes, life.agent.pid);
  if (front.isShell) return SHELL;
  // How its terminal takes keys tells where text may go, not who is asked: nothing is started to learn it.
  const pack = await packOf(deps, life, front);
  const words = typedOf(typed.questions, typed.sentTexts);
  // What a limit says of its end is no proof of it (M-9): here it lasts as long as it is shown.
  const screen = readPast(pack, { ...picture, at: null }, words);
  if (screen.state === 'unknown' && pack.complete) return UNREADABLE;
  const { rows, ours } = rowsPast(picture, words);
  // Words of the town that scrolled away cannot be told from the program's: the place counts while rows of the program stand.
  const hasTheirs = rows.some((row) => !isBlank(plain(row)));
  const written = writtenOn(pack, { ...picture, rows }, screen, hasTheirs ? above - ours : null);
  return {
    screen,
    pack: pack.name,
    written,
    error: errorIn(pack, written.lines),
    dialog: dialogOn({ pack, screen, picture }, life.uuid),
  };
}
