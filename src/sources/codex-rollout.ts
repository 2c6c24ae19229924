/**
 * The file by which Codex goes on with a thread: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl` below its home, as seen with
 * 0.169. It is there from the first turn on; a thread that had none cannot be gone on with.
 */
import { glob } from 'node:fs/promises';

/** Why it cannot be gone on with, as the end of a sentence; null = it can. `id`: of letters, digits and dashes. Never rejects. */
export async function unfitRollout(home: string, id: string): Promise<string | null> {
  try {
    for await (const _ of glob(`sessions/*/*/*/rollout-*-${id}.jsonl`, { cwd: home })) return null;
  } catch {
    // What cannot be looked at is not there for Codex either.
  }
  return `Codex keeps none called ${id}`;
}
