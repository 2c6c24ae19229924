/** Plugins as a step of the Deacon's patrol: a look at their gates, and a process of its own for the one that is due. */
import { pluginToBegin } from '../../machines/patrols/plugins.ts';
import type { ActOutcome, Wanted } from '../../machines/protocol/patrols.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { readPlugins } from './definition.ts';
import { lastOf, mayRun, noteSeen, seenOf, tellOf } from './record.ts';

export interface PluginNeeds {
  readonly disk: Disk;
  readonly ledger: Ledger;
  /** Absolute. */
  readonly root: string;
}

export async function pluginStep(
  { disk, ledger, root }: PluginNeeds,
  now: number,
): Promise<{ seen: number; acts: ActOutcome<'plugin'>[]; wants: Wanted[] }> {
  const { plugins, refused } = await readPlugins(disk, root);
  const acts: ActOutcome<'plugin'>[] = [];
  for (const { name, why } of refused)
    if (await tellOf(ledger, name, `it is refused: ${why}`, now))
      acts.push({ act: 'plugin', about: name, done: false, text: why });
  const seen = [];
  let isOneRunning = false;
  for (const plugin of plugins) {
    isOneRunning ||= mayRun(await lastOf(ledger, plugin.name), now);
    const one = await seenOf(ledger, plugin, now);
    if (one.gate.type === 'cron' && one.lastMs === null) await noteSeen(ledger, plugin.name, now);
    seen.push(one);
  }
  const name = pluginToBegin(seen, isOneRunning);
  const gate = plugins.find((one) => one.name === name)?.gate.type;
  // Of a condition only its check is begun, and that is no deed.
  const says = gate === 'condition' ? null : `its ${String(gate)} gate is open: it begins`;
  const wants: Wanted[] = name === null ? [] : [{ act: 'plugin', about: name, says }];
  return { seen: plugins.length + refused.length, acts, wants };
}
