/** The numbers of rigs, with unit and reason. Input of every decision that uses them. */
export const RIGS = {
  /** Polecats of one rig at once, where its table does not say otherwise: each has an agent that costs. */
  maxPolecats: 5,
};
