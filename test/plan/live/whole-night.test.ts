/**
 * A new user's first night on real git, ledger and tmux: ten pieces of work in a plan, three agents at a time, one red, one in conflict, one
 * that leaves a file, one that asks. A person types the lines below, answers the one that asks, and reads what became of all ten.
 */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Report } from '../../../src/cli/story/report-text.ts';
import { until } from '../../cli/town.ts';
import { PACE, rigTable, Shop } from '../../patrols/shop.ts';

vi.setConfig({ testTimeout: 600_000 });
const PROGRAMS = join(import.meta.dirname, '../programs');
const RIG = rigTable(
  join(PROGRAMS, 'night'),
  `max_polecats = 3
test = 'test ! -e broken || { echo "not ok 1 - the shop builds"; exit 1; }'
`,
);
const ASKS = 'Ask before painting';

interface Bead {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}
/** What the town notes for itself is no work. */
const isOver = ({ id, status, title }: Bead): boolean =>
  id.startsWith('tw-wisp-') || status === 'closed' || status === 'blocked' || title === 'Celebrate the build';

// Rules, W-2.
test('ten pieces of work, five typed lines, and the report names each end', async () => {
  const town = new Shop(`${PACE}${RIG}`);
  await town.data('up');
  let typed = 0;
  const type = async (...words: string[]): Promise<string> => {
    typed += 1;
    const { code, stdout, stderr } = await town.run(...words);
    expect([code, stderr], words.join(' ')).toEqual([0, '']);
    return stdout;
  };
  await type('rig', 'add', 'shop', '--repo', town.repo);
  await type('plan', join(PROGRAMS, 'plan.md'), '--rig', 'shop');

  await until(async () => (await town.run('questions')).stdout.includes('Shall I paint the shop?'));
  expect(await type('questions')).toContain('town session attach gt-shop-ask-before-painting');
  typed += 1;
  town.tmux('send-keys', '-t', '=gt-shop-ask-before-painting:', '1');
  const beads = (): Promise<Bead[]> => town.data('bead', 'list', '--all', '--rig', 'shop', '--type', 'task');
  await until(async () => (await beads()).every(isOver));

  await type('report');
  const { work } = await town.data<Report>('report', '--since', '8h');
  const ends = new Map(work?.items.map(({ title, outcome, attempts }) => [title, [outcome, attempts]]));
  expect(Object.fromEntries(ends)).toEqual({
    'Mend the parser': ['merged', 1],
    'Write its test': ['merged', 1],
    'Update the manual': ['merged', 1],
    'One price for all': ['merged', 1],
    'Two prices for all': ['merged', 2],
    'Break the build': ['failed', 3],
    'Celebrate the build': ['not_begun', 0],
    [ASKS]: ['merged', 1],
    'Tidy the shelf': ['merged', 1],
    'Sweep the floor': ['merged', 1],
  });
  const why = work?.items.find(({ outcome }) => outcome === 'failed')?.why;
  expect(why).toContain('not ok 1 - the shop builds');
  expect(typed).toBeLessThanOrEqual(6);

  // Each is in main once, and what one left lies beside its work. No other question was asked.
  const has = (file: string): string => town.git(town.remote, 'show', `main:${file}`);
  expect([has('price'), has('paint'), has('notes')]).toEqual(['two', 'painted: 1', 'left by tidy-the-shelf']);
  const merges = town.git(town.remote, 'log', '--first-parent', '--merges', '--format=%s', 'main').split('\n');
  expect(merges.map((subject) => subject.replace(/^.*?: /, '')).toSorted()).toEqual(
    [...ends]
      .filter(([, [outcome]]) => outcome === 'merged')
      .map(([title]) => title)
      .toSorted(),
  );
  expect(await town.data('triage', 'list', '--all')).toEqual([]);
  expect((await town.subjects('mayor', '--all')).filter((one) => one.startsWith('RECOVERY_NEEDED'))).toEqual([]);
});
