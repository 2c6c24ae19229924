/** A case that a running town finds by itself, while its Deacon rests for days: the case alone wakes it, and the reasoner decides. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { Shop } from '../../patrols/shop.ts';

interface Case {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly for_a_person: boolean;
}

// Rules: P-14.
test('a case that a witness finds starts the reasoner, however long the Deacon rests', async () => {
  const command = JSON.stringify([process.execPath, join(import.meta.dirname, '../programs/agent.ts'), 'works']);
  const town = new Shop(
    `[patrol]\nactive = "1s"\nidle = "240h"\n[triage]\ncommand = ${command}\n[rig.shop]\nmax_polecats = 1\n`,
  );
  town.witness('hook_nudge = "4s"\nhook_case = "4001ms"\n');
  await town.open();
  await town.polecat('cat', await town.bead('stand still'), 'cat');
  // This wakes both patrols; the case comes seconds later, when only the witness is awake.
  await town.bead('wait');
  const left = await until(
    async () => (await town.data<Case[]>('triage', 'list', '--all'))[0],
    (one) => one?.for_a_person === true,
  );
  expect(left).toMatchObject({ type: 'stuck_agent', state: 'open' });
  expect(await town.data('report')).toMatchObject({ model_calls: 1 });
});
