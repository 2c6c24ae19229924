/** Merged work that another clone's forced push took out of main, in an idle rig: on real git. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

let town: Shop;
let clone: string;
let ids: string[];
const commit = (dir: string, name: string): void => {
  writeFileSync(join(dir, name), `${name}\n`);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', `add ${name}`);
};
const says = (subject: string, id: string): Promise<unknown> =>
  town.run('mail', 'send', `${town.own}/witness`, '-s', subject, '-m', `Issue: ${id}`);
const merge = (branch: string): void => {
  town.git(clone, 'fetch', '-q');
  town.git(clone, 'merge', '-q', '--squash', `origin/${branch}`);
  town.git(clone, 'commit', '-qm', `merge ${branch}`);
  town.git(clone, 'push', '-q', 'origin', 'main');
};
interface Item {
  readonly bead: string;
  readonly outcome: string;
  readonly type: readonly string[];
}
const outcomes = async (): Promise<readonly Item[]> =>
  (await town.data<{ work: { items: readonly Item[] } }>('report', '--since', '1h')).work.items.filter(({ bead }) =>
    ids.includes(bead),
  );
const lost = async (): Promise<string[]> =>
  (await town.stands()).filter((text) => text.includes('took merged work out'));

beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});

let rigs = 0;
/** A rig of its own, with two pieces of work that are merged and closed. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
  clone = join(town.repo, '../clone');
  town.git(town.home, 'clone', '-q', town.remote, clone);
  ids = [];
  for (const name of ['nux', 'ace']) {
    const id = await town.bead(`do ${name}`);
    ids.push(id);
    const dir = await town.polecat(name, id, 'sleep', '100000');
    commit(dir, name);
    town.git(dir, 'push', '-q', 'origin', 'HEAD');
    await town.ends(name);
    await says(`POLECAT_DONE ${name}`, id);
    await town.cycle();
    merge(`polecat/${name}`);
    await says(`MERGED ${name}`, id);
    await town.cycle();
    expect(await town.shown(id)).toMatchObject({ status: 'closed' });
  }
});

// Rules: law 4, law 8, P-2, R-4.
test.each([
  ['an old main', () => undefined],
  ['a main that went on beside it', () => commit(clone, 'other')],
])(
  'a forced push of %s: one alert names the work, the report calls none of it merged, and its line brings it back',
  async (_, more) => {
    expect(await lost()).toEqual([]);
    const before = town.git(town.remote, 'rev-parse', 'main');
    town.git(clone, 'reset', '-q', '--hard', 'HEAD~2');
    more();
    town.git(clone, 'push', '-q', '--force', 'origin', 'main');
    const [text = '', ...others] = await lost();
    expect(others).toEqual([]);
    for (const name of ['do nux', 'do ace']) expect(text).toContain(name);
    const items = await outcomes();
    expect(items.map(({ outcome }) => outcome)).toEqual(['waits', 'waits']);
    expect(town.git(town.repo, 'rev-parse', `refs/town/out/${before}`)).toBe(before);
    const line = items[0]?.type[0] ?? '';
    expect(text).toContain(line);
    const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
    const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, 'max@town'])) };
    execFileSync('sh', ['-c', line], { cwd: '/', env, stdio: 'pipe' });
    // Nothing of it is told as brought back against a person's will.
    expect(await town.stands()).toEqual([]);
    expect((await outcomes()).map(({ outcome }) => outcome)).toEqual(['merged', 'merged']);
  },
);

test('work that is opened again is lost no more', async () => {
  town.git(clone, 'reset', '-q', '--hard', 'HEAD~1');
  town.git(clone, 'push', '-q', '--force', 'origin', 'main');
  const [text = ''] = await lost();
  expect([text.includes('do nux'), text.includes('do ace')]).toEqual([false, true]);
  await town.run('bead', 'reopen', ids[1] ?? '');
  expect(await lost()).toEqual([]);
});

// Rules: law 4, law 8, P-2.
test('merged work that a person wrote anew by force: the words of the alert end it', async () => {
  writeFileSync(join(clone, 'ace'), 'ace, without the typo\n');
  town.git(clone, 'commit', '-q', '-a', '--amend', '--no-edit');
  town.git(clone, 'push', '-q', '--force', 'origin', 'main');
  const [text = ''] = await lost();
  const words = 'where main has one in another form: town bead reopen <id> && town bead close <id> --reason <why>';
  expect([text.includes('do ace'), text.includes(words)]).toEqual([true, true]);
  const id = ids[1] ?? '';
  expect((await town.run('bead', 'reopen', id)).code).toBe(0);
  expect((await town.run('bead', 'close', id, '--reason', 'main has it without the typo')).code).toBe(0);
  expect(await lost()).toEqual([]);
  expect(await town.stands()).toEqual([]);
  expect((await outcomes()).find(({ bead }) => bead === id)?.outcome).toBe('closed');
});
