/** Work is done only once the rig's `done_check` passes on its commit: on real git, real processes and a living polecat. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killHard, until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

interface Mail {
  readonly subject: string;
  readonly body: string;
}

/** A polecat that takes what is typed to it, and ends when it is told to. */
const LISTENS = ['bash', '-c', 'while read -r line; do echo "got $line"; done'];

async function opened(rig: string): Promise<Shop> {
  const town = new Shop(`${BY_HAND}[rig.shop]\n${rig}\n`);
  await town.open();
  return town;
}

function commit(town: Shop, dir: string, name: string): void {
  writeFileSync(join(dir, name), `${name}\n`);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', `add ${name}`);
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
}
const says = (town: Shop): Promise<unknown> =>
  town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', '');
const requests = (town: Shop): Promise<Mail[]> => town.data('mail', 'inbox', 'shop/refinery');
/** Cycles until one does this. */
const acts = (town: Shop, wanted: string): Promise<boolean> => until(async () => (await town.acts()).includes(wanted));

// Rules: R-5.
test('red work goes back to its polecat with the output, and what it mends is handed over once its check passes', async () => {
  const town = await opened(`done_check = 'test -e mended || { echo "not ok 3 adds a tax"; exit 1; }'`);
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...LISTENS);
  commit(town, dir, 'parser');
  await says(town);
  expect(await town.acts()).toContain('check done: nux');
  await acts(town, 'nudge done: shop/polecats/nux');
  const [told] = await town.data<Mail[]>('mail', 'inbox', 'shop/polecats/nux');
  expect(told?.subject).toMatch(/^Not done: the check of \w{10} fails$/);
  expect(told?.body).toMatch(/fails with exit code 1 on \w{40}: not ok 3 adds a tax/);
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect([await requests(town), await town.subjects('shop/witness')]).toEqual([[], []]);
  commit(town, dir, 'mended');
  await says(town);
  await acts(town, 'nuke done: nux');
  expect((await requests(town)).map(({ subject }) => subject)).toEqual(['MERGE_READY nux']);
});

// Rules: R-5.
test.each([
  ['cannot be started', 'done_check = "/no/such/program"', 'could not be started'],
  ['does not end', 'done_check = "sleep 600"\ntest_limit = "1s"', 'did not end within 1 s'],
  ['is killed', `done_check = 'kill -9 $$'`, 'was killed'],
])('a check that %s alerts a person, and counts neither as done nor as failed', async (_, rig, why) => {
  const town = await opened(rig);
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...LISTENS);
  commit(town, dir, 'parser');
  await says(town);
  expect(await town.acts()).toContain('check done: nux');
  await until(async () => (await town.stands()).some((text) => text.includes(why)));
  await until(async () => (await town.episodes()).includes('check-unknown/shop/nux'));
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
  expect(await requests(town)).toEqual([]);
  expect(existsSync(dir)).toBe(true);
});

// Rules: R-5.
test('a check whose process is killed runs again at once, and alerts a person where that one is killed too', async () => {
  const town = await opened(`done_check = 'echo $PPID > ../checker; sleep 600'`);
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...LISTENS);
  commit(town, dir, 'parser');
  await says(town);
  expect(await town.acts()).toContain('check done: nux');
  const killed = async (): Promise<void> => {
    const checker = join(dir, '..', 'checker');
    const pid = await until(() => (existsSync(checker) ? Number(readFileSync(checker, 'utf8')) : 0));
    expect(await town.acts()).toEqual([]);
    killHard(pid);
    rmSync(checker);
  };
  await killed();
  await acts(town, 'check done: nux');
  await killed();
  const why = 'its process ended before it wrote a result, 2 times in a row';
  await until(async () => (await town.stands()).some((text) => text.includes(why)));
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/nux' });
});

// Rules: R-5.
test('the red work of a dead polecat is taken back as a failed attempt', async () => {
  const town = await opened(`done_check = 'echo "not ok 1"; exit 1'`);
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...LISTENS);
  commit(town, dir, 'parser');
  await town.ends('nux');
  await says(town);
  await acts(town, `reopen done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'open', attempts: 1, metadata: { branch: 'polecat/nux' } });
  await acts(town, 'nuke done: nux');
  expect(await requests(town)).toEqual([]);
});

// Rules: R-5.
test('red work that a polecat pushed to main by itself closes nothing: a person is told, and it is taken back', async () => {
  const town = await opened(`refinery = "true"\ndone_check = 'echo "not ok 1"; exit 1'`);
  const id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, ...LISTENS);
  commit(town, dir, 'parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD:main');
  await town.ends('nux');
  await says(town);
  await acts(town, `reopen done: ${id}`);
  expect(await town.shown(id)).toMatchObject({ status: 'open', attempts: 1 });
  const told = await town.data<{ title: string }[]>('bead', 'list', '--label', 'gt:escalation');
  expect(told.map(({ title }) => title).sort()).toEqual([
    expect.stringMatching(
      /^The commit \w{10} of \S+ stands in the main branch, and its done_check fails: .*git revert \w{10}$/,
    ),
    expect.stringMatching(
      /^The commit \w{10} of \S+ stands in the main branch, and the refinery neither tested nor merged it/,
    ),
  ]);
  expect(await requests(town)).toEqual([]);
});

// Rules: R-5.
test('a check that ran on more than the commit has no result', async () => {
  const town = await opened(`done_check = 'cat ../late >> parser; touch coverage'`);
  const dir = await town.polecat('nux', await town.bead('mend the parser'), ...LISTENS);
  commit(town, dir, 'parser');
  const checked = async () => {
    const { result, text } = await town.data<Record<'result' | 'text', string>>('polecat', 'check', 'shop/nux');
    return `${result}: ${text}`;
  };
  expect(await checked()).toMatch(/^passed: /);
  // The next run would find what this one wrote.
  expect(existsSync(join(dir, 'coverage'))).toBe(true);
  rmSync(join(dir, 'coverage'));
  writeFileSync(join(dir, 'rest'), 'not committed\n');
  expect(await checked()).toMatch(/^unknown: its worktree has 1 untracked file, /);
  rmSync(join(dir, 'rest'));
  writeFileSync(join(dir, '..', 'late'), 'written meanwhile\n');
  expect(await checked()).toMatch(/^unknown: its worktree has 1 changed file, /);
});
