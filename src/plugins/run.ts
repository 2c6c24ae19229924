/**
 * One run of a plugin, in a process of its own, so that no patrol waits for it. A root runs one at a time, under a lock
 * that the kernel frees. The next runner first ends what a killed run left behind.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { agentEnvironment } from '../proc/environment.ts';
import { endMarked, runMarked, type RunWanted } from '../proc/marked-run.ts';
import { readPlugins, type Plugin } from './definition.ts';
import { PLUGINS } from './policy.ts';
import { isOpen, lastOf, noteBegun, noteCame, type Came } from './record.ts';

const MARK = 'TOWN_PLUGIN_RUN';

export interface RunNeeds {
  readonly disk: Disk;
  /** Absolute. */
  readonly root: string;
  readonly processes: RunWanted['processes'];
  readonly now: () => number;
  readonly cancelled: AbortSignal;
}

export interface RunReport {
  readonly name: string;
  /** `busy`: another one runs. */
  readonly came: Came | 'busy';
  readonly text: string;
  readonly output: string;
}

export async function runPlugin(needs: RunNeeds, plugin: Plugin): Promise<RunReport> {
  const { disk, root } = needs;
  await disk.mkdir(FOLDERS.patrols);
  const lock = await lockFile({ root, disk }, FILES.pluginLock);
  if (lock === null) return { name: plugin.name, came: 'busy', text: 'another plugin runs', output: '' };
  try {
    await endLeft(needs);
    return await run(needs, plugin);
  } finally {
    lock.release();
  }
}

/** Its runner was killed: no other runs now, since the lock is ours. */
async function endLeft(needs: RunNeeds): Promise<void> {
  const { disk, root, processes } = needs;
  for (const { name } of (await readPlugins(disk, root)).plugins) {
    const last = await lastOf(disk, name);
    if (!isOpen(last)) continue;
    const { id } = last;
    await endMarked({ name: MARK, id }, { processes, policy: PLUGINS });
    await noteCame(disk, name, 'cut off', { id, text: 'its runner was killed' }, needs.now());
  }
}

async function run(needs: RunNeeds, plugin: Plugin): Promise<RunReport> {
  const { disk, now } = needs;
  const { name, gate, timeoutMs, command } = plugin;
  const id = randomUUID();
  const unmet = gate.type === 'condition' ? await whyUnmet(needs, plugin, gate.check) : null;
  if (unmet !== null) {
    await noteCame(disk, name, 'unmet', { id, text: unmet }, now());
    return { name, came: 'unmet', text: unmet, output: '' };
  }
  await noteBegun(disk, name, { id, text: command.join(' '), deadlineAt: now() + timeoutMs }, now());
  const { is: came, text, output } = await bounded(needs, plugin, { id, command, deadlineMs: timeoutMs });
  await noteCame(
    disk,
    name,
    came,
    { id, text: `${text}\n${output.slice(-(PLUGINS.maxOutputBytes - text.length - 1))}` },
    now(),
  );
  return { name, came, text, output };
}

async function whyUnmet(needs: RunNeeds, plugin: Plugin, command: readonly string[]): Promise<string | null> {
  const { is, text } = await bounded(needs, plugin, { id: randomUUID(), command, deadlineMs: PLUGINS.checkMs });
  return is === 'done' ? null : `its condition is not met: ${text}`;
}

type Bounded = Pick<RunWanted, 'command' | 'deadlineMs'> & { readonly id: string };

const bounded = ({ root, cancelled, processes }: RunNeeds, { name }: Plugin, { id, ...rest }: Bounded) =>
  runMarked({
    ...rest,
    mark: { name: MARK, id },
    dir: join(root, FOLDERS.plugins, name),
    cancelled,
    processes,
    policy: PLUGINS,
    env: { ...agentEnvironment(process.env), TOWN_ROOT: root, TOWN_PLUGIN: name },
  });
