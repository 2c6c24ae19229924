/** The way from the thread of the patrols to its town: what the town refuses an operator's commands it refuses its patrols. */
import { PROCESS } from '../../ports/policy.ts';
import type { Door } from '../../rigs/sessions.ts';
import { connectTown, TownNotRunning, type TownClient } from '../../socket/client.ts';

/** `token`: by which the town knows the thread. */
export function doorTo(root: string, token: string): Door {
  async function ask<T>(question: (town: TownClient) => Promise<T>): Promise<T> {
    const town = await connectTown(root, PROCESS, token);
    try {
      return await question(town);
    } finally {
      town.close();
    }
  }
  return {
    ask: (request) => ask((town) => town.request(request)),
    askIfUp: (request) =>
      ask((town) => town.request(request)).catch((error: unknown) => {
        if (error instanceof TownNotRunning) return null;
        throw error;
      }),
    overview: () => ask((town) => town.overview()),
    unrecorded: 'unknown',
  };
}
