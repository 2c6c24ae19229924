/** A Witness that is an agent in tmux: it patrols by the command, is woken where it rests, hands off, and is stood in for. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WITNESS as WITNESS_POLICY } from '../../../machines/witness/policy.ts';
import { MAIN, until } from '../../cli/town.ts';
import { Shop } from '../shop.ts';

const PROGRAM = join(import.meta.dirname, '../programs/witness.ts');

const WITNESS = 'gt-shop-witness';

let town: Shop;

const open = async (command: readonly string[], pace: string): Promise<void> => {
  const session = `mode = "session"\ncommand = ${JSON.stringify(command)}\n`;
  town = new Shop(`${session}[nudge]\nevery = "100ms"\n${pace}`);
  await town.open();
};

const isWitness = ({ name }: { readonly name: string }): boolean => name === WITNESS;
const noMail = async (): Promise<boolean> => (await town.subjects('shop/witness')).length === 0;

interface Line {
  readonly life: string;
  readonly what: 'task' | 'mail' | 'patrol' | 'woken';
  readonly text: string;
}
const said = (): Line[] =>
  town
    .read('witness.log')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

// Rules: W-8.
test('it patrols, is woken where it rests, hands off after its cycles, and its next life finds why', async () => {
  const pace = '[patrol]\nactive = "300ms"\nidle = "2s"\nstand_in = "1h"\n';
  await open([process.execPath, PROGRAM, MAIN], pace);
  await until(said, (all) => all.length > 0);
  await town.did(WITNESS, WITNESS_POLICY.maxCycles - 2);
  const lines = await until(said, (all) => all.filter(({ what }) => what === 'mail').length === 2);
  const [first] = lines;
  expect(first?.text).toContain('You are the Witness of the rig shop');
  const firstLife = lines.filter(({ life }) => life === first?.life);
  expect(firstLife.slice(0, 4).map(({ what }) => what)).toEqual(['task', 'mail', 'patrol', 'woken']);
  expect(firstLife[2]?.text).toMatch(/^shop: 0 polecats/);
  const second = lines.filter(({ life }) => life !== first?.life);
  expect(second.map(({ what }) => what).slice(0, 2)).toEqual(['task', 'mail']);
  expect(second[1]?.text).toMatch(
    /--- from gt-shop-witness \(agent\), .*\n<<<DATA \S+\nHANDOFF: Patrol handoff\n\s+it did 5\d cycles\n\s+shop: 0 polecats/,
  );
  // Its own next cycle puts the letter away, and the town did no cycle in its place.
  await until(noMail);
  expect(await town.data('evidence', 'list', '--author', 'shop/witness/stand_in')).toEqual([]);
});

// Rules: W-8.
test('where it does not patrol the town does, and a person is told', async () => {
  await open(['cat'], '[patrol]\nactive = "300ms"\nidle = "2s"\nstand_in = "3s"\n');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_STARTED nux', '-m', 'here');
  await until(noMail);
  await until(async () => (await town.episodes()).includes('patrol-rests/shop'));
  expect(town.tmux('capture-pane', '-p', '-S', '-', '-t', '=gt-shop-witness:')).toMatch(/PATROL: .* had no patrol/);
});

// Rules: W-8.
test('where the town patrols again, or its rig is gone, its session is ended and forgotten, once', async () => {
  await open(['cat'], '[patrol]\nactive = "300ms"\nidle = "2s"\nstand_in = "1h"\n');
  const sessions = () => town.data<{ name: string }[]>('session', 'list');
  const isThere = (there: boolean) => until(async () => (await sessions()).some(isWitness) === there);
  const cycles = (): number => (JSON.parse(town.read('patrols/deacon.json')) as { cycle: number }).cycle;
  await isThere(true);
  town.witness('');
  await town.data('restart');
  await isThere(false);
  // What a person starts under the name after that is his, and stays when he stopped it.
  await town.data('session', 'start', WITNESS, '--tag', 'witness', '--tag', 'rig:shop', '--', 'cat');
  const before = cycles();
  await until(() => cycles() >= before + 2);
  await isThere(true);
  await town.data('session', 'stop', WITNESS);
  await until(async () => (await town.run('session', 'remove', WITNESS)).code === 0);
  town.witness('mode = "session"\ncommand = ["cat"]\n');
  await town.data('restart');
  await isThere(true);
  await town.data('rig', 'remove', 'shop');
  await isThere(false);
});
