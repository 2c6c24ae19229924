/** What a cycle of a witness does about what it sees, in short words. */
import { PATROL } from '../../machines/patrols/policy.ts';
import type { StandKind } from '../../machines/patrols/stands.ts';
import { standsIn, witnessCycle } from '../../machines/witness/cycle.ts';
import type { CycleAct } from '../../machines/witness/cycle-step.ts';
import type { PolecatSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { polecat, seen } from '../patrols/seen.ts';

const short = (act: CycleAct): string => {
  switch (act.act) {
    case 'nuke':
      return `nuke ${act.polecat}${act.push ? ' pushed' : ''}${act.ready === null ? '' : `, ${act.ready.subject}`}`;
    case 'send':
      return `send ${act.to}: ${act.subject}`;
    case 'wisp':
      return `wisp ${act.title}`;
    case 'follow':
      return `follow ${act.swarm}`;
    case 'triage':
      return `triage ${act.type}`;
    case 'close':
    case 'reopen':
      return `${act.act} ${act.bead}`;
    case 'stand':
      return `stand ${act.kind}`;
    case 'nudge':
      return `nudge ${act.kind}`;
    case 'end':
      return act.isVoluntary ? 'end, its own wish' : 'end, heard first';
    default:
      return act.act;
  }
};
export const cycleOf = (more: Partial<WitnessSeen>): CycleAct[] =>
  witnessCycle(seen(more), { witness: WITNESS, patrol: PATROL }).flatMap(({ acts }) => acts);
export const actsOf = (more: Partial<WitnessSeen>): string[] => cycleOf(more).map(short);

/** What stands for a person after this look, by kind and name. `before`: what stood, by the same. */
export function standsAt(more: Partial<WitnessSeen>, before: readonly string[] = []): string[] {
  const policies = { witness: WITNESS, patrol: PATROL };
  const stood = before.map((one) => {
    const [kind = '', ...name] = one.split('/');
    return { kind: kind as StandKind, name: name.join('/'), severity: 'high', text: 'as before' } as const;
  });
  const stands = standsIn(witnessCycle(seen(more), policies), stood, { seen: seen(more), policies });
  return stands.map(({ kind, name }) => (name === '' ? kind : `${kind}/${name}`));
}

/** A rig with one polecat. */
export const one = (more: Partial<PolecatSeen> = {}): Partial<WitnessSeen> => ({ polecats: [polecat(more)] });
/** A polecat that asked for its end itself needs no hearing. */
export const WISH = 'end, its own wish';
export type Row = readonly [what: string, seen: Partial<WitnessSeen>, acts: readonly string[]];
