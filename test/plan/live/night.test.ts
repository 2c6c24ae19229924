/** `examples/night` as its README says: a plan becomes merged commits, on real git, ledger and tmux, with no person needed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { Shop } from '../../patrols/shop.ts';

const NIGHT = join(import.meta.dirname, '../../../examples/night');

// Rules: R-3, P-8.
test('each task of the plan is merged, none before the tasks that it waits for', async () => {
  // Agents know the town by this name; the patrols are quick for a test.
  const toml = readFileSync(join(NIGHT, 'town.toml'), 'utf8').replaceAll('NIGHT', NIGHT);
  const town = new Shop(`[patrol]\nactive = "1s"\nidle = "1s"\n${toml}`);
  const bin = join(town.home, 'command');
  writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  const named = town.read('town.toml').replaceAll("'bash ", `'env TOWN="${bin}" bash `);
  town.write('town.toml', named.replace("'town refinery'", `'"${bin}" refinery'`));
  await town.open();
  expect((await town.run('plan', join(NIGHT, 'plan.md'), '--rig', 'shop')).stdout).toContain(
    '3 tasks for shop: 3 made',
  );
  const beads = () =>
    town.data<{ id: string; title: string; status: string }[]>(
      'bead',
      'list',
      '--all',
      '--rig',
      'shop',
      '--type',
      'task',
    );
  await until(async () => (await beads()).every(({ status }) => status === 'closed'));
  const idOf = new Map((await beads()).map(({ id, title }) => [title, id]));
  const order = town
    .git(town.remote, 'log', '--reverse', '--topo-order', '--no-merges', '--format=%s', 'main')
    .split('\n');
  const wanted = ['Mend the parser', 'Write its test', 'Describe the parser'];
  expect(order.slice(1)).toEqual(wanted.map((title) => `Do ${idOf.get(title)}`));
  const text = town.git(town.remote, 'show', `main:work-${idOf.get('Mend the parser')}.txt`);
  expect(text).toContain("printf '' | ./parse");
  expect(await town.data('alerts', 'list')).toEqual([]);
});
