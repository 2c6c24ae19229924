import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OutcomeBody } from '../../machines/protocol.ts';
import { isFault } from '../../src/tmux/errors.ts';
import { withServer } from './server.ts';
import { until, yard, type Yard } from './yard.ts';

const ROUNDS = 20;
const NAMES = ['one', 'other'];

/** What tmux does not tell is tried again, as a town does: a client may end unheard while two of them start one server. */
async function started(town: Yard, name: string): Promise<OutcomeBody> {
  for (;;) {
    try {
      return await town.start({ name });
    } catch (error) {
      if (!isFault(error, 'unknown')) throw error;
    }
  }
}

test('of two towns that start their first agent at the same moment, where no server runs, one has the server and the other is refused by name (C-12)', async () => {
  await using server = await withServer({ session: null });
  for (let round = 0; round < ROUNDS; round += 1) {
    const towns = await Promise.all(NAMES.map((rootName) => yard({ on: server, rootName })));
    for (const { root } of towns) writeFileSync(join(root, 'daemon', 'daemon.pid'), String(process.pid));
    const ends = await Promise.all(towns.map((town, n) => started(town, `agent-${NAMES[n] ?? ''}`)));
    const owners = towns.filter((_, n) => ends[n]?.type === 'SESSION_STARTED').map(({ root }) => root);
    expect(ends).toContainEqual(
      expect.objectContaining({
        type: 'SESSION_NOT_STARTED',
        why: expect.stringContaining(owners[0] ?? '?') as string,
      }),
    );
    expect(owners).toHaveLength(1);
    expect(await server.tmux('show-options', '-sqv', '@town_owner')).toMatch(new RegExp(` ${owners[0] ?? '?'}$`));
    // Marks of the refused one are on nothing.
    const marked = await server.tmux('list-sessions', '-f', '#{@town_root}', '-F', '#{@town_root}');
    expect(marked.split('\n')).toEqual(owners);
    for (const { tmux } of towns) await tmux.close();
    await server.tmux('kill-server');
    // While it ends, a server may take a client in and answer nothing.
    for (const { tmux } of towns) await until(async () => (await tmux.server().catch(() => false)) === null);
  }
});
