/**
 * The patrols of a running town: nobody types a command of theirs. A bead is given out by itself; its polecat dies while the town
 * is down, and the next town sees that, opens the bead again and gives it to the next polecat.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestTown, until } from '../../cli/town.ts';

const LIMIT = { timeout: 240_000 };

let town: TestTown;
let repo: string;

const git = (dir: string, ...words: string[]): string =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
    encoding: 'utf8',
    env: { ...town.env(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  }).trim();

const PACE =
  '[patrol]\nactive = "300ms"\nidle = "300ms"\nredispatch_cooldown = "100ms"\n[ledger]\nlook_every = "500ms"\n';

beforeEach(() => {
  town = new TestTown(`[sessions]\nscan_every = "200ms"\n${PACE}[rig.shop]\nagent = ["sleep", "100000"]\n`);
  repo = join(town.home, 'repo');
  const remote = join(town.home, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'README'), 'shop\n');
  git(repo, 'add', '.');
  git(repo, 'commit', '-qm', 'first');
  git(repo, 'remote', 'add', 'origin', remote);
  git(repo, 'push', '-q', '-u', 'origin', 'main');
  git(repo, 'remote', 'set-head', 'origin', 'main');
});
afterEach(async () => {
  await town.run('down', '--purge');
  town.tmux('kill-server');
  town.remove();
});

/** What the running town's own words say of it. */
const workIn = async (): Promise<{ rigs: { name: string; patrol: { cycle: number } | null }[]; model_calls: number }> =>
  (await town.data<{ work: { rigs: []; model_calls: number } }>('status')).work;

interface Shown {
  readonly status: string;
  readonly assignee?: string;
  readonly attempts?: number;
}
const show = async (id: string): Promise<Shown> => {
  const shown = await town.data<Shown | Shown[]>('bead', 'show', id);
  return Array.isArray(shown) ? shown[0]! : shown;
};
interface Status {
  readonly pid: number;
  readonly actors: readonly { readonly id: string; readonly state: string }[];
}
const status = (): Promise<Status> => town.data<Status>('status');
const actors = async (): Promise<string[]> => (await status()).actors.map(({ id }) => id);

test(
  'a town without rigs patrols none; one that is added is patrolled, one that is removed is not',
  LIMIT,
  async () => {
    expect((await town.run('up')).code).toBe(0);
    expect((await actors()).filter((id) => id.includes('witness:'))).toEqual([]);
    expect(existsSync(join(town.root, 'ledger/town.db'))).toBe(false);
    expect((await town.run('rig', 'add', 'shop', '--repo', repo)).code).toBe(0);
    await until(actors, (all) => all.includes('town/watch/witnesses/witness:shop'));
    await until(
      () => Promise.resolve(existsSync(join(town.root, 'patrols/shop.json'))),
      (isThere) => isThere,
    );
    expect(existsSync(join(town.root, 'ledger/town.db'))).toBe(true);
    expect(await workIn()).toMatchObject({ rigs: [{ name: 'shop', patrol: { why: null } }], model_calls: 0 });
    expect((await town.run('status')).stdout).toMatch(/rig shop: no polecats; patrolled .* ago/);
    expect((await town.run('rig', 'remove', 'shop')).code).toBe(0);
    await until(actors, (all) => !all.includes('town/watch/witnesses/witness:shop'));
  },
);

test('a bead whose polecat died while the town was down goes to the next one', LIMIT, async () => {
  expect((await town.run('rig', 'add', 'shop', '--repo', repo)).code).toBe(0);
  const { id } = await town.data<{ id: string }>('bead', 'create', 'sweep', '--rig', 'shop');
  expect((await town.run('up')).code).toBe(0);
  const first = await until(
    () => show(id),
    ({ assignee }) => assignee === `shop/polecats/${id}`,
  );
  expect(first).toMatchObject({ status: 'hooked' });
  const session = `gt-shop-${id}`;
  await until(
    () => Promise.resolve(town.tmux('list-sessions', '-F', '#S')),
    (names) => names.includes(session),
  );
  const before = await status();
  // It leaves work behind: its worktree stays, and the next one has another name.
  writeFileSync(join(town.root, 'shop/polecats', id, 'half'), 'half done\n');
  process.kill(before.pid, 'SIGKILL');
  town.tmux('kill-session', '-t', `=${session}`);
  await until(
    () => show(id),
    ({ assignee }) => assignee === `shop/polecats/${id}-2`,
  );
  expect(await show(id)).toMatchObject({ status: 'hooked', attempts: 1 });
  expect(existsSync(join(town.root, 'shop/polecats', id, 'half'))).toBe(true);
  expect((await status()).pid).not.toBe(before.pid);
});
