/**
 * What a patrol tells a person: escalations, one open for a thing, found again by its label; and its memory of acts that came to
 * nothing, as evidence, so that one which lasts is told too.
 */
import { z } from 'zod';
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { PatrolPolicy } from '../../../machines/patrols/policy.ts';
import { undoneActs, type UndoneBefore } from '../../../machines/patrols/undone.ts';
import type { ActOutcome } from '../../../machines/protocol/patrols.ts';
import type { TellAct, ToldSeen } from '../../../machines/witness/observation.ts';
import { count, wall } from '../../../state/files/shapes.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { couldNotText } from '../../journal/acts.ts';
import { closeBead } from '../../ledger/change.ts';
import { countOf, ESCALATION, escalationOf, isAcked, type EscalationWanted } from '../../ledger/escalations.ts';
import { keptIn } from '../../ledger/kept.ts';
import { raise } from '../../ledger/raise.ts';
import { beadsIn, newestOf } from '../../ledger/walk.ts';
import type { TownAct, WitnessAct } from './outcome.ts';
import { patrolOf } from './evidence.ts';
import { PATROL_HANDS } from '../policy.ts';
import { age } from '../../ports/age.ts';

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
  /** Below the text, where there is more to read. */
  readonly details?: string;
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
  { about, text, details, severity, until, count, isOfMany = false }: Tidings,
): Promise<string | null> {
  const kind = about.slice(0, about.indexOf('/'));
  const cause = {
    label: labelOf(rig, about),
    author: patrolOf(rigOf(rig, about) || 'deacon', about),
    ...(isOfMany && { kind: labelOf(rig, kind) }),
  };
  const body = details === undefined ? text : `${text}\n\n${details}`;
  const words = { text, body, severity, count, related: until ?? null, endsWithIt: true };
  const raised = await raise(ledger, cause, words, { by: patrolOf(rig), rig: rigOf(rig, about), now });
  return raised.is === 'known' ? null : raised.bead.id;
}

/** Whether a person was told of it, however long ago. */
export const wasTold = async ({ ledger, rig }: Pick<Telling, 'rig' | 'ledger'>, about: string): Promise<boolean> =>
  (await newestOf(ledger, patrolOf(rig, about))) !== null;

/**
 * A nudge has a ladder of its own: an agent that works is spoken to later. Who cannot be told of an escalation cannot be told of that.
 */
const HAS_LADDER: ReadonlySet<string> = new Set<(WitnessAct | TownAct)['act']>(['nudge', 'pass']);
const UNDONE = 'undone';

/** By what was not done: in how many cycles, and since when. */
const KEPT = z.record(z.string(), z.strictObject({ cycles: count, since: wall }));
type Kept = z.infer<typeof KEPT>;

const keptOf = async ({ ledger, rig }: Telling): Promise<Kept> =>
  keptIn(await newestOf(ledger, patrolOf(rig, UNDONE)), KEPT) ?? {};

/** What is told of acts that were not done, and what is told no more. */
type Climbed = ActOutcome<'tell' | 'close'>;

/** Looks at what came of all acts of a cycle. What it tells, for the record. */
export async function undoneAfter(
  telling: Telling,
  outcomes: readonly (WitnessAct | TownAct)[],
  told: readonly ToldSeen[],
  policy: Pick<PatrolPolicy, 'undoneCycles' | 'undoneForMs'>,
): Promise<Climbed[]> {
  const { ledger, rig, now } = telling;
  const kept = await keptOf(telling);
  const undone = outcomes.filter(({ act, done }) => !done && !HAS_LADDER.has(act));
  const acts = undone.map(({ act, about, text: why }) => ({ key: `${act}/${about}`, why }));
  const before = new Map(
    Object.entries(kept).map(([key, { cycles, since }]): [string, UndoneBefore] => {
      return [key, { cycles, forMs: age(since, now) }];
    }),
  );
  const mine = told.flatMap(({ id, about, count }) => {
    return about.startsWith(`${UNDONE}/`) ? [{ id, key: about.slice(UNDONE.length + 1), count }] : [];
  });
  const decided = undoneActs({ now: acts, before, told: mine }, policy);
  const next: Kept = {};
  // Those that are remembered already first: which they are must not change with the order of a cycle.
  const isKept = ({ key }: { readonly key: string }): boolean => kept[key] !== undefined;
  const remembered = [...acts.filter(isKept), ...acts.filter((one) => !isKept(one))].slice(0, PATROL_HANDS.maxUndone);
  for (const { key } of remembered) {
    const { cycles, since } = kept[key] ?? { cycles: 0, since: now };
    next[key] = { cycles: Math.min(cycles + 1, policy.undoneCycles), since };
  }
  const text = JSON.stringify(next);
  const author = patrolOf(rig, UNDONE);
  if (text !== JSON.stringify(kept))
    await ledger.addEvidence({ id: `${author}-${String(now)}`, author, kind: UNDONE, text, at: now });
  const done: Climbed[] = [];
  for (const { key, why, cycles, count } of decided.tell) {
    const whose = rig === 'deacon' ? "the Deacon's patrol" : `the patrol of ${rig}`;
    const [act = '', ...about] = key.split('/');
    const what = count === undefined ? about.join('/') : `${String(count)} more`;
    const said = `${whose} ${couldNotText(act, what)}, ${String(cycles)} times in a row: ${why}`;
    const id = await tell(telling, {
      severity: 'high',
      about: `${UNDONE}/${key}`,
      text: said,
      ...(count && { count }),
    });
    if (id !== null) done.push({ act: 'tell', about: key, done: true, text: id });
  }
  for (const { id } of mine.filter(({ key }) => decided.over.includes(key))) {
    await closeBead(ledger, id, 'it is over', now);
    done.push({ act: 'close', about: id, done: true, text: 'it is over' });
  }
  return done;
}
