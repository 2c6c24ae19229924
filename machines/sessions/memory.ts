/**
 * Memory of agents and of what they run: one that takes more than its limit is an alert. Nothing is ended for it: a build that is
 * killed is lost work, and only a person knows whether it is worth its memory.
 */
import { status } from '../alerts/asks.ts';
import type { Claim, Level } from '../alerts/levels.ts';
import { sizeText } from '../kernel/span.ts';
import type { SeenSession } from '../protocol.ts';
import { keptClaim } from './kept-claim.ts';
import { MEMORY } from './policy.ts';
import { isWatched, type SessionsState } from './state.ts';

type Book = Pick<SessionsState, 'records' | 'agents' | 'policy' | 'memory'>;

/** What the limit of each session is, as town.toml has it now; null = none has one. */
function limitsIn({ agents, policy }: Book): ((name: string) => number) | null {
  const own = new Map(
    agents.flatMap(({ name, maxMemoryBytes = 0 }) => (maxMemoryBytes > 0 ? [[name, maxMemoryBytes]] : [])),
  );
  return own.size === 0 && policy.maxMemoryBytes === 0 ? null : (name) => own.get(name) ?? policy.maxMemoryBytes;
}

/** With what a scan measured; the same object where that changes nothing. */
export function memoryNow(book: Book, seen: readonly SeenSession[]): SessionsState['memory'] {
  const limitOf = limitsIn(book);
  if (limitOf === null) return book.memory;
  const news = seen.flatMap(({ name, uuid, memoryBytes: bytes }) => {
    const limit = limitOf(name);
    if (limit === 0 || bytes === undefined) return [];
    const before = book.memory[name];
    const isSame = before?.uuid === uuid;
    const isOver = bytes > (isSame && before.isOver ? limit * MEMORY.backBelow : limit);
    return isSame && before.isOver === isOver ? [] : [[name, { uuid, bytes, isOver }] as const];
  });
  if (news.length === 0) return book.memory;
  const known = Object.entries(book.memory).filter(([name]) => name in book.records);
  return Object.fromEntries([...known, ...news]);
}

function claim(book: Book): Claim {
  const limitOf = limitsIn(book);
  if (limitOf === null) return { stands: [], only: [] };
  const limited = Object.values(book.records).flatMap((r) => {
    const limit = isWatched(r) ? limitOf(r.spec.name) : 0;
    const measured = book.memory[r.spec.name];
    const isOfThisLife = measured !== undefined && measured.uuid === r.incarnation?.uuid;
    return limit === 0 ? [] : [{ name: r.spec.name, limit, measured: isOfThisLife ? measured : null }];
  });
  return {
    stands: limited.flatMap(({ name, limit, measured }) => {
      if (measured?.isOver !== true) return [];
      const text = `${name} and what it runs took ${sizeText(measured.bytes)} of memory; its max_memory is ${sizeText(limit)}. Nothing is ended for that. To end it with its work saved: town session restart ${name}`;
      return [{ name, severity: 'high', session: name, text } as const];
    }),
    only: limited.flatMap(({ name, measured }) => (measured === null ? [name] : [])),
  };
}

export const MEMORY_LEVEL: Level<SessionsState> = {
  kind: 'memory',
  asks: (about) => [...status(about), `town session restart ${about.session}`],
  claim: keptClaim('memory', ['records', 'agents', 'policy'], claim),
  ended: (name, { records }) => {
    const r = name === null ? undefined : records[name];
    return r !== undefined && isWatched(r) ? 'It takes less than its max_memory.' : 'It does not run any more.';
  },
};
