/** The record of a hearing that is damaged while the town is down: it kills no agent, and its warrant is heard anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { killHard } from '../cli/town.ts';
import { DEAF, LiveTown, until } from '../crash/live.ts';

test('is set aside and told; the warrant goes back to the queue and is asked about from the first question on', async () => {
  await using town = new LiveTown();
  const life = await town.up();
  await town.agent('deaf', DEAF);
  town.accuse('deaf');
  await until(() => (town.dances().get('deaf')?.attempt ?? 0) >= 2);
  killHard(life.child.pid);
  await life.ended;
  const first = town.dances().get('deaf')!;
  expect(first.stage).not.toBe('closed');
  const path = join(town.root, paths.active(first.id));
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -40));

  await town.up();
  expect(await town.verdict('deaf')).toBe('executed');
  const second = town.dances().get('deaf')!;
  expect(second.id).not.toBe(first.id);
  expect(second.warrants).toEqual(first.warrants);
  expect(second.attempts).toHaveLength(3);
  expect(town.cli.names(FOLDERS.quarantine).join()).toContain(first.id);
  await until(() => [...town.cli.names(FOLDERS.held), ...town.cli.names(FOLDERS.warrants)].length === 0);
  expect((await town.cli.run('alerts', 'list')).stdout).toContain(`${first.id}.json does not count`);
  expect(await town.cli.data('warrant', 'show', 'w-deaf')).toMatchObject({ state: 'closed', dance: second.id });
}, 240_000);
