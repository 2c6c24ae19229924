/**
 * Gates of work that a plugin opens (P-7). What is run stands in a plugin.toml of the root alone: a gate names it, and no word of a bead
 * is ever a command. `plugin`: a run of it that began after the gate was shut ended well. `condition`: its condition said yes since.
 */
import { NotReadable, type Disk } from '../../state/files/disk.ts';
import type { Gate, GateTrouble } from '../ledger/gates.ts';
import { readPlugin } from './definition.ts';
import { ranSince } from './record.ts';

export interface GateNeeds {
  readonly disk: Disk;
  /** Absolute. */
  readonly root: string;
}

const WANTED = { plugin: 'done', condition: 'began' } as const;
type Kind = keyof typeof WANTED;

export const waitsForPlugin = (awaits: string): awaits is Kind => Object.hasOwn(WANTED, awaits);

/** In words for people; null = it may open. */
export async function whyNeverOpen({ disk, root }: GateNeeds, awaits: Kind, name: string): Promise<string | null> {
  if (name === '') return 'it names no plugin that it waits for';
  let plugin;
  try {
    plugin = await readPlugin(disk, root, name);
  } catch (error) {
    return `the plugin ${name} is refused: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (plugin === null) return `there is no plugin ${name}`;
  return awaits === 'condition' && plugin.gate.type !== 'condition' ? `the plugin ${name} has no condition` : null;
}

/** `opens`: why. `never`: nothing that runs here opens it. null = it waits. */
export async function pluginGate(
  needs: GateNeeds,
  { awaits, bead }: Gate,
): Promise<{ readonly opens: string } | { readonly never: GateTrouble } | null> {
  if (!waitsForPlugin(awaits)) return null;
  const name = typeof bead.extra.await_id === 'string' ? bead.extra.await_id : '';
  let why = await whyNeverOpen(needs, awaits, name);
  let hasRun = false;
  try {
    hasRun = why === null && (await ranSince(needs.disk, name, Date.parse(bead.createdAt), WANTED[awaits]));
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    why = error.message;
  }
  if (why !== null) {
    const reason = `${why}; mend that, or decide and \`town bead close ${bead.id}\``;
    return { never: { title: `gate ${bead.id} cannot open: ${bead.title}`, reason } };
  }
  if (!hasRun) return null;
  return { opens: awaits === 'plugin' ? `the plugin ${name} ran well` : `the condition of ${name} is met` };
}
