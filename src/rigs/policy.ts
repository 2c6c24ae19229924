/** The numbers of commands on rigs, with unit and reason. */
import type { Ms } from '../../machines/protocol.ts';

export const RIG_WORK: {
  /** A command waits so long for another one on the same rig: a checkout, a push. */
  readonly lockMs: Ms;
  readonly lockEveryMs: Ms;
  /** Names of files and commits that one line of a text shows; `--json` has all that the look listed. */
  readonly shown: number;
  /** Of a bead's description a polecat is told so many characters: Linux takes 128 KiB as one argument of a program. */
  readonly promptChars: number;
} = { lockMs: 60_000, lockEveryMs: 50, shown: 20, promptChars: 24_000 };
