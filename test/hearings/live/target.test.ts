import { describe, expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { Court, table } from './court.ts';
import { attemptOf, bash } from './questions.ts';
import { courtWith } from './courts.ts';

describe('D-9, law 3: exactly this life, or a value that says why not', () => {
  const end = async (court: Court, { agent }: Incarnation): Promise<void> => {
    table.signal(agent, 'KILL');
    await court.until(() => Promise.resolve(!table.alive(agent)), 'the end of the agent');
  };
  const both = async (court: Court, target: Incarnation): Promise<unknown[]> => {
    const asked = await court.ask(target);
    return [asked.type === 'NOT_ASKED' ? asked.obstacle : asked, await court.look(target, [])];
  };

  // Rules: law 3.
  test('gone with its pane, and gone from a pane that stays', async () => {
    const { court, target: without } = await courtWith(['sleep', '100000']);
    const within = await court.start(['sleep', '100000']);
    await court.server.tmux('set-option', '-w', '-t', within.paneId, 'remain-on-exit', 'on');
    await end(court, without);
    await end(court, within);
    await court.until(
      async () =>
        !(await court.server.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n').includes(without.paneId),
      'the pane to go',
    );
    expect(await both(court, without)).toEqual([
      { kind: 'gone', paneStays: false },
      { kind: 'gone', paneStays: false },
    ]);
    const exit = { kind: 'signal', signal: 'SIGKILL' };
    expect(await both(court, within)).toEqual([
      { kind: 'gone', paneStays: true, exit },
      { kind: 'gone', paneStays: true, exit },
    ]);
  });

  // Rules: D-9, I-9.
  test('replaced in its pane, and by another of its name; a longer name is another', async () => {
    const { court, target: respawned } = await courtWith(['sleep', '100000']);
    const renamed = await court.start(['sleep', '100000']);
    const prefix = await court.start(['sleep', '100000']);
    await court.server.tmux('respawn-pane', '-k', '-t', respawned.paneId, 'sleep', '100000');
    for (const { sessionId } of [renamed, prefix]) await court.server.tmux('kill-session', '-t', sessionId);
    await court.server.tmux('new-session', '-d', '-s', renamed.session, 'sleep', '100000');
    await court.server.tmux('new-session', '-d', '-s', `${prefix.session}x`, 'sleep', '100000');
    for (const target of [respawned, renamed, prefix])
      await court.until(() => Promise.resolve(!table.alive(target.agent)), 'the end of the old life');
    expect(await both(court, respawned)).toEqual([{ kind: 'replaced' }, { kind: 'replaced' }]);
    expect(await both(court, renamed)).toEqual([{ kind: 'replaced' }, { kind: 'replaced' }]);
    expect(await both(court, prefix)).toEqual([
      { kind: 'gone', paneStays: false },
      { kind: 'gone', paneStays: false },
    ]);
  });

  // Rules: D-8.
  test('an agent in an adopted pane that ends leaves the shell, which is not typed into', async () => {
    await using court = await Court.open();
    const target = await court.adopted();
    expect(await court.look(target, [])).toEqual({ kind: 'silent' });
    await court.server.tmux('send-keys', '-t', target.paneId, 'C-z');
    await court.until(async () => (await court.text(target)).includes('Stopped'), 'the shell in front');
    expect(await court.ask(target)).toMatchObject({ obstacle: { kind: 'busy' } });
    await end(court, target);
    expect(await both(court, target)).toEqual([
      { kind: 'gone', paneStays: true },
      { kind: 'gone', paneStays: true },
    ]);
    expect(await court.text(target)).not.toContain('DOG');
  });

  const DEAF = bash('trap "" HUP; echo up; while :; do sleep 1; done');

  test('what ignores HUP outlives its pane: neither gone nor unknown, and no other session of its name is taken for it', async () => {
    const { court, target } = await courtWith(DEAF, { ready: 'up' });
    await court.server.tmux('kill-session', '-t', target.sessionId);
    const seen = {
      kind: 'paneless',
      what: `its pane ${target.paneId} is gone, but its process ${target.agent.pid} lives on; to end it: town session kill ${target.session} --force`,
    };
    expect(await both(court, target)).toEqual([seen, seen]);
    await court.server.tmux('new-session', '-d', '-s', target.session, 'sleep', '100000');
    expect(await both(court, target)).toEqual([seen, seen]);
    // It can still answer by command; a screen that it had says nothing any more.
    court.filed.add('K73F');
    const asked = attemptOf('K73F', { line: 0, width: 80, alternate: false, cpuRate: null });
    expect(await court.look(target, [asked])).toMatchObject({ kind: 'answered', by: 'town alive' });
    expect(await court.look(target, [attemptOf('M2X9', asked.mark)])).toEqual(seen);
    await end(court, target);
    expect(await both(court, target)).toEqual([{ kind: 'replaced' }, { kind: 'replaced' }]);
  });

  // Rules: C-7, D-6.
  test('what was started without tmux is waited for while there is none, and cannot be asked once tmux answers', async () => {
    const { court, target } = await courtWith(DEAF, { ready: 'up' });
    const apart: Incarnation = { ...target, sessionId: '', paneId: '', server: target.agent, origin: 'detached' };
    const what = `it was started without tmux, and has no pane; to end it: kill ${apart.agent.pid}; a next start is in tmux`;
    expect(await both(court, apart)).toEqual([
      { kind: 'paneless', what },
      { kind: 'paneless', what },
    ]);
    await court.server.tmux('kill-server');
    await court.until(() => Promise.resolve(!table.alive(target.server)), 'the end of the server');
    expect(await both(court, apart)).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
    await end(court, apart);
    expect(await both(court, apart)).toEqual([
      { kind: 'gone', paneStays: false },
      { kind: 'gone', paneStays: false },
    ]);
  });

  test('law 1: another server in its place proves nothing of a pane while its own server lives', async () => {
    const { court, target } = await courtWith(['sleep', '100000']);
    const elsewhere: Incarnation = { ...target, server: table.proc(process.pid) ?? target.server };
    const unknown = { kind: 'unknown', why: expect.stringContaining('does not answer here') as string };
    expect(await both(court, elsewhere)).toEqual([unknown, unknown]);
  });

  test('the server of another life: gone only when the agent is', async () => {
    const { court, target } = await courtWith(DEAF, { ready: 'up' });
    await court.server.tmux('kill-server');
    await court.until(() => Promise.resolve(!table.alive(target.server)), 'the end of the server');
    let seen = await both(court, target);
    // A client that was cut off in the middle of its answer knows nothing at first.
    await court.until(
      async () => !JSON.stringify((seen = await both(court, target))).includes('"kind":"unknown"'),
      () => `something that is known; last ${JSON.stringify(seen)}`,
    );
    await end(court, target);
    expect(seen).toMatchObject([{ kind: 'paneless' }, { kind: 'paneless' }]);
    expect(await both(court, target)).toEqual([
      { kind: 'gone', paneStays: false },
      { kind: 'gone', paneStays: false },
    ]);
  });

  test('law 6: a pane that a person moved is theirs; moved back it is heard, and dead in its new place it is left', async () => {
    const { court, target } = await courtWith(['sleep', '100000']);
    const beside = await court.server.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', target.paneId, 'cat');
    const moved = {
      kind: 'person',
      what: expect.stringMatching(/^a person moved its pane %\d+ to session \$\d+$/) as string,
    };
    await court.server.tmux('set-option', '-p', '-t', target.paneId, 'remain-on-exit', 'on');
    await court.server.tmux('join-pane', '-d', '-s', target.paneId, '-t', '=base:');
    expect(await both(court, target)).toEqual([moved, moved]);
    expect(await court.text(target)).not.toContain('DOG');
    await court.server.tmux('join-pane', '-d', '-s', target.paneId, '-t', beside);
    expect(await court.look(target, [])).toEqual({ kind: 'silent' });
    await court.server.tmux('break-pane', '-d', '-s', target.paneId, '-t', '=base:');
    await end(court, target);
    const exit = { kind: 'signal', signal: 'SIGKILL' };
    expect(await court.look(target, [])).toEqual({ kind: 'gone', paneStays: false, exit });
  });

  test('law 1: a tmux that cannot be reached is unknown', async () => {
    await using mute = await Court.open({ policy: { tmuxAnswerMs: 300 } });
    const held = await mute.start(['sleep', '100000']);
    process.kill(held.server.pid, 'SIGSTOP');
    const seen = await both(mute, held);
    process.kill(held.server.pid, 'SIGCONT');
    expect(seen).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
  });

  test('hooks of a hostile tmux.conf print into every reply', async () => {
    const { court, target } = await courtWith(['cat'], {
      conf: 'set-hook -g after-list-panes "display-message -p pane"\nset-hook -g after-list-clients "display-message -p client"\nset-hook -g after-capture-pane "display-message -p hooked"',
    });
    expect(await both(court, target)).toMatchObject([{ type: 'ASKED' }, { kind: 'silent' }]);
  });
});
