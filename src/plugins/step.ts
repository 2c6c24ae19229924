/** Plugins as a step of the Deacon's patrol: a look at their gates, and a process of its own for the one that is due. */
import { pluginToBegin } from '../../machines/patrols/plugins.ts';
import type { StepStands, Wanted } from '../../machines/protocol/patrols.ts';
import { NotReadable, type Disk } from '../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { readPlugins, type RefusedPlugin } from './definition.ts';
import { lastEnded, lastOf, mayRun, noteSeen, seenOf } from './record.ts';

export interface PluginNeeds {
  readonly disk: Disk;
  /** Absolute. */
  readonly root: string;
}

export interface PluginStep {
  readonly seen: number;
  readonly acts: readonly [];
  readonly wants: readonly Wanted[];
  /** Plugins that are refused, or did not work when they ran last. */
  readonly stands: StepStands;
}

export async function pluginStep({ disk, root }: PluginNeeds, now: number): Promise<PluginStep> {
  const { plugins, refused } = await readPlugins(disk, root);
  const seen = [];
  const unread: RefusedPlugin[] = [];
  let isOneRunning = false;
  for (const plugin of plugins) {
    const { name } = plugin;
    try {
      isOneRunning ||= mayRun(await lastOf(disk, name), now);
      const one = await seenOf(disk, plugin, now);
      if (one.gate.type === 'cron' && one.lastMs === null)
        await unlessRunning({ disk, root }, () => noteSeen(disk, name, now));
      seen.push(one);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      unread.push({ name, why: error.message });
    }
  }
  const name = pluginToBegin(seen, isOneRunning);
  const gate = plugins.find((one) => one.name === name)?.gate.type;
  // Of a condition only its check is begun, and that is no deed.
  const says = gate === 'condition' ? null : `its ${String(gate)} gate is open: it begins`;
  const wants: Wanted[] = name === null ? [] : [{ act: 'plugin', about: name, says }];
  const isRead = (one: { readonly name: string }): boolean => !unread.some((other) => other.name === one.name);
  const stands = await standing(disk, plugins.filter(isRead), [...refused, ...unread]);
  return { seen: plugins.length + refused.length, acts: [], wants, stands };
}

/** While one runs, the next cycle does it. */
async function unlessRunning({ disk, root }: PluginNeeds, work: () => Promise<void>): Promise<void> {
  await disk.mkdir(FOLDERS.patrols);
  const lock = await lockFile({ root, disk }, FILES.pluginLock);
  if (lock === null) return;
  await work().finally(() => {
    lock.release();
  });
}

async function standing(
  disk: Disk,
  plugins: readonly { readonly name: string }[],
  refused: readonly RefusedPlugin[],
): Promise<StepStands> {
  const stands = refused.map(({ name, why }) => [name, `The plugin ${name} is refused: ${why}`]);
  for (const { name } of plugins) {
    const last = await lastEnded(disk, name);
    if (last === null || last.kind === 'done') continue;
    const [why = ''] = last.text.split('\n');
    stands.push([name, `The plugin ${name} does not work: ${why}`]);
  }
  return Object.fromEntries(stands) as StepStands;
}
