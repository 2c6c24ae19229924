/** `town session adopt` of what tmux has under a name that the town cannot manage: by tmux's own id, or by that very name. */
import { spawnSync } from 'node:child_process';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exits, TestTown, until } from './town.ts';

const NAME = 'mein büro';
let town: TestTown;
let named = NAME;
let session = '';
let pane = '';

const begin = (name: string): string =>
  town.tmux(
    'new-session',
    '-d',
    '-P',
    '-F',
    '#{session_id} #{pane_id} #{pane_pid}',
    '-s',
    name,
    'sh',
    '-c',
    'sleep 1000; sleep 1000',
  );
const adopt = (...words: string[]) => town.run('session', 'adopt', ...words, '--process', 'sleep');

beforeAll(async () => {
  town = new TestTown('[sessions]\nscan_every = "200ms"\n');
  [session = '', pane = ''] = begin(NAME).trim().split(' ');
  await town.up();
});

describe('an adoption', () => {
  afterEach(async () => {
    const pid = town.record('office')?.incarnation?.agent.pid;
    if (pid === undefined) return;
    spawnSync('kill', [String(pid)]);
    await until(() => town.record('office')?.state === 'ended');
    await town.run('session', 'remove', 'office');
    named = `${NAME} ${String(pid)}`;
    [session = '', pane = ''] = begin(named).trim().split(' ');
  });

  test.each([
    ['its session id', () => session],
    ['its pane id', () => pane],
    ['its own name', () => named],
  ])('by %s', async (_, called) => {
    expect((await adopt(called(), '--as', 'office')).stdout).toBe(
      'office is adopted: watched from now on, never restarted\n',
    );
    expect(town.record('office')).toMatchObject({
      state: 'observed',
      incarnation: { sessionId: session, paneId: pane },
    });
    expect(await town.view('office')).toMatchObject({ alive: true, in_tmux: true });
    expect((await town.run('session', 'attach', 'office')).stdout).toContain(session);
    // One life has one record, under each of its names.
    exits(await adopt(pane, '--as', 'another'), 5, `${pane} is session office already`);
    exits(await adopt(session, '--as', 'another'), 5, `${session} is session office already`);
    expect(town.record('another')).toBeNull();
  });
});

test('without a name of the town it says which to type; what is not there, or has its name elsewhere, is refused', async () => {
  exits(await adopt(named), 2, `town session adopt '${session}' --as <name>`);
  exits(await adopt(pane), 2, `town session adopt '${pane}' --as <name>`);
  exits(await adopt('kein büro'), 2, '"kein büro" is no session name');
  exits(await adopt('$999', '--as', 'office'), 2, 'tmux has no $999');
  begin('taken');
  exits(await adopt(session, '--as', 'taken'), 2, 'tmux has another session taken already; give another --as');
  exits(await adopt(session, '--as', 'mein büro'), 2, 'is no session name');
});
