/** The numbers of the glance of `town status`, with unit and reason. */
export const OVERVIEW = {
  /** Letters that a glance opens; of all others it knows how many there are. */
  mail: 50,
  /**
   * Polecats of a rig whose records a glance opens, the first by name; of all it knows how many there are. As many as a
   * night has agents: ten thousand dead ones cost a glance no more than these.
   */
  polecats: 50,
} as const;
