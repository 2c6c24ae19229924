/** How the agents of the town are now (M-2): what their programs say at this moment, with what their screens said last. */
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import { leavesDoubt, verdictOf, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import type { Screen } from '../screen/screen.ts';
import type { Heard } from '../sources/port.ts';
import { screenWord } from '../sources/screen-word.ts';
import type { Sources } from '../sources/sources.ts';

export interface AgentNow extends Pick<Heard, 'progress' | 'hasTool'> {
  readonly verdict: Verdict;
  /** Why no source tells how it is, as the end of a sentence; null = one does, or it was not looked at yet. */
  readonly unheard: string | null;
  /** The name by which its program resumes its conversation; null = it does not tell. */
  readonly conversation: string | null;
}

export interface AgentsDeps {
  readonly sources: Pick<Sources, 'of'>;
  /** What the screen of this life said when it was read last; undefined = it was not read. */
  readonly seen: (uuid: string) => { readonly word: Word | null; readonly unheard: string | null } | undefined;
}

const PANELESS = { word: null, unheard: 'it has no pane' };

/** By the uuid of a life. Never rejects. */
export async function agentsNow(
  { sources, seen }: AgentsDeps,
  lives: readonly Incarnation[],
): Promise<ReadonlyMap<string, AgentNow>> {
  const heard = await sources.of(lives);
  return new Map(
    lives.map(({ uuid, origin }) => {
      const { word = null, conversation = null, progress, hasTool } = heard.get(uuid) ?? {};
      const screen = origin === 'detached' ? PANELESS : seen(uuid);
      const words = [word, leavesDoubt(word) ? (screen?.word ?? null) : null].filter((one) => one !== null);
      const unheard = words.length > 0 ? null : (screen?.unheard ?? null);
      return [uuid, { verdict: verdictOf(words), unheard, conversation, progress, hasTool }];
    }),
  );
}

/** A screen that was captured once, by which pack it was read, and when. */
interface Look {
  readonly screen: Screen;
  readonly pack: string;
  readonly at: WallMs;
}

/** What a program and one look at its screen say together. One look does not tell since when it has been so. */
export function verdictOfLook(heard: Heard | null, look: Look | null): Verdict {
  const seen = look && screenWord(look.screen, look.pack, { at: look.at, before: null });
  const words = [heard?.word ?? null, seen && { ...seen, since: null }];
  return verdictOf(words.filter((word) => word !== null));
}
