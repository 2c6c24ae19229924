/** A root that came back from a copy in its own place: what it holds may be done, and its agents may be of later lives. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, until } from '../cli/town.ts';
import { House, isRunning, start } from './lost.ts';

const WORK = 'drop the staging database';

interface Asked {
  readonly number: string;
  readonly text: string;
  readonly options: readonly { readonly word: string }[];
}

// Rules: C-14, law 1.
test('what a copy brings back is asked about once and waits for a yes; an agent of a later life is known again', async () => {
  const house = await new House().up();
  const rows = (): number =>
    house
      .tmux('capture-pane', '-p', '-t', '=s:')
      .split('\n')
      .filter((row) => row.trim() === WORK).length;
  const asked = async (): Promise<Asked[]> =>
    (await house.data<Asked[]>('questions')).filter(({ text }) => text.includes('came back from a copy'));
  await start(house, 's', '--', 'cat');
  exits(await house.run('session', 'stop', 's'), 0, '');
  await house.viewed('s', ({ alive }) => alive !== true);
  exits(await house.run('send', 's', WORK), 0, '');
  exits(await house.run('down'), 0, '');
  const copy = join(house.home, 'copy');
  cpSync(house.root, copy, { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith('.sock') });

  await house.up();
  exits(await house.run('session', 'start', 's'), 0, '');
  // The terminal shows the line as it is typed, and cat prints it.
  await until(() => rows() === 2);
  const { uuid, pid } = await house.viewed('s', isRunning);
  exits(await house.run('down'), 0, '');
  rmSync(house.root, { recursive: true });
  cpSync(copy, house.root, { recursive: true, preserveTimestamps: true });

  await house.up();
  expect(await house.viewed('s', isRunning)).toMatchObject({ uuid, pid, alive: true });
  const [question, ...others] = await until(asked, ({ length }) => length > 0);
  expect([question?.options.map(({ word }) => word), others]).toEqual([['go'], []]);
  const waits = async (): Promise<boolean> =>
    (await house.run('send', '--list')).stdout.includes('came back from a copy');
  await until(waits);
  // It is no less a question in the next process, and once it was acknowledged.
  exits(await house.run('restart'), 0, '');
  exits(await house.run('ack', question?.number ?? ''), 0, '');
  await until(waits);
  expect(rows()).toBe(2);

  exits(await house.run('answer', question?.number ?? '', 'go'), 0, '');
  await until(() => rows() === 4);
  await until(async () => !(await house.episodes()).includes('restored'));
  exits(await house.run('restart'), 0, '');
  expect(await asked()).toEqual([]);
});
