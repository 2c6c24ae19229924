/** Who patrols: one witness for each rig that there is, and the Deacon's round. Where an agent patrols, it looks after that. */
import type { SupervisorPolicy } from '../kernel/policy.ts';
import { createSupervisor, type ChildSpec } from '../kernel/supervisor.ts';
import type { Policies } from '../witness/cycle.ts';
import { round } from './round.ts';
import type { Pace, RoundInput } from './state.ts';

export interface WitnessesInput {
  readonly supervisor: SupervisorPolicy;
  readonly entropy: string;
  readonly policy: Pace;
  readonly policies: Policies;
}

const child = (id: string, input: RoundInput): ChildSpec => ({ id, src: 'patrol', input });

export const witnesses = createSupervisor('witnesses', { patrol: round }, (input: WitnessesInput) => {
  const { supervisor, entropy, policy, policies } = input;
  return {
    strategy: 'one_for_one',
    policy: supervisor,
    entropy,
    children: [],
    // News of them come once the ledger is open.
    membersIn: (event) =>
      event.type === 'RIGS_SEEN'
        ? [
            child('deacon', { policy, policies, of: 'deacon' }),
            ...event.rigs.map((of) => child(`witness:${of}`, { policy, policies, of })),
          ]
        : null,
  };
});
