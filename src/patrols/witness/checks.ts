/**
 * Which `done_check` of a polecat began, and what each found, as evidence in the ledger: the witness begins a check, and the process that
 * runs it (`town polecat check`) writes the result. The newest entry about a commit counts.
 */
import type { Ms } from '../../../machines/protocol.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { addressOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { CheckSeen } from '../../../machines/witness/check-seen.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { newestOf } from '../../ledger/walk.ts';
import { age, order } from '../../ports/age.ts';
import { ofLife, toldOnce, witnessOf } from '../memory/evidence.ts';
import { PATROL_HANDS } from '../policy.ts';
import { remember } from './speak.ts';

export interface CheckNote {
  /** As an assignee is written: `<rig>/polecats/<name>`. */
  readonly agent: string;
  readonly commit: string;
  readonly kind: 'began' | 'passed' | 'failed' | 'unknown';
  /** Its first line says what failed; the rest is output. */
  readonly text: string;
}

interface Noting {
  readonly ledger: Ledger;
  readonly rig: string;
  /** Wall ms. */
  readonly now: number;
}

const authorOf = (rig: string, agent: string): string => witnessOf(rig, `check/${agent}`);

export const noteCheck = ({ ledger, rig, now }: Noting, { agent, commit, kind, text }: CheckNote): Promise<unknown> =>
  remember({ ledger, now }, authorOf(rig, agent), kind, `${commit}\n${text}`);

/** Begins the check of a commit. Resolves with the commit. */
export async function beginCheck(
  needs: Noting & { readonly check: (polecat: string, commit: string) => void },
  { agent, polecat, commit }: Readonly<Record<'agent' | 'polecat' | 'commit', string>>,
): Promise<string> {
  // Before: the next cycle knows that it runs.
  await noteCheck(needs, { agent, commit, kind: 'began', text: '' });
  needs.check(polecat, commit);
  return commit;
}

export interface Checking {
  readonly ledger: Ledger;
  readonly now: number;
  /** How long the rig's `done_check` may take; null = it has none. */
  readonly checkLimitMs: Ms | null;
}

export async function checkSeen(
  { ledger, now, checkLimitMs }: Checking,
  record: PolecatRecord,
  left: LeftSeen,
): Promise<CheckSeen | null> {
  if (checkLimitMs === null || left.is !== 'work') return null;
  const agent = addressOf(record);
  const newest = ofLife(record, await newestOf(ledger, authorOf(record.rig, agent)));
  const [commit = '', ...lines] = newest?.text.split('\n') ?? [];
  if (newest === null || commit !== left.commit) return { is: 'due' };
  const text = lines.join('\n');
  const agoMs = age(newest.at, now);
  switch (newest.kind) {
    case 'passed':
      return { is: 'passed' };
    case 'failed': {
      const told = ofLife(record, await newestOf(ledger, toldOnce(record.rig, agent, 'red')));
      const isTold = told !== null && order(told.at) >= order(newest.at);
      return { is: 'failed', commit, text, toldMs: isTold ? age(told.at, now) : null };
    }
    case 'began':
      if (agoMs < checkLimitMs + PATROL_HANDS.checkSlackMs) return { is: 'running' };
      return { is: 'unknown', text: 'its process ended before it wrote a result', agoMs: agoMs - checkLimitMs };
    default:
      return { is: 'unknown', text, agoMs };
  }
}
