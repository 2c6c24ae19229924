/**
 * Which `done_check` of a polecat began last, and what it found, as a note: the witness begins a check, and the process that runs it
 * (`town polecat check`) writes the result. A note about another commit does not count.
 */
import type { Ms } from '../../../machines/protocol.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { addressOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { isChecked, type CheckSeen } from '../../../machines/witness/check-seen.ts';
import { noteOf, type Notes } from '../../../state/patrols/notes.ts';
import { age, order } from '../../ports/age.ts';
import { ofLife, remember, type Noting } from '../memory/notes.ts';
import { PATROL_HANDS } from '../policy.ts';

export interface CheckNote {
  /** As an assignee is written: `<rig>/polecats/<name>`. */
  readonly agent: string;
  readonly commit: string;
  readonly kind: 'began' | 'passed' | 'failed' | 'unknown';
  /** Its first line says what failed; the rest is output. */
  readonly text: string;
}

export const noteCheck = (noting: Noting, { agent, commit, kind, text }: CheckNote): Promise<void> =>
  remember(noting, agent, 'check', kind, `${commit}\n${text}`);

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

export interface Checking extends Noting {
  /** How long the rig's `done_check` may take; null = it has none. */
  readonly checkLimitMs: Ms | null;
}

export async function checkSeen(
  { disk, now, checkLimitMs }: Checking,
  record: PolecatRecord,
  left: LeftSeen,
  { red }: Notes,
): Promise<CheckSeen | null> {
  if (checkLimitMs === null || !isChecked(left)) return null;
  const newest = ofLife(record, await noteOf(disk, addressOf(record), 'check'));
  const [commit = '', ...lines] = newest?.text.split('\n') ?? [];
  if (newest === null || commit !== left.commit) return { is: 'due' };
  const text = lines.join('\n');
  const agoMs = age(newest.at, now);
  switch (newest.kind) {
    case 'passed':
      return { is: 'passed' };
    case 'failed': {
      const isTold = red !== undefined && order(red.at) >= order(newest.at);
      return { is: 'failed', commit, text, toldMs: isTold ? age(red.at, now) : null };
    }
    case 'began':
      if (agoMs < checkLimitMs + PATROL_HANDS.checkSlackMs) return { is: 'running' };
      return { is: 'unknown', text: 'its process ended before it wrote a result', agoMs: agoMs - checkLimitMs };
    default:
      return { is: 'unknown', text, agoMs };
  }
}
