/** The numbers of the client library, with unit and reason. */

export const CLIENT = {
  /** ms between two looks for events: a person sees no delay, and a look costs one stat. */
  againMs: 100,
  /** Looks at a part that cannot be read, one each `againMs`, before its stream ends with an error: two seconds, longer than a copy or a backup holds it. */
  unreadLooks: 20,
  /** Lines of a part that are known again after the town cut them off and wrote them anew: far more than one save has. */
  keptLines: 1_000,
  /** Of one line of the journal: the longest are a tenth of it. A longer one is passed over. */
  lineBytes: 1_048_576,
} as const;
