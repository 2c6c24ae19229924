/**
 * What a witness does about swarms (W-1, W-5): a table over the letter that starts one, and over how far each is. A letter starts what
 * a command would start, and is refused what a command is refused.
 */
import { archive, send, tell, type Rule } from './acts.ts';
import type { ProtocolMessage } from './messages.ts';
import type { LetterSeen, WitnessAct, WitnessSeen } from './observation.ts';

type Swarm = NonNullable<ProtocolMessage['swarm']>;

export const swarmStart: Rule = (letter, { swarm }, { wisps }) => {
  const why = swarm === null ? 'without saying which' : refusal(letter, swarm);
  if (swarm === null || why !== null) {
    const text = `${letter.from} started a swarm ${why ?? ''}; write \`SwarmID: <name>\` and \`Beads: <id> <id>\` into the body of SWARM_START`;
    return [
      tell('high', `swarm/${letter.from}`, text, 'more'),
      archive(letter, 'no swarm was started: a person was told'),
    ];
  }
  const isThere = wisps.some(({ swarm: of }) => of?.id === swarm.id);
  return [
    ...(isThere ? [] : [{ act: 'follow', swarm: swarm.id, beads: swarm.beads } as const]),
    archive(letter, 'the swarm is tracked'),
  ];
};

/** A name that people type and that stands in an id. */
export const SWARM_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What is wrong with it, as the end of a sentence; null = nothing. */
function refusal({ unknownBeads, isNameTaken }: LetterSeen, { id, beads, total }: Swarm): string | null {
  const count = new Set(beads).size;
  if (!SWARM_NAME.test(id)) return `called ${JSON.stringify(id)}, which is no name: letters, digits, dot, _ and -`;
  if (count === 0) return `${id} that names no bead`;
  if (unknownBeads.length > 0) return `${id} with beads that the ledger does not have: ${unknownBeads.join(', ')}`;
  if (isNameTaken)
    return `${id}, a name that an earlier swarm of other beads has, or one that is over: choose a new name`;
  if (total === null) return `${id} whose total is no number`;
  return total === count ? null : `${id} that says ${total} and names ${count}`;
}

/** A swarm is over when all of its work is closed: said once for its wisp, which closes after that. */
export const swarmActs = ({ wisps, hasMayor }: WitnessSeen): WitnessAct[] =>
  wisps.flatMap(({ id: bead, swarm, ageMs }): WitnessAct[] => {
    if (swarm === null || swarm.total === 0 || swarm.closed < swarm.total) return [];
    const minutes = Math.round(ageMs / 60_000);
    const body = `All ${swarm.total} beads are closed.\nDuration: ${minutes} minutes\nSwarm: ${swarm.id}\n`;
    const to = hasMayor ? ['mayor'] : ['mayor', 'overseer'];
    const words = to.map((one) => send({ to: one, subject: `SWARM_COMPLETE: ${swarm.id}`, of: bead, body }));
    return [...words, { act: 'close', bead, reason: 'all of its work is closed', rests: words }];
  });
