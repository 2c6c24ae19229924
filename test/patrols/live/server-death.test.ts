/** The tmux server dies under a polecat, as in a reboot: the polecat goes on with its work, and no attempt of it is counted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

const PACE =
  '[patrol]\nactive = "300ms"\nidle = "300ms"\nredispatch_cooldown = "100ms"\n[ledger]\nlook_every = "500ms"\n';
const SESSION = 'gt-shop-sweep';
const HOLDER = 'shop/polecats/sweep';

// Rules: C-9, P-8.
test('a polecat whose tmux server and town are killed goes on in its worktree', async () => {
  const town = new Shop(`${PACE}[rig.shop]\nagent = ["sleep", "100000"]\n`);
  expect((await town.run('rig', 'add', 'shop', '--repo', town.repo)).code).toBe(0);
  const { id } = await town.data<{ id: string }>('bead', 'create', 'sweep', '--rig', 'shop');
  expect((await town.run('up')).code).toBe(0);
  await until(async () => (await town.shown(id)).assignee === HOLDER);
  const uuid = async () => (await town.data<{ uuid: string }>('session', 'status', SESSION)).uuid;
  await until(() => town.tmux('list-sessions', '-F', '#S').includes(SESSION));
  const [before, { pid }] = [await uuid(), await town.data<{ pid: number }>('status')];
  writeFileSync(join(town.root, 'shop/polecats/sweep/half'), 'half done\n');
  process.kill(pid, 'SIGKILL');
  town.tmux('kill-server');
  const lives = async () => {
    const { state, uuid: now } = await town.data<{ state: string; uuid: string }>('session', 'status', SESSION);
    return state === 'running' && now !== before;
  };
  await until(() => lives().catch(() => false));
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: HOLDER });
  expect((await town.shown(id)).attempts).toBeUndefined();
  const dirs = () => town.tmux('list-panes', '-t', `=${SESSION}`, '-F', '#{pane_current_path}').trim();
  // tmux says nothing here until the program of the pane has begun.
  await until(() => dirs() !== '');
  expect(dirs()).toBe(join(town.root, 'shop/polecats/sweep'));
});
