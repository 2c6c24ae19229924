/** What an act of a witness makes of a bead, as the bead stands when it is done. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { closeMerged, hook, isHeldBy, leave, release } from '../../../machines/ledger/changes.ts';
import type { OrderedAct } from '../../../machines/witness/acting.ts';
import { afterAttempt } from '../../ledger/attempts.ts';
import { withBranch, withHanded } from '../../ledger/branches.ts';

type Of<Name> = Extract<OrderedAct, { act: Name }>;

/** Acts that change one bead. */
export type BeadAct = Of<'reopen' | 'fail' | 'hook' | 'label'> | Close;
/** `handed`: the life whose work was handed over last; null = none. Opened again later, the bead knows of it. */
type Close = Of<'close'> & { readonly handed: string | null };

/** The bead to be stored, itself where the act means another holder, and what to say of it. `at`: RFC 3339. */
export function changeOf(act: BeadAct, bead: Bead, at: string): readonly [Bead, string] {
  switch (act.act) {
    case 'label':
      if (bead.labels.includes(act.add)) return [bead, act.add];
      return [{ ...bead, labels: [...bead.labels, act.add], updatedAt: at }, act.add];
    case 'close':
      return [closed(act, bead, at), act.reason];
    case 'hook': {
      const hooked = hook(act.from === null ? bead : release(bead, at), act.agent, at);
      return [hooked.ok && isHeldBy(bead, act.from) ? hooked.bead : bead, `${act.agent} has it, as dispatch intended`];
    }
    case 'reopen':
    case 'fail':
      // Another agent may have it by now, or a person set it aside.
      if (!isHeldBy(bead, act.from)) return [leave(bead, act.from, at), act.why];
      return [withLeft(afterAttempt(bead, { at, why: act.why, isLast: act.act === 'fail' }), act.left), act.why];
  }
}

/** Of work it closes only what main has; the rest are wisps. */
function closed(act: Close, bead: Bead, at: string): Bead {
  if (bead.status === 'closed' || ('ifOpen' in act && bead.status !== 'open')) return bead;
  return closeMerged(act.handed === null ? bead : withHanded(bead, act.handed), act.reason, at);
}

/** The next attempt finds what this one left. */
const withLeft = (bead: Bead, left: Of<'reopen'>['left']): Bead =>
  left === null ? bead : withBranch(bead, left.branch, left.commit);
