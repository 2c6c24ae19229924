/** What a cycle of a witness does about what it sees, in short words. */
import { PATROL } from '../../machines/patrols/policy.ts';
import { witnessCycle } from '../../machines/witness/cycle.ts';
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

/** A rig with one polecat. */
export const one = (more: Partial<PolecatSeen> = {}): Partial<WitnessSeen> => ({ polecats: [polecat(more)] });
/** A polecat that asked for its end itself needs no hearing. */
export const WISH = 'end, its own wish';
export type Row = readonly [what: string, seen: Partial<WitnessSeen>, acts: readonly string[]];
