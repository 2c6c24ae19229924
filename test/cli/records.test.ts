/** Warrants, hearings, mail and alerts as records that commands write and read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { HEARING_ACK } from '../../state/alerts/episodes.ts';
import { STATE } from '../../state/files/policy.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Store } from '../../state/store.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { episode, putAlerts } from '../state/make.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => {
  town = new TestTown('[town]\nprotected = ["mayor"]\n');
  town.session('builder');
  town.session('other');
});

const store = (): Store =>
  new Store({
    disk: realDisk(town.root, 1),
    policy: STATE,
    heardWithinMs: POLICY.dance.heardWithinMs,
    wall: () => Date.now(),
    onRefused: ({ why }) => {
      throw new Error(why);
    },
  });

describe('a warrant', () => {
  test('filed with the town down is bound to the present life and taken in by the store', async () => {
    const filed = await town.data<{ id: string }>('warrant', 'file', 'builder', '--reason', 'it loops; `rm -rf`');
    const [name] = town.names('deacon/dogs/warrants');
    expect(name).toBe(`${filed.id}.json`);
    const opened = store();
    await opened.open();
    expect(await opened.readWarrants()).toMatchObject([
      {
        id: filed.id,
        reason: 'it loops; `rm -rf`',
        requester: 'overseer',
        force: false,
        target: { uuid: 'uuid-of-builder' },
      },
    ]);
    const shown = await town.data('warrant', 'show', filed.id);
    expect(shown).toMatchObject({ state: 'queued', verdict: null, dance: null, via: 'operator', target: 'builder' });
    expect(await town.data('dog', 'warrants')).toMatchObject([{ id: filed.id, state: 'queued' }]);
    expect(await town.data('dog', 'pool', 'status')).toMatchObject({ busy: 0, waiting: 0, queued: 1 });
  });

  test('that the operator filed in another name says so wherever it is, and one of an older town does not', async () => {
    const filed = await town.data<{ id: string }>('warrant', 'file', 'builder', '--reason', 'x', '--by', 'mayor');
    const opened = store();
    await opened.open();
    const warrants = await opened.readWarrants();
    const who = /mayor \(via operator\)/;
    const shownBy = async (): Promise<void> => {
      expect(await town.data('warrant', 'show', filed.id)).toMatchObject({ requester: 'mayor', via: 'operator' });
      expect(await town.data('warrant', 'list', '--all')).toMatchObject([{ via: 'operator' }]);
      expect((await town.run('warrant', 'show', filed.id)).stdout).toMatch(who);
    };
    await shownBy();
    for (const more of [{}, { stage: 'closed', verdict: 'pardoned', reason: 'answered', closedAt: 9_000 } as const]) {
      town.dance('dog-1', 'builder', { warrants, ...more });
      await shownBy();
      expect((await town.run('dog', 'show', 'dog-1')).stdout).toMatch(who);
      const told = { record: { warrants: [{ id: filed.id, via: 'operator' }] } };
      expect(await town.data('dog', 'show', 'dog-1')).toMatchObject(told);
    }
    town.dance('dog-2', 'other');
    expect(await town.data('warrant', 'show', 'w-dog-2')).toMatchObject({ requester: 'mayor', via: null });
    expect(await town.data('dog', 'show', 'dog-2')).toMatchObject({ record: { warrants: [{ via: null }] } });
  });

  test('is dancing, then closed, wherever its file lies', async () => {
    town.dance('dog-1', 'builder');
    expect(await town.data('warrant', 'show', 'w-dog-1')).toMatchObject({
      state: 'dancing',
      dance: 'dog-1',
      verdict: null,
      reason: 'silent',
    });
    town.dance('dog-1', 'builder', { stage: 'closed', verdict: 'pardoned', reason: 'answered', closedAt: 9_000 });
    expect(await town.data('warrant', 'show', 'w-dog-1')).toMatchObject({
      state: 'closed',
      dance: 'dog-1',
      verdict: 'pardoned',
      reason: 'answered',
      charge: 'silent',
    });
    expect(await town.data('warrant', 'list')).toEqual([]);
    expect(await town.data('warrant', 'list', '--all')).toHaveLength(1);
    const { code, stderr } = await town.run('warrant', 'cancel', 'w-dog-1');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is closed \(pardoned\)/)]);
  });

  test('waits until a question could be typed: without tmux, and while it is silent (C-7)', async () => {
    const state = async () => (await town.data<{ state: string }>('warrant', 'show', 'w-dog-1')).state;
    const unasked = { stage: 'interrogating.retrying', attempt: 1, attempts: [] } as const;
    town.dance('dog-1', 'builder', unasked);
    expect(await state()).toBe('queued');
    expect(await town.data('warrant', 'list')).toMatchObject([{ state: 'queued', dance: 'dog-1' }]);
    town.dance('dog-1', 'builder', { ...unasked, undeliveredMs: 5_000 });
    expect(await state()).toBe('dancing');
    town.dance('dog-1', 'builder', { stage: 'interrogating.listening' });
    expect(await state()).toBe('dancing');
  });

  test('by force is the operator\u2019s, also against a protected session', async () => {
    town.session('mayor');
    const filed = await town.data<{ id: string; force: boolean }>('session', 'kill', 'mayor', '--force');
    expect(filed.force).toBe(true);
    const opened = store();
    await opened.open();
    expect(await opened.readWarrants()).toMatchObject([{ id: filed.id, force: true }]);
  });
});

describe('hearings', () => {
  test('dances are listed with their windows and shown in full, cleaned of control characters', async () => {
    town.dance('dog-1', 'builder');
    const [dance] = await town.data<{ window_ends_at: string | null }[]>('dog', 'dances');
    expect(dance).toMatchObject({
      id: 'dog-1',
      warrant: 'w-dog-1',
      target: 'builder',
      state: 'interrogating',
      attempt: 2,
      window_ends_at: null, // no town runs, so its time is not counted
      charge: 'silent',
      requester: 'mayor',
      via: null,
    });
    const listed = (await town.run('dog', 'dances')).stdout;
    expect(listed).toMatch(/^# +TARGET +STATE +QUESTION +WINDOW ENDS +REQUESTER +ID +WARRANT +REASON$/m);
    expect(listed).toMatch(/^\d* +builder +asked +2 +- +mayor +dog-1 +w-dog-1 +silent$/m);
    const { stdout } = await town.run('dog', 'show', 'dog-1');
    expect(stdout).toContain('warrant     w-dog-1 by mayor');
    expect(stdout).toContain('    | before');
    expect(stdout).not.toContain('\u001b');
    expect(await town.data('dog', 'show', 'w-dog-1')).toMatchObject({ id: 'dog-1', record: { attempt: 2 } });
  });

  test('of an intent names every process and its program, and those that are gone', async () => {
    const [alive, gone] = [createProcesses().proc(process.pid)!, { pid: process.pid, started: 'another' }];
    const end = { stage: 'closed', verdict: 'executed', reason: 'silent', closedAt: 9_000 } as const;
    const elsewhere = [gone, alive].map((proc) => ({ ...proc, program: 'codex\u001b app-server' }));
    town.dance('dog-1', 'builder', { ...end, tree: [gone, alive], excluded: elsewhere, survivors: [alive] });
    const { stdout } = await town.run('dog', 'show', 'dog-1');
    const living = `${process.pid} \\((?!gone\\))[^)]+\\)`;
    expect(stdout).toMatch(new RegExp(`^  to end      pids ${process.pid} \\(gone\\), ${living}$`, 'm'));
    const left = `${process.pid} (codex app-server, gone by now), ${process.pid} (codex app-server)`;
    expect(stdout).toContain(`\n  elsewhere   work may go on in pids ${left}\n`);
    expect(stdout).toMatch(new RegExp(`^  survivors   pids ${living}$`, 'm'));
  });

  test.each(['M2-X9', 'm2x9', 'M2X9', ' m2-x9 '])('alive %j is an answer on disk', async (code) => {
    town.dance('dog-1', 'builder');
    expect((await town.run('alive', code)).code).toBe(0);
    const [name] = town.names('deacon/dogs/answers');
    const answer: unknown = JSON.parse(readFileSync(join(town.root, 'deacon/dogs/answers', name ?? ''), 'utf8'));
    expect(answer).toMatchObject({ schema: 'answer/1', code: 'M2X9', uuid: null, via: 'operator' });
  });

  test('why tells the journal in sentences', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const line = (second: number, kind: string, more: object): string =>
      JSON.stringify({ at: `${today}T00:00:0${second}.000Z`, kind, session: 'builder', ...more });
    const text = [
      line(0, 'warrant.filed', { warrant: 'w-1', requester: 'mayor', reason: 'silent' }),
      line(1, 'warrant.filed', { warrant: 'w-2', requester: 'witness', reason: 'deaf', via: 'operator' }),
      line(2, 'look', { sight: { kind: 'answered', by: 'town alive', quote: '' } }),
      line(3, 'dance.closed', { verdict: 'pardoned', reason: 'it answered' }),
      line(4, 'session.ended', { session: 'other', note: 'done' }),
      line(5, 'never.heard', { more: 1 }),
    ].join('\n');
    town.write(`journal/${today}.jsonl`, `${text}\n{"torn`);
    const { stdout, code } = await town.run('why', 'builder', '--all');
    expect(code).toBe(0);
    const told = stdout.trim().split('\n');
    expect(told.map((one) => (/^\d/.test(one) ? one.slice('14:03:22   2 min ago  '.length) : one))).toEqual([
      'mayor filed warrant w-1: silent',
      'witness (via operator) filed warrant w-2: deaf',
      'it answered by town alive',
      'the hearing ended: pardoned: it answered',
      'never.heard {"more":1}',
      'now: builder is running',
    ]);
    expect(await town.data('why', 'builder')).toMatchObject({ session: 'builder', events: { length: 5 } });
  });
});

describe('mail and alerts', () => {
  // Rules: C-16.
  test('a message is sent, read and archived', async () => {
    const words = ['--subject', 'merge', '--body', 'a\u001b[31mb\nc', '--from', 'mayor'];
    const { id } = await town.data<{ id: string }>('mail', 'send', 'builder/', ...words);
    expect(await town.data('mail', 'inbox', '--for', 'builder')).toMatchObject([
      { id, box: 'new', from: 'mayor', via: 'operator' },
    ]);
    const { stdout } = await town.run('mail', 'read', id, '--for', 'builder');
    expect(stdout).toMatch(/Subject: merge\n\nab\nc\n$/);
    expect(await town.data('mail', 'inbox', '--for', 'builder')).toMatchObject([{ id, box: 'cur' }]);
    await town.run('mail', 'archive', id, '--for', 'builder');
    expect(await town.data('mail', 'inbox', '--for', 'builder')).toEqual([]);
    expect(await town.data('mail', 'inbox', 'builder', '--all')).toMatchObject([
      { id, box: 'archive', read: true, archived: true },
    ]);
  });

  // Rules: C-16.
  test('what waits for a person stands in the status', async () => {
    const disk = realDisk(town.root, 1);
    await disk.mkdir('alerts');
    const alert = episode('dance-escalated/builder', { session: 'builder' });
    await putAlerts(disk, alert);
    await town.run('mail', 'send', 'overseer', '--subject', 'decide');
    expect(await town.data('status')).toMatchObject({
      running: false,
      alerts: [{ episode: alert.episode, acked: false }],
      mail: [{ subject: 'decide' }],
    });
    expect((await town.run('alerts', 'ack', alert.episode)).code).toBe(0);
    expect(await town.data('alerts', 'list')).toMatchObject([
      { episode: alert.episode, acked: { by: HEARING_ACK.seen } },
    ]);
  });
});
