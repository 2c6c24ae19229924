/** A dialog of an agent whose tmux session a person renamed: it is a question like any other, and is answered by its number. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { episode, putAlerts } from '../state/make.ts';
import { TestTown, until } from './town.ts';

const ASKING = join(import.meta.dirname, '../fixtures/agents/asking/claude');

interface Question {
  readonly kind: string;
  readonly number: string;
  readonly text: string;
}

// Rules.
test('a dialog in a session that was renamed in tmux stands in the lists, and is answered by its number', async () => {
  const town = await new TestTown().up();
  await town.agent('builder', [ASKING, 'at-once', 'make']);
  await until(
    () => town.episodes(),
    (episodes) => episodes.includes('needs-input/builder'),
  );
  town.tmux('rename-session', '-t', '=builder', '$mine');
  const questions = (): Promise<Question[]> => town.data<Question[]>('questions');
  const [asked] = await questions();
  expect(asked).toMatchObject({ kind: 'dialog', text: expect.stringContaining('builder asks') as string });
  expect(await town.data('ask', 'list')).toHaveLength(1);
  expect((await town.run('answer', asked!.number, 'yes')).code).toBe(0);
  expect(await until(questions, (open) => open.length === 0)).toEqual([]);
});

// Rules: A-1, law 3.
test('what a pane shows is no dialog of a life that had its number on another tmux server', async () => {
  const town = await new TestTown().up();
  await town.agent('builder', [ASKING, 'at-once', 'make']);
  await until(
    () => town.episodes(),
    (episodes) => episodes.includes('needs-input/builder'),
  );
  const life = town.life('builder')!;
  await town.run('down');
  town.session('older', { incarnation: { ...life, uuid: 'older-1', session: 'older', server: life.agent } });
  await putAlerts(realDisk(town.root, 0), episode('needs-input/older', { session: 'older' }));
  const asked = await town.data<{ session: string; isUnseen?: boolean }[]>('questions');
  const unseen = new Map(asked.map(({ session, isUnseen = false }) => [session, isUnseen]));
  expect(unseen).toEqual(new Map([['builder', false], ['older', true]])); // prettier-ignore
});
