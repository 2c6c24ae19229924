/** The overview: the running town's, or one of our own when nobody answers. Light: only the second needs the readers of state/. */
import type { Overview } from '../overview/overview.ts';
import type { StatusView } from '../socket/protocol.ts';
import type { Context } from './context.ts';
import { note } from './output.ts';

/** `town`: the running town's own word; null = nobody answers. Files that do not count are named on stderr. */
export interface Glance {
  readonly town: StatusView | null;
  readonly overview: Omit<Overview, 'unreadable'>;
}

export async function glance(context: Context): Promise<Glance> {
  const asked = context.askIfUp((town) => Promise.all([town.status(), town.overview().catch(() => null)]));
  const answers = await asked.catch((error: unknown) => {
    // What can be seen without its word is shown.
    if (error instanceof Error && error.name === 'TownSilent') return null;
    throw error;
  });
  const town = answers?.[0] ?? null;
  const { unreadable, ...overview } = answers?.[1] ?? (await ownOverview(context)); // it may still be reading its records
  unreadable.forEach(note);
  return { town, overview };
}

async function ownOverview(context: Context): Promise<Overview> {
  const { ownOverview: make } = await import('./own-overview.ts');
  return make(context);
}
