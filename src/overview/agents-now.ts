/** How the agents of the town are now (M-2): what their programs say at this moment, with what their screens said last. */
import type { Incarnation, StatusReport, WallMs } from '../../machines/protocol.ts';
import { leavesDoubt, verdictOf, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import { neededBy, reportWord, withReport, type Need, type Reporter } from '../../machines/sessions/report-state.ts';
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
  /** What it needs a person for, as it reported; null = nothing, absent = not known. */
  readonly need?: Need | null | undefined;
}

export interface AgentsDeps {
  readonly sources: Pick<Sources, 'of'>;
  /** What the screen of this life said when it was read last; undefined = it was not read. */
  readonly seen: (uuid: string) => { readonly word: Word | null; readonly unheard: string | null } | undefined;
  /** null = what agents report of themselves is judged elsewhere. */
  readonly reported: Reported | null;
}

/** What agents report of themselves. */
export interface Reported {
  /** By session. May reject. */
  readonly of: (sessions: readonly string[]) => Promise<ReadonlyMap<string, StatusReport>>;
  /** What is seen of the work of this life. */
  readonly workOf: (uuid: string) => Pick<Reporter, 'workedSince' | 'watchedSince'>;
  readonly wall: () => WallMs;
}

const PANELESS = { word: null, unheard: 'it has no pane' };

/** By the uuid of a life. Never rejects. */
export async function agentsNow(
  { sources, seen, reported }: AgentsDeps,
  lives: readonly Incarnation[],
): Promise<ReadonlyMap<string, AgentNow>> {
  const heard = await sources.of(lives);
  const reports = await reportsOf(reported, lives);
  return new Map(
    lives.map(({ uuid, origin }) => {
      const { word = null, conversation = null, progress, hasTool } = heard.get(uuid) ?? {};
      const screen = origin === 'detached' ? PANELESS : seen(uuid);
      const words = [word, leavesDoubt(word) ? (screen?.word ?? null) : null].filter((one) => one !== null);
      const report = reports?.get(uuid) ?? null;
      const unheard = words.length > 0 || report !== null ? null : (screen?.unheard ?? null);
      const others = verdictOf(words);
      const need = reports === null ? undefined : neededBy(others, report);
      return [uuid, { verdict: withReport(others, report), unheard, conversation, progress, hasTool, need }];
    }),
  );
}

/** By the uuid of a life; null = not known. */
async function reportsOf(
  reported: Reported | null,
  lives: readonly Incarnation[],
): Promise<ReadonlyMap<string, ReturnType<typeof reportWord>> | null> {
  if (reported === null) return null;
  const { of, workOf, wall } = reported;
  const reports = await of(lives.map(({ session }) => session)).catch(() => null);
  if (reports === null) return null;
  return new Map(
    lives.map(({ uuid, session }) => {
      const about = { life: uuid, now: wall(), ...workOf(uuid) };
      return [uuid, reportWord(reports.get(session), about)];
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
