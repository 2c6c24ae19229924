/**
 * Work for one Codex without a key: its server begins a turn for it in the thread that can be no other agent's, as seen with 0.169. The
 * message bears the work's own id, by which work that a killed town gave is found, and is not given again.
 */
import * as z from 'zod';
import type { Give, Given } from './gives.ts';
import { joinedLine, type CodexLine } from './codex-server.ts';
import { SOURCES } from './policy.ts';

const BEGUN = z.object({ turn: z.object({ id: z.string() }) });
const TURNS = z.object({
  data: z.array(z.object({ items: z.array(z.looseObject({ type: z.string(), clientId: z.string().nullish() })) })),
});

/** `path`: of the socket of its CODEX_HOME. */
export function codexGives(path: string, threadId: string): Give {
  const onLine = async <T>(ask: (line: CodexLine) => Promise<T>, otherwise: T): Promise<T> => {
    const line = await joinedLine(path, () => undefined).catch(() => null);
    if (line === null) return otherwise;
    try {
      return await ask(line);
    } finally {
      line.close();
    }
  };
  const seen = async (line: CodexLine, work: string): Promise<Given | null | undefined> => {
    const which = { threadId, limit: SOURCES.maxGivenSeen, itemsView: 'summary' };
    const turns = await line.ask('thread/turns/list', which, TURNS);
    if (turns === null) return undefined;
    return turns.data.some(({ items }) => items.some(({ clientId }) => clientId === work)) ? 'begun' : null;
  };
  return {
    has: (work) => onLine((line) => seen(line, work), undefined),
    give: ({ id, text }) =>
      onLine(async (line) => {
        const input = [{ type: 'text', text }];
        const begun = await line.attempt('turn/start', { threadId, input, clientUserMessageId: id }, BEGUN);
        if (begun !== null) return begun === 'refused' ? 'not' : 'begun';
        return (await seen(line, id)) ?? 'unknown';
      }, 'not'),
  };
}
