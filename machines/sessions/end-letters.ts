/**
 * Letters to a person about adopted agents that ended. Each is on record from the death on until it lies in the mailbox: a kill in between
 * has it ordered again, under the same name.
 */
import { NOTHING, order } from '../kernel/decision.ts';
import type { Order, Outcome, SessionRecord } from '../protocol.ts';
import type { SessionsDecision, SessionsState } from './state.ts';

type Records = SessionsState['records'];

/** Those that are not in the mailbox yet, as far as it is known. */
export function endLetters(records: Records): readonly Order[] {
  const ended = Object.values(records).filter(({ state, endLetter }) => state === 'ended' && endLetter !== undefined);
  return [...Map.groupBy(ended, ({ endLetter = '' }) => endLetter)].map(([name, of]) => letterAbout(name, of));
}

function letterAbout(name: string, of: readonly SessionRecord[]): Order {
  const lines = of.map(({ spec, note }) => `${spec.name}: ${note}. See: town why ${spec.name}`);
  const body = `The town watched what you adopted, and does not start it again.\n${lines.join('\n')}\n`;
  const subject = `ENDED: ${of.map(({ spec }) => spec.name).join(', ')}`;
  return order({ name }, { type: 'mail', to: 'overseer', subject, body });
}

/** One of them lies in the mailbox. */
export function afterEndLetter({ records }: Pick<SessionsState, 'records'>, { re }: Outcome): SessionsDecision {
  const told = Object.values(records).filter(({ endLetter }) => endLetter !== undefined && endLetter === re.name);
  if (told.length === 0) return NOTHING;
  const without = told.map(({ endLetter: _, ...r }): [string, SessionRecord] => [r.spec.name, r]);
  return { changes: { records: { ...records, ...Object.fromEntries(without) } }, orders: [] };
}
