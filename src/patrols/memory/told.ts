/** What a patrol tells a person: escalations, one open for a thing, found again by its label. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { TellAct, ToldSeen } from '../../../machines/witness/observation.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { countOf, ESCALATION, escalationOf, isAcked, type EscalationWanted } from '../../ledger/escalations.ts';
import { raise } from '../../ledger/raise.ts';
import { beadsIn, newestOf } from '../../ledger/walk.ts';
import { patrolOf } from './evidence.ts';

export interface Telling {
  /** A rig, or `deacon`. */
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
}
export interface Tidings {
  readonly severity: EscalationWanted['severity'];
  readonly about: string;
  readonly text: string;
  /** A bead whose end ends it. */
  readonly until?: string;
  readonly count?: TellAct['count'];
  /** There may be many of its kind, `failed/` of `failed/tw-1`, and no table of the patrol counts them. */
  readonly isOfMany?: boolean;
}

const ABOUT = 'about:';
/** What every witness sees and one of them tells: it is of no rig (W-6). */
const OF_TOWN: ReadonlySet<string> = new Set(['deacon']);
const rigOf = (rig: string, about: string): string => (OF_TOWN.has(about) ? '' : rig);
const labelOf = (rig: string, about: string): string =>
  `${ABOUT}${rigOf(rig, about)}/${about}`.slice(0, LEDGER.maxWord);

const seenAs = (bead: Bead, about: string): ToldSeen => {
  const { severity } = escalationOf(bead, 0);
  const count = countOf(bead);
  const acked = isAcked(bead) && { isAcked: true };
  return {
    id: bead.id,
    about,
    severity: severity === 'low' ? 'medium' : severity,
    ...(count !== null && { count }),
    ...acked,
  };
};

/** Everything that this patrol told and that is open, and what any of them told of the town. */
export async function toldOf({ rig, ledger }: Pick<Telling, 'rig' | 'ledger'>): Promise<ToldSeen[]> {
  const mine = `${ABOUT}${rig}/`;
  const found: ToldSeen[] = [];
  for await (const bead of beadsIn(ledger, { rig, labels: [ESCALATION] })) {
    const label = bead.labels.find((one) => one.startsWith(mine));
    if (label !== undefined) found.push(seenAs(bead, label.slice(mine.length)));
  }
  for (const about of OF_TOWN) {
    const { items: open } = await ledger.list({ labels: [ESCALATION, labelOf(rig, about)] }, { limit: 1 });
    found.push(...open.map((bead) => seenAs(bead, about)));
  }
  return found;
}

/** Raises it once, or once more where it is graver by now: its id then; null = one that is open says so already. */
export async function tell(
  { ledger, rig, now }: Telling,
  { about, text, severity, until, count, isOfMany = false }: Tidings,
): Promise<string | null> {
  const kind = about.slice(0, about.indexOf('/'));
  const cause = {
    label: labelOf(rig, about),
    author: patrolOf(rigOf(rig, about) || 'deacon', about),
    ...(isOfMany && { kind: labelOf(rig, kind) }),
  };
  const words = { text, severity, count, related: until ?? null, endsWithIt: true };
  const raised = await raise(ledger, cause, words, { by: patrolOf(rig), rig: rigOf(rig, about), now });
  return raised.is === 'known' ? null : raised.bead.id;
}

/** Whether a person was told of it, however long ago. */
export const wasTold = async ({ ledger, rig }: Pick<Telling, 'rig' | 'ledger'>, about: string): Promise<boolean> =>
  (await newestOf(ledger, patrolOf(rig, about))) !== null;
