/**
 * The numbers of the inspector's stream (V-1), with unit and reason. Given to src/inspect as input, like every policy.
 * No viewer or guest costs the town more than these.
 */
export const INSPECT = {
  /** Levels of nesting: a dance inside a record inside a book has six. */
  maxDepth: 8,
  /** Entries of a list, or fields of an object: a book of a hundred sessions shows its first ones. */
  maxEntries: 32,
  /** Characters of one word: a name, the id of an order. What is longer is no word, and not shown. */
  maxWordChars: 128,
  /** Characters of a whole value; also bounds the work of looking at it. */
  maxValueChars: 32_768,
  /** V-1: whether a page is served there. There is none yet, so this decides nothing; town.toml had a key for it. */
  enabled: true,
  /** V-1: the port on the loopback address; 0 = pick one. */
  port: 0,
  /** Events within this are sent together; of an actor's snapshots the latest. Ten times a second looks live. */
  batchMs: 100,
  /** Events that a late viewer gets, of the town and again of the guests: some minutes of a busy town … */
  ringEvents: 1_000,
  /** … and their characters. */
  ringChars: 1_048_576,
  /** Actors that ended and are still shown; the oldest are forgotten first. */
  maxEnded: 32,
  /** Characters of a machine's definition; the largest of ours has a tenth of it. */
  maxDefinitionChars: 131_072,
  /** Connections at once: pages, receivers and programs that send their own actors. */
  maxViewers: 16,
  /** Characters that a viewer may be behind before it is dropped. */
  maxBehindChars: 4_194_304,
  /** Characters handed to one connection before the system took them: bounds what is kept twice. */
  maxInFlightChars: 262_144,
  /** A viewer is asked for life this often; one that did not answer until the next time is dropped. */
  pingEveryMs: 15_000,
  /** A connection that does not finish its request within this is closed. */
  silentMs: 10_000,
  /** Bytes of one frame of a guest: a stock client sends a parent with all its children. */
  maxFrameBytes: 262_144,
  /** Frames and bytes a second taken from one guest; a faster one waits, nothing of it is lost. */
  framesPerS: 1_000,
  bytesPerS: 2_097_152,
  /** Actors of guests that are remembered for late viewers, and their characters in all; the oldest are forgotten first. */
  maxGuestActors: 500,
  maxGuestChars: 4_194_304,
};
export type InspectPolicy = Readonly<typeof INSPECT>;
/** How much of a value is shown; the rest is counted. */
export type TrimPolicy = Pick<InspectPolicy, 'maxDepth' | 'maxEntries' | 'maxWordChars' | 'maxValueChars'>;
