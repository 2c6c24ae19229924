/** How long and how large a plugin may be. */
import type { Ms } from '../../machines/protocol.ts';
import type { RunLimits } from '../proc/marked-run.ts';

interface PluginPolicy extends RunLimits {
  /** Of a run, where the plugin names none. */
  readonly timeoutMs: Ms;
  readonly maxTimeoutMs: Ms;
  /** Of a condition's check. */
  readonly checkMs: Ms;
  /** How often a condition is asked, where the plugin does not say. */
  readonly checkEveryMs: Ms;
  /** Of plugin.toml. */
  readonly maxBytes: number;
  /** Folders that are looked into. */
  readonly maxPlugins: number;
  /** Records of runs that a gate looks back over: two a run, and a patrol looks every few minutes. */
  readonly maxRunsSeen: number;
}

const MINUTE = 60_000;

export const PLUGINS: PluginPolicy = {
  ...{ killGraceMs: 5_000, maxOutputBytes: 16_384, timeoutMs: 5 * MINUTE, maxTimeoutMs: 24 * 60 * MINUTE },
  ...{ checkMs: 10_000, checkEveryMs: 5 * MINUTE, maxBytes: 65_536 },
  ...{ maxPlugins: 100, maxRunsSeen: 100 },
};
