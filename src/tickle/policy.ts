/** The numbers of the stall watch's thread, with unit and reason. Those of its decisions stand in machines/tickle/policy.ts. */
import type { Ms } from '../../machines/protocol.ts';

export const TICKLE_THREAD = {
  /** What it reads and writes of one ledger is done one after another anyhow. */
  atOnce: 1,
  /** Twice the time between two scans: a start costs more than a scan, and memory that a thread had stays the process's. */
  restMs: 120_000 satisfies Ms,
  /** A page of evidence is at most a few megabytes; short-lived objects are collected at one. */
  heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 1 },
} as const;
