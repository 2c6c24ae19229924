/** One real agent program on a stage of its own, for the benches that are no matrix of scenes. */
import { install } from './install.ts';
import type { Program, Variant } from './program.ts';
import { openStage, type Stage } from './stage.ts';

export interface Part {
  readonly variant?: Variant;
  /** What it is played as, in the line that says how it went. */
  readonly as: string;
  readonly right: string;
  readonly say: (line: string) => void;
  /** Why it went wrong; null = it did not. */
  readonly play: (stage: Stage) => Promise<string | null>;
}

/** Says how it went, and returns how many parts went wrong. A program that cannot be installed here is named, and is no fault. */
export async function playOne(program: Program, parts: readonly Part[]): Promise<number> {
  let wrong = 0;
  for (const { variant, as, right, say, play } of parts) {
    const absent = await install(program);
    if (absent !== null) {
      say(absent);
      return 0;
    }
    const stage = await openStage(program, variant);
    try {
      const why = await play(stage);
      say(`${why === null ? ' ' : '!'} ${program.id.padEnd(8)} ${as}: ${why ?? right}`);
      if (why !== null) wrong += 1;
    } finally {
      await stage.close();
    }
  }
  return wrong;
}
