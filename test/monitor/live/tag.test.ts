/** The mailbox of a tag: who reads it, by which door, and how often; with the town down (M-5). */
import { expect, test } from 'vitest';
import { Mailbox } from '../../../state/mail/mailbox.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { exits, prints, TestTown } from '../../cli/town.ts';

const quarantine = {
  wasLeft: () => false,
  leave: () => undefined,
  counts: () => undefined,
  move: () => Promise.resolve(),
};

async function withAlerts(...ids: readonly string[]): Promise<TestTown> {
  const town = new TestTown();
  const boss = {
    name: 'boss',
    command: ['agent'],
    dir: '/',
    tags: ['orchestrator'],
    restart: 'transient',
    process: null,
  } as const;
  town.session('boss', { spec: boss });
  town.session('builder');
  const box = new Mailbox({ disk: realDisk(town.root, 1), quarantine: quarantine as never }, 'tag/orchestrator');
  const body = JSON.stringify({ payload: { worker_name: 'w1' }, suggested: { action: 'investigate', options: [] } });
  const letter = {
    from: 'town',
    subject: 'worker.error',
    body,
    via: 'town',
    urgent: false,
    needs_response: false,
  } as const;
  for (const [at, id] of ids.entries()) await box.send({ ...letter, id, sentAt: Date.now() + at });
  return town;
}
const poll = async (town: TestTown, ...more: string[]): Promise<string[]> =>
  (await town.data<{ id: string }[]>('alerts', 'poll', '--for', 'orchestrator', ...more)).map(({ id }) => id);

// Rules: M-5.
test('a poll prints each message once', async () => {
  const town = await withAlerts('worker-1', 'worker-2');
  expect([await poll(town), await poll(town)]).toEqual([['worker-1', 'worker-2'], []]);
});

// Rules: M-5.
test('with --after, what was not named is printed again, and what was named is over', async () => {
  const town = await withAlerts('worker-1', 'worker-2', 'worker-3');
  expect(await poll(town, '--after', 'none')).toEqual(['worker-1', 'worker-2', 'worker-3']);
  expect(await poll(town, '--after', 'none')).toEqual(['worker-1', 'worker-2', 'worker-3']);
  expect(await poll(town, '--after', 'worker-2')).toEqual(['worker-3']);
  expect(await poll(town, '--after', 'worker-2')).toEqual(['worker-3']);
  expect(await poll(town, '--after', 'worker-3')).toEqual([]);
});

// Rules: M-5, law 11.
test('an agent reads the messages of its own tags, as letters in its start hook too', async () => {
  const town = await withAlerts('worker-1', 'worker-2');
  exits(await town.as('token-of-builder', 'alerts', 'poll', '--for', 'orchestrator'), 5, 'has no tag "orchestrator"');
  expect((await town.as('token-of-builder', 'mail', 'check', '--inject')).stdout).toBe('');
  prints(await town.as('token-of-boss', 'mail', 'check', '--inject'), 0, /2 unread messages[^]*worker\.error/);
  expect((await town.as('token-of-boss', 'mail', 'check', '--inject')).stdout).toBe('');
  prints(await town.as('token-of-boss', 'alerts', 'poll', '--for', 'orchestrator'), 0, 'no message for orchestrator');
});

// Rules: law 11.
test('what others write to a tag is mail, and no message of the town', async () => {
  const town = await withAlerts();
  const body = JSON.stringify({ payload: {}, suggested: { action: 'investigate', options: [] } });
  exits(await town.as('token-of-builder', 'mail', 'send', 'tag/orchestrator', '-s', 'worker.error', '-m', body), 0, '');
  expect(await poll(town)).toEqual([]);
  prints(await town.run('mail', 'inbox', '--for', 'tag/orchestrator'), 0, 'worker.error');
});
