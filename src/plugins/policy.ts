/** How long and how large a plugin may be. */
import type { RunLimits } from '../proc/marked-run.ts';

const MINUTE = 60_000;

export const PLUGINS = {
  ...({ killGraceMs: 5_000, maxOutputBytes: 16_384 } satisfies RunLimits),
  /** Of a run, where the plugin names none. */
  timeoutMs: 5 * MINUTE,
  maxTimeoutMs: 24 * 60 * MINUTE,
  /** Of a condition's check. */
  checkMs: 10_000,
  /** How often a condition is asked, where the plugin does not say. */
  checkEveryMs: 5 * MINUTE,
  /** Of plugin.toml. */
  maxBytes: 65_536,
  /** Folders that are looked into. */
  maxPlugins: 100,
  /** Entries that are kept of a plugin, and a gate looks back over: two a run, and a patrol looks every few minutes. */
  maxRunsSeen: 100,
};
