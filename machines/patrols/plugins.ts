/**
 * Which plugin is begun now (P-7): a table, without a machine. One at a time, the one that is due for longest; a plugin whose gate was
 * never opened waits for no pause, but a schedule counts from when the plugin was first seen.
 */
import type { Ms } from '../protocol.ts';

export type Gate =
  /** So long after it began last. */
  | { readonly type: 'cooldown'; readonly everyMs: Ms }
  /** At the times of a schedule. */
  | { readonly type: 'cron'; readonly schedule: string }
  /** Where a check says so, which is asked so often. */
  | { readonly type: 'condition'; readonly everyMs: Ms; readonly check: readonly string[] };

export interface PluginSeen {
  readonly name: string;
  readonly gate: Gate;
  /** Since it began last, or its check was asked; null = never. */
  readonly lastMs: Ms | null;
  /** How far past the first time of its schedule since then; negative = it is not there yet. Of `cron`. */
  readonly pastMs: Ms | null;
}

/** How long it is due; null = it is not. */
export function dueFor({ gate, lastMs, pastMs }: PluginSeen): Ms | null {
  const forMs = gate.type === 'cron' ? (pastMs ?? -1) : lastMs === null ? Infinity : lastMs - gate.everyMs;
  return forMs >= 0 ? forMs : null;
}

/** Its name; null = none. */
export function pluginToBegin(plugins: readonly PluginSeen[], isOneRunning: boolean): string | null {
  if (isOneRunning) return null;
  const due = plugins.flatMap((plugin) => {
    const forMs = dueFor(plugin);
    return forMs === null ? [] : [{ name: plugin.name, forMs }];
  });
  due.sort((one, other) => (one.forMs === other.forMs ? (one.name < other.name ? -1 : 1) : other.forMs - one.forMs));
  return due[0]?.name ?? null;
}
