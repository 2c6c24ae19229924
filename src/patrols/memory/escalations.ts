/** What a patrol tells a person that happened: escalations, one open for a thing, found again by its label. What stands is an alert. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { TellAct } from '../../../machines/witness/observation.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { ESCALATION, type EscalationWanted } from '../../ledger/escalations.ts';
import { raise } from '../../ledger/raise.ts';
import { beadsIn } from '../../ledger/walk.ts';
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
  /** There may be many of its kind, `failed/` of `failed/tw-1`: a few are raised by name, and one counts the others. */
  readonly isOfMany?: boolean;
}

const labelOf = (rig: string, about: string): string => `about:${rig}/${about}`.slice(0, LEDGER.maxWord);

/** Raises it once, or once more where it is graver by now: its id then; null = one that is open says so already. */
export async function tell(
  { ledger, rig, now }: Telling,
  { about, text, severity, until, count, isOfMany = false }: Tidings,
): Promise<string | null> {
  const kind = about.slice(0, about.indexOf('/'));
  const cause = {
    label: labelOf(rig, about),
    author: patrolOf(rig, about),
    ...(isOfMany && { kind: labelOf(rig, kind) }),
  };
  const words = { text, severity, count, related: until ?? null, endsWithIt: true };
  const raised = await raise(ledger, cause, words, { by: patrolOf(rig), rig, now });
  return raised.is === 'known' ? null : raised.bead.id;
}

/** Subjects of escalations by which earlier versions told what a level says now. */
const OLDER =
  /^(?:cleanups|refinery|remote|breaker|mail|mail-budget|never-ready\/.*|(?:merge|merged|idle|tree|check|returned|asks|undone)\/.*|many\/(?:merge|merged|idle|tree|check|returned|asks|undone))$/;
/** One of them was of no rig. */
const OF_TOWN = labelOf('', 'deacon');
/** Those of plugins were of no rig either. */
const OF_PLUGIN = 'about:plugin/';

/** Those that are open, by id. */
export async function olderOf({ rig, ledger }: Pick<Telling, 'rig' | 'ledger'>): Promise<string[]> {
  const mine = labelOf(rig, '');
  const isOlder = ({ labels }: Bead): boolean =>
    labels.some((label) => label.startsWith(mine) && OLDER.test(label.slice(mine.length)));
  const found: string[] = [];
  for await (const bead of beadsIn(ledger, { rig, labels: [ESCALATION] })) if (isOlder(bead)) found.push(bead.id);
  if (rig === 'deacon')
    for await (const { id, labels } of beadsIn(ledger, { rig: '', labels: [ESCALATION] }))
      if (labels.some((label) => label.startsWith(OF_PLUGIN))) found.push(id);
  const { items: town } = await ledger.list({ labels: [ESCALATION, OF_TOWN] }, { limit: 1 });
  return [...found, ...town.map(({ id }) => id)];
}
