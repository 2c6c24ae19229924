/** The numbers of the client library, with unit and reason. */

export const CLIENT = {
  /** ms between two looks for events: a person sees no delay, and a look costs one stat. */
  againMs: 100,
  /** Of one line of the journal: the longest are a tenth of it. A longer one is passed over. */
  lineBytes: 1_048_576,
} as const;
