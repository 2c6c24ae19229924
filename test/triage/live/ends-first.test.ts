/**
 * DISCARD of a polecat that lives, on real git, tmux and tokens: one that said done and rests at its prompt ends first, then all that it
 * held is under a ref; one that said done and works on is not ended, and a person decides.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../../patrols/shop.ts';

let town: Shop;
beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 3\n`);
  // Here a living polecat has no time to see to what it left.
  town.witness('deadline = "1ms"\n');
  await town.open();
});

const DONE = `${process.execPath} ${MAIN} mail send shop/witness -s 'POLECAT_DONE nux' -m ''`;

/** A polecat with uncommitted work that says itself that it is done; its worktree, its bead and its case. */
async function doneDirty(then: string): Promise<{ dir: string; bead: string; id: string }> {
  const bead = await town.bead('mend the parser');
  const dir = await town.polecat('nux', bead, 'bash', '-c', `echo 'half done' > half && ${DONE} && ${then}`);
  await until(async () => (await town.subjects('shop/witness')).includes('POLECAT_DONE nux'));
  const id = await until(
    async () => {
      await town.cycle();
      return (await town.data<{ id: string }[]>('triage', 'list'))[0]?.id ?? '';
    },
    (found) => found !== '',
  );
  // The case woke the Deacon, which tells a person and rests again: hands alone carry out what is chosen.
  await until(async () => (await town.data<{ kind: string }[]>('questions')).some(({ kind }) => kind === 'case'));
  return { dir, bead, id };
}

const lives = async (): Promise<boolean> =>
  (await town.data<{ session_state: string }>('polecat', 'status', 'shop/nux')).session_state === 'lives';

// Rules: P-15.
test('said done and rests at its prompt: its session ends first, the witness leaves it, and then its work is kept under a ref', async () => {
  const { dir, bead, id } = await doneDirty(`printf '> ' && exec cat`);
  await until(() => town.tmux('capture-pane', '-p', '-t', '=gt-shop-nux:').includes('>'));
  const chosen = await town.run('triage', 'resolve', id, 'DISCARD');
  expect(chosen).toMatchObject({ code: 0, stdout: expect.stringMatching(/not yet done: .* ends first/) as string });
  await until(async () => !(await lives()));
  // Between the two steps it is not taken away, and no other gets its work.
  await town.cycle();
  await town.cycle();
  expect(existsSync(join(dir, 'half'))).toBe(true);
  expect(await town.shown(bead)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect(await town.data('triage', 'show', id)).toMatchObject({ state: 'resolved' });
  expect(await town.run('triage', 'run')).toMatchObject({ code: 0 });
  const ref = `refs/town/rescue/${id}`;
  expect(await town.data('triage', 'show', id)).toMatchObject({
    state: 'closed',
    outcome: expect.stringContaining(ref) as string,
  });
  expect(town.git(town.repo, 'show', `${ref}:half`)).toBe('half done');
  expect(existsSync(dir)).toBe(false);
  expect(await town.shown(bead)).toMatchObject({ status: 'open', attempts: 1 });
});

// Rules: P-15.
test('said done and works on: it is not ended, and a person decides', async () => {
  const { dir, bead, id } = await doneDirty('exec sleep 100000');
  const refused = await town.run('triage', 'resolve', id, 'DISCARD');
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('gt-shop-nux has not ended') as string });
  expect(await lives()).toBe(true);
  expect(existsSync(join(dir, 'half'))).toBe(true);
  expect(await town.shown(bead)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect(await town.data('triage', 'show', id)).toMatchObject({ state: 'open', for_a_person: true });
});
