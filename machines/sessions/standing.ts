/**
 * What a session's record says of alerts that last: of these kinds exactly those stand whose record says so (law 8). A record is
 * durable before the orders that go with it, so a crash in between leaves an episode open whose cause is gone, and the next one
 * of that name would be told nobody.
 */
import { whoeverTold } from '../alerts/episodes.ts';
import type { AlertKind, Order, SessionRecord } from '../protocol.ts';
import { isFailing } from './lifecycle.ts';
import type { SessionsPolicy } from './policy.ts';
import { order } from './state.ts';

interface Lasting {
  readonly kind: AlertKind;
  readonly stands: (r: SessionRecord, policy: SessionsPolicy) => boolean;
}

const LASTING: readonly Lasting[] = [
  { kind: 'crash-loop', stands: (r) => r.crashLoop },
  { kind: 'ends-at-once', stands: (r) => r.restless === true },
  { kind: 'start-failing', stands: isFailing },
  { kind: 'name-taken', stands: (r) => r.nameTaken === true },
  { kind: 'life-unknown', stands: (r) => r.unknownTold === true },
];

/** The records are read: what an earlier process told and they do not say any more is over. */
export const othersOver = (records: readonly SessionRecord[], policy: SessionsPolicy): readonly Order[] =>
  LASTING.map(({ kind, stands }) => {
    const except = records.filter((r) => stands(r, policy)).map(({ spec }) => `${kind}/${spec.name}`);
    return order(`sessions/settled/${kind}`, whoeverTold(`${kind}/`, 'It was over when the town started.', except));
  });
