/** Seeing, noticing a death, clearing, adopting and owning: on real tmux, also under a hostile tmux.conf. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { claimServer, releaseServer, townLives } from '../../../src/tmux/owner.ts';
import { town } from '../../tmux/over.ts';
import { HOSTILE_CONF } from '../../tmux/server.ts';
import { until, type Yard, type YardOptions } from '../../tmux/yard.ts';

const processes = createProcesses();
const lifeOf = async (made: Yard, life: Incarnation) => (await made.scan(life)).seen[0];

describe.each([
  ['a plain tmux.conf', {}],
  ['a hostile tmux.conf', { conf: HOSTILE_CONF }],
])('with %s', (_what, options: YardOptions) => {
  test('a death is written down within moments, with its status or its signal, also between two looks', async () => {
    const made = await town({ ...options, rootName: `o'dd "root" #{pid} ##x #[x] $HOME %H ; {é} ~` });
    const clean = await made.begin({ name: 'clean', command: ['sh', '-c', 'exit 0'] });
    const killed = await made.begin({ name: 'killed' });
    process.kill(killed.agent.pid, 'SIGTERM');
    await until(async () => (await lifeOf(made, killed))?.life === 'dead');
    await until(
      () => made.deaths().includes(`${clean.paneId} s0 g\n`) && made.deaths().includes(`${killed.paneId} s g15\n`),
    );
    expect(made.deaths().split('\n')).toContain(`${killed.server.pid} ${killed.paneId} s g15`);
    expect(statSync(join(made.root, 'daemon/deaths.log')).mode & 0o777).toBe(0o600);
    expect((await made.scan(clean, killed)).seen).toMatchObject([
      { life: 'dead', exit: { kind: 'code', code: 0 } },
      { life: 'dead', exit: { kind: 'signal', signal: 'SIGTERM' } },
    ]);
  });

  // Rules: D-10.
  test('the pane of the accused goes, a person’s split stays; the last pane takes its session along', async () => {
    const made = await town(options);
    const life = await made.begin({});
    const words = ['-d', '-P', '-F', 'N#{pane_id}', '-t', life.paneId, 'sleep', '1000'];
    const split = await made.server.tmux('split-window', ...words);
    expect(await made.clear(life)).toMatchObject({ type: 'CLEARED' });
    const left = await made.server.tmux('list-panes', '-s', '-t', life.sessionId, '-F', 'N#{pane_id}');
    expect(left.split('\n').filter((line) => line.startsWith('N'))).toEqual([/N%\d+/.exec(split)?.[0]]);
    const other = await made.begin({ name: 'other' });
    await made.clear(other);
    expect(await made.sessions()).not.toContain('other');
    expect(await made.clear(other)).toMatchObject({ type: 'CLEARED' });
  });
});

test('forty kills in a row: each is seen with its signal, though tmux sometimes reaps late', async () => {
  const made = await town();
  await made.tmux.connect();
  const lives: Incarnation[] = [];
  for (let n = 0; n < 40; n += 1) lives.push(await made.begin({ name: `a${n}` }));
  for (const life of lives) process.kill(life.agent.pid, 'SIGKILL');
  await until(() => lives.every(({ agent }) => !processes.alive(agent)));
  const { seen } = await made.scan(...lives);
  expect(seen.map(({ life }) => life)).toEqual(lives.map(() => 'dead'));
  expect(seen.map(({ exit }) => exit)).toEqual(lives.map(() => ({ kind: 'signal', signal: 'SIGKILL' })));
});

test('a child that holds the terminal does not hide the agent’s death', async () => {
  const made = await town();
  const life = await made.begin({ command: ['bash', '-c', 'trap "" HUP; sleep 30 & exit 3'] });
  await until(async () => (await lifeOf(made, life))?.life === 'dead');
  expect((await lifeOf(made, life))?.exit).toEqual({ kind: 'code', code: 3 });
});

// Rules: I-9.
test('absent, replaced and maybe signalled are told apart; prefixes are no session', async () => {
  const made = await town({ maybeSignalled: (uuid) => uuid === 'doomed' });
  const gone = await made.begin({ name: 'gt-max' }, 'doomed');
  await made.server.tmux('new-session', '-d', '-s', 'gt-maxine', 'sleep', '1000');
  await made.server.tmux('kill-session', '-t', gone.sessionId);
  await until(() => !processes.alive(gone.agent));
  expect(await lifeOf(made, gone)).toEqual({
    name: 'gt-max',
    uuid: 'doomed',
    life: 'absent',
    exit: { kind: 'unknown' },
    maybeSignalled: true,
  });
  const next = await made.begin({ name: 'gt-max' });
  expect(await lifeOf(made, gone)).toMatchObject({ life: 'replaced' });
  await made.server.tmux('respawn-pane', '-k', '-t', next.paneId, 'sleep', '1000');
  await until(() => !processes.alive(next.agent));
  expect(await lifeOf(made, next)).toMatchObject({ life: 'replaced', maybeSignalled: false });
  expect(await made.clear(next)).toMatchObject({ type: 'CLEARED' });
  expect(await made.sessions()).toContain('gt-max');
});

test('an exit that went with the pane is the one that a hearing recorded; what tmux still tells outranks it', async () => {
  const made = await town({ exitOf: (uuid) => (uuid === 'heard' ? { kind: 'code', code: 0 } : null) });
  const cleared = await made.begin({ name: 'cleared' }, 'heard');
  await made.server.tmux('kill-session', '-t', cleared.sessionId);
  await until(() => !processes.alive(cleared.agent));
  expect(await lifeOf(made, cleared)).toMatchObject({ life: 'absent', exit: { kind: 'code', code: 0 } });
  const dead = await made.begin({ name: 'dead', command: ['sh', '-c', 'exit 3'] }, 'heard');
  await until(async () => (await lifeOf(made, dead))?.life === 'dead');
  expect((await lifeOf(made, dead))?.exit).toEqual({ kind: 'code', code: 3 });
});

test('an agent that outlives its pane is unknown, never absent', async () => {
  const made = await town();
  const life = await made.begin({ command: ['bash', '-c', 'trap "" HUP; while :; do sleep 0.1; done'] });
  const ignoresHangup = /^SigIgn:\t[0-9a-f]*[13579bdf]$/m;
  await until(() => ignoresHangup.test(readFileSync(`/proc/${life.agent.pid}/status`, 'utf8')));
  await made.server.tmux('kill-session', '-t', life.sessionId);
  expect(await lifeOf(made, life)).toMatchObject({ life: 'unknown', exit: null });
  expect(await made.start({}, undefined, life)).toMatchObject({ type: 'SESSION_NOT_STARTED', taken: true });
  processes.signal(life.agent, 'KILL');
  await until(async () => (await lifeOf(made, life))?.life === 'absent');
});

// Rules: I-12.
test('the server’s death is one finding, proved; a later server does not hide it', async () => {
  const made = await town();
  const life = await made.begin({});
  expect((await made.scan()).server).toBe('up');
  process.kill(life.server.pid, 'SIGKILL');
  await until(() => !processes.alive(life.server) && !processes.alive(life.agent));
  // The client's own end is the first sign, and no proof.
  await until(() => !made.tmux.connected);
  expect(await made.scan(life)).toMatchObject({
    server: 'gone',
    seen: [{ life: 'absent', exit: { kind: 'unknown' } }],
  });
  expect((await made.scan()).server).toBe('none');
  const next = await made.begin({ name: 'next' });
  expect(await made.scan(life, next)).toMatchObject({ server: 'gone', seen: [{ life: 'absent' }, { life: 'alive' }] });
  expect((await made.scan(next)).server).toBe('up');
});

test('a silent server is unknown; a swept socket is asked for before anything is concluded', async () => {
  const made = await town();
  const life = await made.begin({});
  await made.tmux.close();
  rmSync(made.server.socketPath);
  expect(await made.scan(life)).toMatchObject({ server: 'up', seen: [{ life: 'alive' }] });
  const other = await town({ session: null });
  expect(await other.scan(life)).toMatchObject({ server: 'unknown', seen: [{ life: 'unknown', exit: null }] });
});

test('clearing kills nothing of another town’s server, and names a window that another session shows', async () => {
  const made = await town();
  const life = await made.begin({});
  await made.server.tmux('set-option', '-s', '@town_owner', '0123456789abcdef-7 /other');
  await expect(made.clear(life)).rejects.toThrow(/another town owns the server/);
  expect(await made.sessions()).toContain('agent');
  await made.server.tmux('set-option', '-s', '-u', '@town_owner');
  const linked = await made.begin({ name: 'linked' });
  await made.server.tmux('link-window', '-s', '=linked:', '-t', '=base:7');
  expect(await made.clear(linked)).toMatchObject({
    whyPaneStays: expect.stringContaining('another session') as string,
  });
  expect(processes.alive(linked.agent)).toBe(true);
});

test('clearing leaves another window of the session alone', async () => {
  const made = await town();
  const life = await made.begin({});
  await made.server.tmux('new-window', '-d', '-t', '=agent:', 'sleep', '1000');
  await made.clear(life);
  expect(await made.sessions()).toContain('agent');
  expect(await made.server.tmux('list-panes', '-s', '-t', '=agent', '-F', '#{pane_id}')).not.toContain(life.paneId);
});

describe('adopting', () => {
  const agentIn = async (made: Yard, script: string): Promise<void> => {
    await made.server.tmux('new-session', '-d', '-s', 'mine', 'bash', '--norc', '-i');
    const path = join(made.server.dir, 'claude');
    writeFileSync(path, script, { mode: 0o700 });
    await made.server.tmux('send-keys', '-t', '=mine:', path, 'Enter');
  };

  // Rules: law 12.
  test('the agent’s own process is the life; its end is seen; the shell and the pane stay', async () => {
    const made = await town();
    await agentIn(made, '#!/bin/bash\nsleep 1000\n');
    let outcome = await made.adopt('mine', null, 'u1');
    await until(async () => (outcome = await made.adopt('mine', null, 'u1')).type === 'SESSION_ADOPTED');
    expect(outcome).toMatchObject({ dir: '/', incarnation: { uuid: 'u1', session: 'mine', origin: 'adopted' } });
    if (outcome.type !== 'SESSION_ADOPTED') throw new Error('not adopted');
    const { incarnation } = outcome;
    expect(await made.adopt('mine', 'claude', 'u1')).toEqual(outcome);
    const shell = Number(await made.server.tmux('display-message', '-p', '-t', incarnation.paneId, '#{pane_pid}'));
    expect(incarnation.agent.pid).not.toBe(shell);
    expect(await lifeOf(made, incarnation)).toMatchObject({ life: 'alive' });
    expect(await made.start({ name: 'mine' })).toMatchObject({ type: 'SESSION_NOT_STARTED', taken: true });
    processes.signal(incarnation.agent, 'KILL');
    await until(async () => (await lifeOf(made, incarnation))?.life === 'dead');
    expect((await lifeOf(made, incarnation))?.exit).toEqual({ kind: 'unknown' });
    expect(await made.clear(incarnation)).toEqual({ type: 'CLEARED', survivors: [] });
    expect(processes.proc(shell)).not.toBeNull();
  });

  test('a shell alone, a missing name, a missing session, an odd name: each in a sentence', async () => {
    const made = await town();
    await made.server.tmux('new-session', '-d', '-s', 'mine', 'bash', '--norc', '-i');
    const why = (text: string) => expect.stringContaining(text) as string;
    await until(
      async () =>
        (await made.server.tmux('capture-pane', '-p', '-t', '=mine:')).includes('$') ||
        (await made.server.tmux('capture-pane', '-p', '-t', '=mine:')).includes('#'),
    );
    expect(await made.adopt('mine')).toMatchObject({ exit: 1, why: why('only a shell') });
    expect(await made.adopt('mine', 'aider')).toMatchObject({ exit: 1, why: why('"aider"') });
    expect(await made.adopt('min')).toMatchObject({ exit: 2, why: why('no session min') });
    expect(await made.adopt('=mine')).toMatchObject({ exit: 2, why: why('"=mine"') });
  });

  test('a pane whose command is no shell is the agent itself, by any name', async () => {
    const made = await town();
    expect(await made.adopt('base')).toMatchObject({ type: 'SESSION_ADOPTED' });
    expect(await made.adopt('base', 'sleep')).toMatchObject({ type: 'SESSION_ADOPTED' });
  });

  // Rules: law 6.
  test('a session of another root is refused', async () => {
    const made = await town();
    await made.server.tmux('set-option', '-t', '=base:', '@town_root', '/other');
    expect(await made.adopt('base')).toMatchObject({ exit: 5, why: expect.stringContaining('/other') as string });
  });
});

describe('one root per tmux server', () => {
  const deps = (made: Yard) => ({ tmux: made.tmux, processes });
  const pidFile = (root: string, text: string): void => {
    mkdirSync(join(root, 'daemon'), { recursive: true });
    writeFileSync(join(root, 'daemon', 'daemon.pid'), text);
  };

  test('a living town of another root is refused and named; released or dead, it is taken over', async () => {
    const made = await town();
    const other = { root: join(made.server.dir, 'an other; #{pid}, }'), epoch: 3 };
    const ours = { root: made.root, epoch: 1 };
    expect(await claimServer(deps(made), other)).toEqual({ kind: 'owned' });
    expect(await claimServer(deps(made), other)).toEqual({ kind: 'owned' });
    pidFile(other.root, JSON.stringify({ pid: process.pid }));
    expect(await claimServer(deps(made), ours)).toMatchObject({ kind: 'refused', by: other.root });
    expect(await made.start({})).toMatchObject({ type: 'SESSION_NOT_STARTED' });
    await releaseServer(deps(made), ours);
    expect(await claimServer(deps(made), ours)).toMatchObject({ kind: 'refused' });
    await releaseServer(deps(made), other);
    expect(await claimServer(deps(made), ours)).toEqual({ kind: 'owned' });
    await releaseServer(deps(made), ours);
    expect(await made.server.tmux('show-options', '-sqv', '@town_owner')).toBe('');
    await claimServer(deps(made), other);
    pidFile(other.root, '999999999');
    expect(await claimServer(deps(made), ours)).toEqual({ kind: 'owned' });
    await claimServer(deps(made), { root: '/nonexistent/root', epoch: 1 });
    expect(await claimServer(deps(made), ours)).toEqual({ kind: 'owned' });
  });

  test('two claims at once: one owns, the other is refused', async () => {
    const made = await town();
    const roots = ['a', 'b', 'c'].map((name) => ({ root: join(made.server.dir, name), epoch: 1 }));
    for (const { root } of roots) pidFile(root, String(process.pid));
    const claims = await Promise.all(roots.map((owner) => claimServer(deps(made), owner)));
    expect(claims.map(({ kind }) => kind).sort()).toEqual(['owned', 'refused', 'refused']);
  });

  test.each(['set-option', 'show-options'])('a tmux whose %s fails tells of no rival: unknown', async (failing) => {
    const made = await town();
    await claimServer(deps(made), { root: made.root, epoch: 1 });
    const works = made.tmux.sequence.bind(made.tmux);
    made.tmux.sequence = async (commands) =>
      commands[0]?.[0] === failing ? { stdout: '', refused: 'boom' } : works(commands);
    const next = failing === 'set-option' ? { root: made.root, epoch: 2 } : { root: made.root, epoch: 1 };
    await expect(claimServer(deps(made), next)).rejects.toMatchObject({ fault: 'unknown' });
  });

  test('an older start of the same root gives way, a newer one does not', async () => {
    const made = await town();
    await claimServer(deps(made), { root: made.root, epoch: 4 });
    expect(await claimServer(deps(made), { root: made.root, epoch: 3 })).toMatchObject({ kind: 'refused' });
    expect(await claimServer(deps(made), { root: made.root, epoch: 5 })).toEqual({ kind: 'owned' });
  });

  test('a pid counts only with its start time', async () => {
    const made = await town({ session: null });
    const started = processes.proc(process.pid)?.started.split('@') ?? [];
    const lives = (fields: object): boolean => {
      pidFile(made.root, JSON.stringify({ pid: process.pid, ...fields }));
      return townLives({ root: made.root, epoch: 1 }, processes);
    };
    expect(lives({ start_time: started[0], boot_id: started[1] })).toBe(true);
    expect(lives({ start_time: '1', boot_id: started[1] })).toBe(false);
    expect(lives({ start_time: started[0], boot_id: randomUUID() })).toBe(false);
    expect(lives({})).toBe(true);
    expect(await claimServer(deps(made), { root: made.root, epoch: 1 })).toEqual({ kind: 'none' });
  });
});
