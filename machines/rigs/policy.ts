/** The numbers of rigs, with unit and reason. Input of whoever decides by them. */

export interface RigsPolicy {
  /** Polecats of one rig at once, where its table does not say otherwise: each has an agent that costs. */
  readonly maxPolecats: number;
}

export const RIGS: RigsPolicy = { maxPolecats: 5 };
