/** How the agents of the town are now (M-2): what their programs say at this moment, with what their screens said last. */
import type { Incarnation } from '../../machines/protocol.ts';
import { leavesDoubt, verdictOf, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import type { Sources } from '../sources/sources.ts';

export interface AgentNow {
  readonly verdict: Verdict;
  /** The name by which its program resumes its conversation; null = it does not tell. */
  readonly conversation: string | null;
}

export interface AgentsDeps {
  readonly sources: Pick<Sources, 'of'>;
  /** What the screen of this life said when it was read last; null = it was not read. */
  readonly seen: (uuid: string) => Word | null;
}

/** By the uuid of a life. Never rejects. */
export async function agentsNow(
  { sources, seen }: AgentsDeps,
  lives: readonly Incarnation[],
): Promise<ReadonlyMap<string, AgentNow>> {
  const heard = await sources.of(lives);
  return new Map(
    lives.map(({ uuid }) => {
      const { word = null, conversation = null } = heard.get(uuid) ?? {};
      const words = [word, leavesDoubt(word) ? seen(uuid) : null].filter((one) => one !== null);
      return [uuid, { verdict: verdictOf(words), conversation }];
    }),
  );
}
