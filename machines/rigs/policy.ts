/** The numbers of rigs, with unit and reason. Input of whoever decides by them. */
export const RIGS = {
  /** Polecats of one rig at once, where its table does not say otherwise: each has an agent that costs. */
  maxPolecats: 5,
};
