/** A hearing of an agent that is stopped while its windows are open, as a caller of the command line sees it (D-7). */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Warrant } from '../cli/views.ts';
import { exits, until } from '../cli/town.ts';
import { journal, liveTown } from './hearing.ts';

const WINDOW_MS = 1_000;

/** Reads its question, and is stopped before it can answer. */
const AGENT = `while IFS= read -r line; do
  [[ $line =~ alive\\ ([A-Z0-9]{2})-([A-Z0-9]{2}) ]] || continue
  code=\${BASH_REMATCH[1]}\${BASH_REMATCH[2]}
  echo $$ > pid
  kill -STOP $$
  echo "ALIVE $code"
done`;

// Rules: D-7.
test('an agent that is stopped below its wrapper outlives all windows, and answers once it goes on', async () => {
  const town = await liveTown(Array.from({ length: 3 }, () => `${WINDOW_MS}ms`));
  const command = ['bash', '-c', 'bash -c "$1"; :', 'wrapper', AGENT];
  exits(await town.run('session', 'start', 'wrapped', '--dir', town.home, '--', ...command), 0, '');
  const { id } = await town.accuse('wrapped');
  const look = await until(
    async () => (await journal(town)).findLast(({ kind }) => kind === 'look'),
    (line) => JSON.stringify(line ?? '').includes('is stopped'),
  );
  const pid = Number(readFileSync(join(town.home, 'pid'), 'utf8'));
  expect(look).toMatchObject({
    sight: { kind: 'unknown', why: expect.stringContaining(`kill -CONT ${pid}`) as string },
  });
  await pause(2 * 3 * WINDOW_MS);
  expect(await town.data<Warrant>('warrant', 'show', id)).not.toMatchObject({ state: 'closed' });
  process.kill(pid, 'SIGCONT');
  expect(await town.closed({ id })).toMatchObject({ verdict: 'pardoned', reason: 'answered: code' });
});

/** Reads its question, and stops what it runs. */
const PARENT = `read -r line
sleep 100000 &
kill -STOP $!
sleep 100000`;

interface Question {
  readonly session: string;
  readonly options: readonly { readonly word: string }[];
}

// Rules: D-6, D-11.
test('an agent that stops its helper after its question is left to a person, and the next one is heard', async () => {
  const limits = ['save_every = "100ms"', 'pool_size = 1', 'undeliverable = "2s"', 'retry = "200ms"'];
  const town = await liveTown(
    Array.from({ length: 3 }, () => `${WINDOW_MS}ms`),
    limits,
  );
  const command = ['bash', '-c', 'bash -c "$1"; :', 'wrapper', PARENT];
  exits(await town.run('session', 'start', 'parent', '--dir', town.home, '--', ...command), 0, '');
  exits(await town.run('session', 'start', 'next', '--dir', town.home, '--', 'sleep', '100000'), 0, '');
  const { id } = await town.accuse('parent');
  const next = await town.accuse('next');
  const reason = expect.stringMatching(
    /^it cannot be heard: its process (\d+) \(\w+\) is stopped; `kill -CONT \1` continues it$/,
  ) as string;
  expect(await town.closed({ id })).toMatchObject({ verdict: 'escalated', reason });
  expect(await town.closed(next)).toMatchObject({ verdict: 'executed' });
  const asked = (await town.data<Question[]>('questions')).find(({ session }) => session === 'parent');
  expect(asked?.options.map(({ word }) => word)).toEqual(expect.arrayContaining(['pardon', 'hear', 'execute']));
});
