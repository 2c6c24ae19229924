/** Whose word closed the bead decides whether its work is merged, on real git and with real tokens: its own agent's, or another's. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { environmentOf } from '../../tmux/yard.ts';
import { BY_HAND, Shop } from '../shop.ts';

let town: Shop;
let id: string;
let tip: string;
let own: (...words: string[]) => Promise<unknown>;

beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});

let rigs = 0;
/** One that pushed a commit, and works on, in a rig of its own. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
  id = await town.bead('mend the parser');
  const dir = await town.polecat('nux', id, 'sleep', '100000');
  writeFileSync(join(dir, 'parser'), 'mended\n');
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'mend the parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  tip = town.git(dir, 'rev-parse', 'HEAD');
  const token = environmentOf(town.life(`gt-${town.own}-nux`)?.agent.pid ?? 0)['TOWN_TOKEN'] ?? '';
  own = (...words) => town.as(token, ...words);
});

const requests = async (): Promise<readonly string[]> => {
  const found = await town.data<{ body: string }[]>('mail', 'inbox', `${town.own}/refinery`);
  return found.map(({ body }) => /^Issue: .*$/m.exec(body)?.[0] ?? 'no bead');
};

/** It says so itself, and ends at its wish. */
async function ends(): Promise<void> {
  await own('mail', 'send', `${town.own}/witness`, '-s', 'POLECAT_DONE nux');
  await until(town.acts.bind(town), (all) => all.includes('nuke done: nux'));
}
const outcome = async (): Promise<unknown> => {
  type Told = Record<'bead' | 'outcome', string>;
  const { work } = await town.data<{ work: { items: readonly Told[] } }>('report', '--since', '1h');
  return work.items.find(({ bead }) => bead === id)?.outcome;
};
const mergedByHand = async (): Promise<void> => {
  town.git(town.remote, 'update-ref', 'refs/heads/main', tip);
  await until(town.acts.bind(town), (all) => all.includes(`close done: ${id}`));
};

// Rules: P-2, R-4.
test('what the operator closed is not handed over: its commit is kept and named, and opened again its next agent goes on with it', async () => {
  await town.run('bead', 'close', id, '--reason', 'not wanted');
  await ends();
  expect(await requests()).toEqual([]);
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
  const told = await town.data<{ title: string }[]>('escalate', 'list');
  expect(told.map(({ title }) => title)).toContainEqual(expect.stringContaining(`town bead reopen ${id}`));
  expect(town.git(town.repo, 'for-each-ref', '--format=%(objectname)', 'refs/town/handed')).toBe(tip);
  await town.run('bead', 'reopen', id);
  const dir = await town.polecat('eve', id, 'sleep', '100000');
  expect(town.git(dir, 'rev-parse', 'HEAD')).toBe(tip);
});

// Rules: P-2, R-4.
test('what its own agent closed before it said that it is done is handed over with its bead, and counts as merged', async () => {
  await own('bead', 'close', id, '--reason', 'it is mended');
  await ends();
  expect(await requests()).toEqual([`Issue: ${id}`]);
  expect(await town.shown(id)).toMatchObject({ status: 'in_progress', assignee: `${town.own}/refinery` });
  await mergedByHand();
  expect(await outcome()).toBe('merged');
});

// Rules: P-2, R-4.
test('what the operator closed is handed over as it is by the line that the alert shows, and its bead stays closed', async () => {
  await town.run('bead', 'close', id, '--reason', 'it is mended');
  await ends();
  const told = await town.data<{ title: string }[]>('escalate', 'list');
  const line = told
    .filter(({ title }) => title.includes(id))
    .flatMap(({ title }) => /town mail send (\S+) -s '(.+?)' -m '(.+?)'/.exec(title)?.slice(1) ?? []);
  const [to = '', subject = '', body = ''] = line;
  await town.run('mail', 'send', to, '-s', subject, '-m', body);
  await town.cycle();
  const found = await town.data<{ body: string }[]>('mail', 'inbox', `${town.own}/refinery`);
  expect(found.map((one) => JSON.parse(one.body) as unknown)).toEqual([{ Branch: 'polecat/nux', Commit: tip }]);
  expect(await town.shown(id)).toMatchObject({ status: 'closed' });
});

// Rules: P-2, R-2.
test.each([
  ['shop/nux', 'in_progress'],
  ['gt-shop-nux', 'deferred'],
  ['shop/nux', 'closed'],
])('work that its agent gave to itself as %s, and left %s, is handed over with its bead', async (of, status) => {
  const name = of.replace('shop', town.own);
  await own('bead', 'update', id, '--assignee', name, '--status', status === 'closed' ? 'in_progress' : status);
  if (status === 'closed') await own('bead', 'close', id, '--reason', 'it is mended');
  await ends();
  expect(await requests()).toEqual([`Issue: ${id}`]);
  expect(await town.shown(id)).toMatchObject({ status: 'in_progress', assignee: `${town.own}/refinery` });
});

// Rules: P-2.
test('what the operator closed again with a reason of its own is not merged', async () => {
  await own('bead', 'close', id, '--reason', 'it is mended');
  await town.run('bead', 'close', id, '--reason', 'not wanted');
  await ends();
  expect(await requests()).toEqual([]);
});

// Rules: P-2, R-2.
test('what a person set aside meanwhile is handed over with its bead, which closes as merged', async () => {
  await town.run('bead', 'update', id, '--status', 'deferred');
  await ends();
  expect(await requests()).toEqual([`Issue: ${id}`]);
  await mergedByHand();
  expect(await outcome()).toBe('merged');
});
