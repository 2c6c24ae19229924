/** A swarm: a wisp under a name, which follows beads until all of them are closed. A SWARM_START letter starts one. */
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { newWrite, PREFIX } from './ids.ts';
import { eachCalled } from './walk.ts';

export interface SwarmWanted {
  readonly name: string;
  readonly beads: readonly string[];
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  /** Whose witness follows it. */
  readonly rig: string;
}

/** `there`: one of this name was started before, and stays as it is. `unknown`: beads that the ledger does not have. */
export type SwarmStarted =
  | { readonly is: 'started'; readonly bead: Bead }
  | { readonly is: 'there' }
  | { readonly is: 'unknown'; readonly beads: readonly string[] };

export const swarmId = (name: string): string => `${PREFIX}-swarm-${name}`;

export async function startSwarm(ledger: Ledger, wanted: SwarmWanted): Promise<SwarmStarted> {
  const { name, beads, by, at, rig } = wanted;
  const ids = [...new Set(beads)];
  const tracked = new Set(await Array.fromAsync(eachCalled(ledger, ids), ({ id }) => id));
  const unknown = ids.filter((id) => !tracked.has(id));
  if (unknown.length > 0) return { is: 'unknown', beads: unknown };
  const labels = ['swarm', `swarm_id:${name}`, `total:${ids.length}`, 'completed:0', `start:${at}`];
  const dependencies = ids.map((on) => ({ on, type: 'tracks', createdAt: at, createdBy: by, extra: {} }));
  const given = { title: `swarm:${name}`, isWisp: true, labels, rig, createdBy: by, createdAt: at, dependencies };
  const put = await ledger.put(newBead({ ...given, id: swarmId(name) }), {
    expects: 0,
    write: newWrite(),
  });
  return put.is === 'done' ? { is: 'started', bead: put.bead } : { is: 'there' };
}
