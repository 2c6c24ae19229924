/** What a rig's polecats run, how many there may be, and what merges their work: `[rig.<name>]` goes before what was said when it was added. */
import { RIGS } from '../../machines/rigs/policy.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Settings } from '../config/settings.ts';

export interface Choices {
  /** null = each start says it. */
  readonly agent: readonly string[] | null;
  /** The command that merges its branches; null = the town starts none. */
  readonly refinery: readonly string[] | null;
  readonly maxPolecats: number;
}

export function choicesOf({ rigs }: Pick<Settings, 'rigs'>, rig: Pick<RigRecord, 'name' | 'agent'>): Choices {
  const table = Object.hasOwn(rigs, rig.name) ? rigs[rig.name] : undefined;
  return {
    agent: table?.agent ?? rig.agent,
    refinery: table?.refinery ?? null,
    maxPolecats: table?.max_polecats ?? RIGS.maxPolecats,
  };
}
