/**
 * The numbers of the inspector's stream (V-1), with unit and reason. Given to src/inspect as input, like every policy.
 * Whatever a viewer or a guest does, it costs the town no more than these.
 */
import type { Ms } from '../../machines/protocol.ts';

/** How much of a value is shown; the rest is counted. */
export interface TrimPolicy {
  /** Levels of nesting: a dance inside a record inside a book has six. */
  readonly maxDepth: number;
  /** Entries of a list, or fields of an object: a book of a hundred sessions shows its first ones. */
  readonly maxEntries: number;
  /** Characters of one word: a name, the id of an order. What is longer is no word, and not shown. */
  readonly maxWordChars: number;
  /** Characters of a whole value; also bounds the work of looking at it. */
  readonly maxValueChars: number;
}

export interface InspectPolicy extends TrimPolicy {
  /** V-1: whether a page is served there. There is none yet; people write the key already, so it is no mistake. */
  readonly enabled: boolean;
  /** V-1: the port on the loopback address; 0 = pick one. */
  readonly port: number;
  /** What happened within this is told together; of an actor's snapshots the latest. Ten times a second looks live. */
  readonly batchMs: Ms;
  /** Events that a late viewer is told, of the town and again of the guests: some minutes of a busy town … */
  readonly ringEvents: number;
  /** … and their characters. */
  readonly ringChars: number;
  /** Actors that ended and are still shown; the oldest are forgotten first. */
  readonly maxEnded: number;
  /** Characters of a machine's definition; the largest of ours has a tenth of it. */
  readonly maxDefinitionChars: number;
  /** Connections at once: pages, receivers and programs that send their own actors. */
  readonly maxViewers: number;
  /** Characters that a viewer may be behind before it is dropped. */
  readonly maxBehindChars: number;
  /** Characters handed to one connection before the system took them: bounds what is kept twice. */
  readonly maxInFlightChars: number;
  /** A viewer is asked for life this often; one that did not answer until the next time is dropped. */
  readonly pingEveryMs: Ms;
  /** A connection that does not finish its request within this is closed. */
  readonly silentMs: Ms;
  /** Bytes of one frame of a guest: a stock client sends a parent with all its children. */
  readonly maxFrameBytes: number;
  /** Frames and bytes a second taken from one guest; a faster one waits, nothing of it is lost. */
  readonly framesPerS: number;
  readonly bytesPerS: number;
  /** Actors of guests that are remembered for late viewers, and their characters in all; the oldest are forgotten first. */
  readonly maxGuestActors: number;
  readonly maxGuestChars: number;
}

export const INSPECT: InspectPolicy = {
  maxDepth: 8,
  maxEntries: 32,
  maxWordChars: 128,
  maxValueChars: 32_768,
  enabled: true,
  port: 0,
  batchMs: 100,
  ringEvents: 1_000,
  ringChars: 1_048_576,
  maxEnded: 32,
  maxDefinitionChars: 131_072,
  maxViewers: 16,
  maxBehindChars: 4_194_304,
  maxInFlightChars: 262_144,
  pingEveryMs: 15_000,
  silentMs: 10_000,
  maxFrameBytes: 262_144,
  framesPerS: 1_000,
  bytesPerS: 2_097_152,
  maxGuestActors: 500,
  maxGuestChars: 4_194_304,
};
