/** The numbers of commands on rigs, with unit and reason. */
export const RIG_WORK = {
  /** A command waits so long for another one on the same rig: a checkout, a push. */
  lockMs: 60_000,
  lockEveryMs: 50,
  /** Names of files and commits that one line of a text shows; `--json` has all that the look listed. */
  shown: 20,
  /** Of a bead's description a polecat is told so many characters: Linux takes 128 KiB as one argument of a program. */
  promptChars: 24_000,
};
