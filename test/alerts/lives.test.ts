/** What a hearing left to a person is over with its subject, told by any process: the life that was heard, or the dialog (law 8). On a real disk. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Checked, Incarnation, SessionRecord } from '../../machines/protocol.ts';
import { endOf } from '../../src/alerts/subjects.ts';
import { realDisk } from '../../state/files/disk.ts';
import { paths } from '../../state/files/layout.ts';
import { incarnation } from '../world/drive.ts';
import { awake, danceAt } from '../hearings/lone.ts';
import { open, savedSession, session } from '../state/make.ts';
import { tempFolder } from '../world/over.ts';

const NAME = 'gt-rig-1';
const WAITS = `needs-input/${NAME}`;
const ESCALATED = `dance-escalated/${NAME}`;
const FILE = paths.session(NAME);
type Asks = (life: Incarnation) => Promise<boolean | null>;

/** What two hearings of one life left: one met a dialog, one could not ask. */
function left(): readonly Checked[] {
  const atDialog = awake(danceAt({}));
  atDialog.outcome({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'Do you want to proceed?' } });
  const byPerson = awake(danceAt({ stage: 'interrogating.suspended', personMs: 24 * 3_600_000 }));
  byPerson.outcome({ type: 'LOOKED', observation: { kind: 'person', what: 'a key 3 s ago' }, tail: '' });
  byPerson.pass(60_000);
  byPerson.outcome({ type: 'LOOKED', observation: { kind: 'person', what: 'a key 3 s ago' }, tail: '' });
  return [...atDialog.orders, ...byPerson.orders].flatMap((order) =>
    order.type === 'alert' ? [{ ...order.alert, count: 1 }] : [],
  );
}

async function town(asks: Asks = () => Promise.resolve(true)) {
  const root = tempFolder('lives');
  const disk = realDisk(root, 0);
  const { store } = await open(disk);
  let asked = 0;
  const put = (more: Partial<SessionRecord>): Promise<void> =>
    store.commit([savedSession(session(NAME, { incarnation: incarnation(1), ...more }))]);
  await put({});
  const deps = {
    disk,
    stands: () => Promise.resolve(true),
    asks: (life: Incarnation) => {
      asked += 1;
      return asks(life);
    },
  };
  /** Which of these are over, for a process that starts now. */
  const over = async (of = left()): Promise<string[]> => {
    const next = (await open(disk)).store;
    const found: string[] = [];
    for (const one of of)
      if ((await endOf({ ...deps, session: (name) => next.session(name) }, one)) !== null) found.push(one.episode);
    return found;
  };
  return { root, put, over, asked: () => asked };
}

// Rules: law 8.
test('an agent that waited for a person: over when its pane shows no dialog any more, also for the next process', async () => {
  let answer: Asks = () => Promise.resolve(true);
  const { over } = await town((life) => answer(life));
  expect(left().map(({ episode, life }) => [episode, life])).toEqual([
    [WAITS, 'uuid-1'],
    [ESCALATED, 'uuid-1'],
  ]);
  expect(await over()).toEqual([]);
  answer = () => Promise.reject(new Error('tmux is silent'));
  await expect(over()).rejects.toThrow('tmux is silent');
  answer = ({ uuid }) => Promise.resolve(uuid !== 'uuid-1');
  expect(await over()).toEqual([WAITS]);
});

// Rules: law 8.
test.each<[string, Partial<SessionRecord>]>([
  ['ended', { state: 'ended' }],
  ['died and waits for its next start', { state: 'backing_off' }],
  ['is being started anew', { state: 'starting', pending: 'uuid-2' }],
  ['has another life', { incarnation: incarnation(1, { uuid: 'uuid-2' }) }],
])('what a hearing left to a person is over when the agent %s, though no look is at a pane', async (_how, more) => {
  const { put, over, asked } = await town();
  await put(more);
  expect(await over()).toEqual([WAITS, ESCALATED]);
  expect(asked()).toBe(0);
});

test('a life that is gone before a scan saw it: none waits any more, and the escalation is left to the scan', async () => {
  const { over } = await town(() => Promise.resolve(null));
  expect(await over()).toEqual([WAITS]);
});

test('a session whose record is gone is over; one whose record cannot be read is not', async () => {
  const { root, over } = await town();
  const text = readFileSync(join(root, FILE), 'utf8');
  writeFileSync(join(root, FILE), text.replace('session/1', 'session/9'));
  expect(await over()).toEqual([]);
  rmSync(join(root, FILE));
  expect(await over()).toEqual([WAITS, ESCALATED]);
});

test('episodes of a town that named no life yet end with the session; a dialog with the agent that runs there', async () => {
  const { put, over } = await town(() => Promise.resolve(false));
  const nameless = left().map(({ episode, count }) => ({ episode, count }));
  await put({ incarnation: incarnation(1, { uuid: 'uuid-2' }) });
  expect(await over(nameless)).toEqual([WAITS]);
  await put({ state: 'ended' });
  expect(await over(nameless)).toEqual([WAITS, ESCALATED]);
});

test('nothing is asked of tmux where no agent waits for a person', async () => {
  const { over, asked } = await town();
  await over(left().filter(({ episode }) => episode === ESCALATED));
  expect(asked()).toBe(0);
});
