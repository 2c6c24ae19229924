/** Under which name the town keeps evidence of a rig's work, for all that read or write it. */

/** Who remembers for the witness of a rig. */
export const witnessOf = (rig: string, what = ''): string =>
  what === '' ? `${rig}/witness` : `${rig}/witness/${what}`;
