/** A polecat's branch beside those of the remote: a name whose work waits there is taken. */
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
beforeEach(() => (it = new RigOn()));

const refused = (code: string) => expect.objectContaining({ exit: EXIT.refused, code }) as Error;

// Rules: P-8.
test('is refused where work of that name waits on the remote, which the repository knows nothing of; once main has it the name is free', async () => {
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
test('takes a name whose branch the remote has no more, though it was fetched once', async () => {
  it.git('push', '-q', 'origin', `${it.git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim()}:refs/heads/polecat/nux`);
  await expect(it.spawn('nux')).rejects.toThrow(refused('branch_taken'));
  it.gitIn(it.origin, 'update-ref', '-d', 'refs/heads/polecat/nux');
  expect(await it.spawn('nux')).toMatchObject({ step: 'running' });
});
