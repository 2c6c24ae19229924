/** `town sling`: beads go to new polecats at once, by the rules of the rig, on real git, ledger and tmux. */
import { beforeEach, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../../patrols/shop.ts';

interface Slung {
  readonly bead: string;
  readonly polecat: string | null;
  readonly why: string | null;
}

let town: Shop;
const AGENT = 'agent = "sleep 100000"\n';

// Dispatch by itself would come between: its breaker is open from the start for want of an agent, until a test sets one.
async function opened(rig: string): Promise<void> {
  town = new Shop(`${BY_HAND}[rig.shop]\n${rig}`);
  await town.open();
}
beforeEach(() => opened(`max_polecats = 2\n${AGENT}`));

const held = async (id: string): Promise<string | undefined> => (await town.shown(id)).assignee;
/** Staged work is given out by no patrol. */
const staged = async (title: string, ...more: string[]): Promise<string> =>
  (await town.data<{ id: string }>('bead', 'create', title, '--label', 'staged', ...more)).id;

// Rules: R-1, P-8.
test('beads go to polecats of their own, from main as it is at the remote, until the rig is full', async () => {
  const [one, two, three] = [await staged('one', '--rig', 'shop'), await staged('two'), await staged('three')];
  town.git(town.home, 'clone', '-q', town.remote, 'other');
  town.git(`${town.home}/other`, 'commit', '-q', '--allow-empty', '-m', 'second');
  town.git(`${town.home}/other`, 'push', '-q', 'origin', 'main');
  const ran = await town.run('sling', one, two, three, 'shop', '--json');
  expect(ran.code).toBe(5);
  const { data } = JSON.parse(ran.stdout) as { data: Slung[] };
  expect(data).toMatchObject([
    { bead: one, polecat: 'shop/one', why: null },
    { bead: two, polecat: 'shop/two', why: null },
    { bead: three, polecat: null, why: expect.stringContaining('2 polecats at work, as many as it may') as string },
  ]);
  expect([await held(one), await held(two), await held(three)]).toEqual([
    'shop/polecats/one',
    'shop/polecats/two',
    undefined,
  ]);
  const dir = `${town.root}/shop/polecats/one`;
  expect(town.git(dir, 'log', '-1', '--format=%s')).toBe('second');
  expect(town.tmux('ls', '-F', '#{session_name}')).toContain('gt-shop-two');
  expect(await town.data('bead', 'show', two)).toMatchObject({ rig: 'shop', status: 'hooked' });
});

test('one bead goes to a polecat of that name, and the name is taken then', async () => {
  const [one, two] = [await staged('one'), await staged('two')];
  const ran = await town.run('sling', one, 'shop/nux');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, `shop/nux works on ${one}, in session gt-shop-nux\n`, '']);
  const again = await town.run('sling', two, 'shop/nux');
  expect([again.code, again.stdout]).toEqual([5, '']);
  expect(again.stderr).toContain('shop/nux is there already');
  const busy = await town.run('sling', one, 'shop');
  expect([busy.code, busy.stdout]).toEqual([5, '']);
  expect(busy.stderr).toContain(`${one} is hooked`);
});

test('what is not ready, no work or of another rig is refused before any polecat is made', async () => {
  const [first, later] = [await staged('first'), await staged('later')];
  await town.data('bead', 'dep', 'add', later, first);
  // Its rig was removed since.
  await town.run('rig', 'add', 'barn', '--repo', town.repo);
  const other = await staged('other', '--rig', 'barn');
  expect((await town.run('rig', 'remove', 'barn', '--force')).code).toBe(0);
  const gate = (await town.data<{ id: string }>('bead', 'create', 'wait', '--type', 'gate')).id;
  const closed = await staged('closed');
  await town.data('bead', 'close', closed);
  for (const [words, code, text] of [
    [[first, later, 'shop'], 5, `${later} waits for ${first}, which is open`],
    [[first, other, 'shop'], 5, `town bead update ${other} --rig shop`],
    [[first, gate, 'shop'], 5, 'is no work (gate)'],
    [[closed, 'shop'], 5, `town bead reopen ${closed}`],
    [[first, later, 'shop/nux'], 2, 'one polecat takes one bead'],
    [[first, 'barn'], 2, 'no rig "barn" was added'],
    [['shop'], 2, 'town sling <bead…> <rig>'],
    [['tw-none', 'shop'], 2, 'there is no bead "tw-none"'],
  ] as const) {
    const ran = await town.run('sling', ...words);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(text);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  }
  expect(await town.data('polecat', 'list')).toEqual([]);
  const { stderr, code } = await town.as('token', 'sling', first, 'shop');
  expect([code, stderr]).toEqual([5, expect.stringContaining('TOWN_TOKEN')]);
});
