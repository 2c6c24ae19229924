/** What would wait for ever is refused at the door: convoys that follow themselves, and gates of more than a century. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { FILES } from '../../../state/files/layout.ts';
import { TestTown } from '../../cli/town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const make = async (...words: string[]): Promise<string> => (await town.data<{ id: string }>(...words)).id;

// Rules: W-1.
test('no convoy follows itself, or another that follows it; then none of the beads is added', async () => {
  const [work, first] = [await make('bead', 'create', 'build'), await make('bead', 'create', 'plan')];
  const [one, other, last] = [
    await make('convoy', 'create', 'one', first),
    await make('convoy', 'create', 'other', first),
    await make('convoy', 'create', 'last', first),
  ];
  const itself = await town.run('convoy', 'add', one, work, one);
  expect([itself.code, itself.stderr]).toEqual([5, `town: ${one} cannot follow itself; name another bead\n`]);
  expect(await town.data('convoy', 'add', one, other)).toMatchObject({ total: 2 });
  expect(await town.data('convoy', 'add', other, last)).toMatchObject({ total: 2 });
  const circle = await town.run('convoy', 'add', last, one);
  expect([circle.code, circle.stderr]).toEqual([
    5,
    `town: ${last} cannot follow ${one}, which follows it already; see \`town bead dep list ${one}\`\n`,
  ]);
  const byBd = await town.run('bd', 'dep', 'add', last, one, '--type', 'tracks');
  expect(byBd.code).not.toBe(0);
  expect(byBd.stderr).toContain('cannot follow');
  const waits = await town.run('bead', 'dep', 'add', work, work);
  expect([waits.code, waits.stderr]).toEqual([5, `town: ${work} cannot wait for itself; name another bead\n`]);
});

// Rules: F-4.
test('town bd opens no bead again that is not closed, and says how it is given out', async () => {
  const work = await make('bead', 'create', 'build');
  town.session('nux');
  await town.data('bead', 'hook', work, 'nux');
  const refused = await town.run('bd', 'reopen', work);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`cannot reopen ${work}: ${work} is not closed: it is hooked by nux`);
  expect(await town.data('bead', 'show', work)).toMatchObject({ status: 'hooked', assignee: 'nux' });
  await town.data('bead', 'close', work);
  expect((await town.run('bd', 'reopen', work)).code).toBe(0);
});

// Rules: P-7.
test('no gate has a time of more than a century; one that an older town stored is listed, and can be closed', async () => {
  const refused = await town.run('bead', 'gate', 'create', 'never', '--timeout', '999999999d');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is no time up to a century')]);
  const line = (id: string, more: object) => JSON.stringify({ id, title: 'release', issue_type: 'gate', ...more });
  town.write('gates.jsonl', `${line('tw-ever', { timeout: 8.64e22 })}\n${line('tw-soon', { timeout: 6e10 })}\n`);
  const imported = await town.run('bead', 'import', `${town.root}/gates.jsonl`);
  expect(`${imported.stdout}${imported.stderr}`).toContain('its time (timeout) is more than a century');
  expect(await town.data('bead', 'gate', 'list')).toMatchObject([{ id: 'tw-soon' }]);
  const database = new DatabaseSync(join(town.root, FILES.ledger));
  database.exec(`UPDATE beads SET body = replace(body, '60000000000', '8.64e22') WHERE id = 'tw-soon'`);
  database.close();
  expect(await town.data('bead', 'gate', 'list')).toMatchObject([{ id: 'tw-soon', due_at: null }]);
  expect((await town.run('bead', 'close', 'tw-soon')).code).toBe(0);
});
