/** Who may patrol as an agent, and how its cycles end: with the town down, by its records alone. */
import { beforeEach, expect, test } from 'vitest';
import { WATCHDOG } from '../../../machines/watchdog/policy.ts';
import { WITNESS as WITNESS_POLICY } from '../../../machines/witness/policy.ts';
import { Shop } from '../shop.ts';

const WITNESS = 'gt-shop-witness';

let town: Shop;
const open = async (session: string): Promise<void> => {
  town = new Shop(`${session}[deacon]\nmode = "session"\n`);
  await town.run('rig', 'add', 'shop', '--repo', town.repo);
  for (const name of [WITNESS, 'hq-deacon', 'builder']) town.session(name);
};
beforeEach(() => open('mode = "session"\n'));

const as = (name: string, ...words: string[]) => town.as(`token-of-${name}`, ...words);
const mailOf = async (address: string): Promise<string[]> =>
  (await town.data<{ from: string; subject: string }[]>('mail', 'inbox', address)).map(
    ({ from, subject }) => `${from}: ${subject}`,
  );

// Rules: W-8.
test('after its cycles it hands off by itself, and what it left stays until its next life has read it', async () => {
  await town.did(WITNESS, WITNESS_POLICY.maxCycles - 2);
  const first = await as(WITNESS, 'witness', 'patrol', 'shop', '--once');
  expect(first).toMatchObject({ code: 0, stdout: expect.not.stringContaining('handed off') as string });
  const second = await as(WITNESS, 'witness', 'patrol', 'shop', '--once');
  expect(second.stdout).toContain('you handed off to your next life, since it did 50 cycles: end your turn now');
  const letter = `${WITNESS}: HANDOFF: Patrol handoff`;
  expect(await mailOf('shop/witness')).toEqual([letter]);
  expect(await mailOf('deacon')).toEqual([`${WITNESS}: LIFECYCLE: cycle`]);
  // A person's own cycle is none of the agent's, and leaves the letter.
  expect((await town.run('witness', 'patrol', 'shop', '--once')).stdout).not.toContain('handed off');
  expect(await mailOf('shop/witness')).toEqual([letter]);
  expect((await as(WITNESS, 'mail', 'check', '--inject')).stdout).toContain('it did 50 cycles');
  await town.run('witness', 'patrol', 'shop', '--once');
  expect(await mailOf('shop/witness')).toEqual([]);
});

test('a Deacon hands off alike', async () => {
  await town.did('hq-deacon', WATCHDOG.deacon.handoffAfter - 1, 'deacon');
  const { code, stdout } = await as('hq-deacon', 'deacon', 'patrol', '--once');
  expect([code, stdout]).toEqual([0, expect.stringContaining('since it did 100 cycles: end your turn now')]);
  expect(await mailOf('deacon')).toEqual(['hq-deacon: HANDOFF: Patrol handoff', 'hq-deacon: LIFECYCLE: cycle']);
});

test('no other agent patrols, and none where the town does it itself', async () => {
  const refused = [
    ['builder', 'witness', 'patrol', 'shop'],
    [WITNESS, 'witness', 'patrol', 'other'],
    [WITNESS, 'deacon', 'patrol'],
  ] as const;
  for (const [name, ...words] of refused) expect((await as(name, ...words)).code).toBe(5);
  expect((await as('hq-deacon', 'witness', 'patrol', 'shop', '--once')).code).toBe(0);
  town.witness('mode = "actor"\n');
  expect((await as(WITNESS, 'witness', 'patrol', 'shop', '--once')).code).toBe(5);
});

// Rules: law 11.
test('during a pause the round of the town is run for the operator, and for no agent', async () => {
  await town.run('deacon', 'pause');
  const patrol = ['deacon', 'patrol', '--once', '--json'] as const;
  const failed = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { data: { failed: string[] } }).data.failed;
  expect(failed(await as('hq-deacon', ...patrol))).toEqual([
    'the Deacon is paused, and only the operator may patrol then; end the pause: town deacon resume',
  ]);
  expect(failed(await town.run(...patrol))).toEqual([]);
});
