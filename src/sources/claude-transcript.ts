/**
 * The transcript of a conversation of Claude Code, by which it goes on with it: `projects/<folder>/<id>.jsonl` below its
 * configuration folder. The form of the folder's name is undocumented, as seen with 2.1.330; a name of another form finds nothing.
 */
import { stat } from 'node:fs/promises';
import { SOURCES } from './policy.ts';

export interface TranscriptOf {
  /** Claude Code's configuration folder. */
  readonly config: string;
  /** The working folder it was started in. */
  readonly cwd: string;
  /** A uuid. */
  readonly id: string;
}

/** Put together by hand: each look asks for that of each agent, and to normalise them was 3 % of the town's CPU time at a hundred. */
export const transcriptFile = ({ config, cwd, id }: TranscriptOf): string =>
  `${config}/projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${id}.jsonl`;

/** Why it cannot be gone on with, as the end of a sentence; null = it can. Never rejects. */
export async function unfitTranscript(of: TranscriptOf): Promise<string | null> {
  const found = await stat(transcriptFile(of)).catch(() => null);
  if (found === null || found.size === 0) return `Claude Code keeps none called ${of.id}`;
  const { maxTranscriptBytes: most } = SOURCES;
  return found.size > most
    ? `the transcript of ${of.id} is over ${most / 2 ** 20} MiB, with which Claude Code hardly starts`
    : null;
}
