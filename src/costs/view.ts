/** What conversations took, as `--json` has it. */
import type { WallMs } from '../../machines/protocol.ts';
import type { Conversation } from './costs.ts';
import { sumsSince, type Counted, type Sums } from './tally.ts';

/** Of one conversation, since its beginning. */
export interface TokensView extends Sums {
  /** ISO; null = its program does not tell. */
  readonly since: string | null;
}

/** One conversation of one session. */
export interface CostRow {
  readonly session: string;
  /** null = its program does not tell what it takes. */
  readonly program: string | null;
  readonly conversation: string | null;
  /** null = not known. */
  readonly tokens: Sums | null;
  /** When the conversation began, in ISO; null = not known. */
  readonly since: string | null;
}

const iso = (at: WallMs | null): string | null => (at === null ? null : new Date(at).toISOString());

export const tokensView = (counted: Counted | null): TokensView | null =>
  counted && { ...counted.sums, since: iso(counted.since) };

/** `sessions`: names of those that live. `from`: what was taken before does not count; null = all counts. */
export function costRows(
  conversations: readonly Conversation[],
  sessions: readonly string[],
  from: WallMs | null,
): CostRow[] {
  const told = conversations.map(({ session, program, id: conversation, counted }): CostRow => {
    const tokens = counted && (from === null ? counted.sums : sumsSince(counted, from));
    return { session, program, conversation, tokens, since: iso(counted?.since ?? null) };
  });
  const untold = sessions.filter((name) => !told.some(({ session }) => session === name));
  const none = { program: null, conversation: null, tokens: null, since: null };
  return [...told, ...untold.map((session) => ({ session, ...none }))];
}
