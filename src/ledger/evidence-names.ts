/** Under which names the town keeps evidence of a rig's work, for all that read or write it. */

/** Who remembers for the witness of a rig. */
export const witnessOf = (rig: string, what = ''): string =>
  what === '' ? `${rig}/witness` : `${rig}/witness/${what}`;

/** Who remembers what was done about work on the hook of an agent. `goes-on`: a decision that it goes on with it. */
export const hookOf = (
  rig: string,
  agent: string,
  what: 'nudge' | 'case' | 'exempt' | 'since' | 'push' | 'goes-on',
): string => witnessOf(rig, `hook-${what}/${agent}`);
