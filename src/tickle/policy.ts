/** The numbers of the stall watch's hands, with unit and reason. Those of its decisions stand in machines/tickle/policy.ts. */
import type { Ms } from '../../machines/protocol.ts';

export const TICKLE_THREAD = {
  /** What it reads and writes of one ledger is done one after another anyhow. */
  atOnce: 1,
  /** Twice the time between two scans: a start costs more than a scan, and memory that a thread had stays the process's. */
  restMs: 120_000 satisfies Ms,
  /** A page of evidence is at most a few megabytes; short-lived objects are collected at one. */
  heap: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 1 },
} as const;

/** Of a program that says that it works, without a step: a call of a model or a tool takes less. */
export const NO_STEP_MS: Ms = 60 * 60_000;

/** Of evidence/. */
export const DROPS = {
  /** Bytes of a file: evidence is a line or a few. */
  maxBytes: 65_536,
  /** The folder is looked at so often, should the system not say that it changed. */
  lookEveryMs: 5_000 satisfies Ms,
  /** Files of one pass … */
  perPass: 200,
  /** … and the rest between two passes of a flood: a file costs 0.9 ms, so that a flood takes a tenth of a core. */
  restMs: 1_500 satisfies Ms,
  /** Records of an agent in a minute: its newest sign decides, and more would only fill the ledger. */
  perMinute: 60,
  /** Bad files that are put aside in a minute: a person reads the first ones. */
  badPerMinute: 20,
  minuteMs: 60_000 satisfies Ms,
  /** A file that is cut off may still be written for so long: not every program renames. */
  writtenMs: 5_000 satisfies Ms,
} as const;
