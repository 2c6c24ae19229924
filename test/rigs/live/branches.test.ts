/** A polecat's branch beside others: names that wait on the remote, and work that is on no branch of its name. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { nuke, type Nuking } from '../../../src/rigs/nuke.ts';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => (it = new RigOn()));

const refused = (code: string) => expect.objectContaining({ exit: EXIT.refused, code }) as Error;

const gone = async (name: string, pushes = false, more: Partial<Nuking> = {}) =>
  nuke(it.at(), (await it.records.polecat({ rig: 'shop', name }))!, { pushes, ...more });
function change(name: string, words: string): void {
  writeFileSync(join(it.dirOf(name), 'file'), `${words}\n`);
  it.gitIn(it.dirOf(name), 'commit', '-qam', words);
}

// Rules: P-8.
test('a spawn is refused where work of that name waits on the remote, which the repository knows nothing of; once main has it the name is free', async () => {
  const clone = join(it.root, 'clone');
  it.git('clone', '-q', it.origin, clone);
  it.gitIn(clone, 'commit', '-q', '--allow-empty', '-m', 'work of another nux');
  it.gitIn(clone, 'push', '-q', 'origin', 'HEAD:polecat/nux');
  await expect(it.spawn('nux')).rejects.toThrow(refused('branch_taken'));
  await expect(it.spawn('nux')).rejects.toThrow(/commits that main lacks.*git log main\.\.origin\/polecat\/nux/);
  expect(await it.records.polecats()).toMatchObject({ found: [] });
  it.gitIn(clone, 'push', '-q', 'origin', 'HEAD:main');
  expect(await it.spawn('nux')).toMatchObject({ step: 'running' });
});

// Rules: P-8.
test('a spawn takes a name whose branch the remote has no more, though it was fetched once', async () => {
  it.git('push', '-q', 'origin', `${it.git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim()}:refs/heads/polecat/nux`);
  await expect(it.spawn('nux')).rejects.toThrow(refused('branch_taken'));
  it.gitIn(it.origin, 'update-ref', '-d', 'refs/heads/polecat/nux');
  expect(await it.spawn('nux')).toMatchObject({ step: 'running' });
});

// Rules: P-6.
test('a nuke pushes the branches that are there, and says which line pushes what none of them holds', async () => {
  await it.spawn('nux');
  it.gitIn(it.dirOf(), 'checkout', '-q', '--detach');
  change('nux', 'second');
  const tip = it.gitIn(it.dirOf(), 'rev-parse', 'HEAD').trim();
  const said = await gone('nux', true).then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  const line = said.slice(said.indexOf('push it: git ') + 'push it: git '.length);
  expect(line).toBe(`-C ${it.dirOf()} push origin ${tip.slice(0, 12)}:refs/heads/polecat/nux`);
  // No branch without a commit of its own is published.
  expect(it.gitIn(it.origin, 'branch', '--format=%(refname:short)').trim()).toBe('main');
  it.git(...line.split(' '));
  await gone('nux');
  it.git('update-ref', '-d', 'refs/heads/polecat/nux');
  await it.spawn('max');
  it.gitIn(it.dirOf('max'), 'branch', '-m', 'fix/parser');
  change('max', 'third');
  await gone('max', true, { branch: 'fix/parser', handsOver: true });
  expect(it.gitIn(it.origin, 'show', 'fix/parser:file')).toBe('third\n');
});
