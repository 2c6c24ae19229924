/** Which processes belong to an agent: its tree, orphans with its mark, and no other. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { parseStat } from '../../src/proc/linux.ts';
import { here, lifeOf, pids, table, until, Yard } from './yard.ts';

let yard: Yard;
beforeEach(() => (yard = new Yard()));

// Rules: I-14.
test('the tree holds descendants, setsid and nohup children and orphans with the mark, and no other', async () => {
  const uuid = randomUUID();
  const control = await yard.bash('touch $READY; sleep 60', { TOWN_INCARNATION: `${uuid}0` });
  const agent = await yard.bash(
    `trap '' HUP TERM
     (trap '' HUP; echo $BASHPID > $DIR/deaf; sleep 60) &
     setsid bash -c 'echo $$ > $DIR/setsid; sleep 60' &
     nohup bash -c 'echo $$ > $DIR/nohup; sleep 60' >/dev/null 2>&1 &
     (setsid bash -c 'echo $$ > $DIR/orphan; sleep 60' &) 
     env -i PATH=$PATH bash -c 'echo $$ > '$DIR'/bare; sleep 60' &
     touch $READY; wait`,
    { TOWN_INCARNATION: uuid },
  );
  const named = await Promise.all(['deaf', 'setsid', 'nohup', 'orphan', 'bare'].map((name) => yard.written(name)));
  await until(() => parseStat(readFileSync(`/proc/${named[3]?.pid}/stat`, 'latin1')).ppid !== agent.pid, 'an orphan');
  const tree = await table.treeOf(lifeOf(agent, { uuid }), null);
  yard.keep(tree);
  expect(pids(tree)).toEqual(expect.arrayContaining(pids([agent, ...named])));
  expect(tree[0]).toEqual(agent);
  expect(pids(tree)).not.toContain(control.pid);
  expect(pids(tree)).not.toContain(process.pid);
  const marksOnly = await table.treeOf(lifeOf({ pid: agent.pid, started: '1@other' }, { uuid }), null);
  expect(pids(marksOnly), 'another boot: the marks are all that counts').toContain(named[0]?.pid);
});

test('a life without a pane has its tree though it names itself as its server; all that carry an entry are found', async () => {
  const entry = { HOME: join(yard.dir, 'home') };
  const agent = await yard.bash(
    `(setsid bash -c 'echo $$ > $DIR/orphan; sleep 60' &); sleep 60 & touch $READY; wait`,
    entry,
  );
  const orphan = await yard.written('orphan');
  const other = await yard.bash('touch $READY; sleep 60', { HOME: `${entry.HOME}2` });
  expect(pids(await table.treeOf(lifeOf(agent, { server: agent, origin: 'detached' }), null))).toContain(agent.pid);
  const carriers = await table.carrying(`HOME=${entry.HOME}`);
  yard.keep(carriers);
  expect(carriers).toEqual(expect.arrayContaining([agent, orphan]));
  expect(pids(carriers)).not.toContain(other.pid);
  expect(await table.carrying(`PATH=${process.env['PATH'] ?? ''}`)).not.toContainEqual(here(process.pid));
});

test('of a listed process whose parents died the children are found, with no mark and no terminal', async () => {
  const agent = await yard.bash(
    `env -i bash -c 'echo $$ > '$DIR'/mid; until [ -e '$DIR'/go ]; do /bin/sleep 0.05; done; /bin/sleep 60 & echo $! > '$DIR'/late; wait' &
     touch $READY; wait`,
  );
  const mid = await yard.written('mid');
  const listed = await table.treeOf(lifeOf(agent), null);
  expect(pids(listed)).toContain(mid.pid);
  yard.keep(listed);
  await yard.reap(agent);
  spawn('touch', [`${yard.dir}/go`]);
  const late = await yard.written('late');
  expect(pids(await table.treeOf(lifeOf(agent), null, listed))).toEqual(pids([mid, late]));
});

test('an adopted agent: its descendants, not the shell above it and not the shell’s other jobs', async () => {
  const shell = await yard.bash(
    `sleep 60 & echo $! > $DIR/job
     bash -c 'echo $$ > $DIR/agent; sleep 60 & echo $! > $DIR/kid; wait' & touch $READY; wait`,
  );
  const [job, agent, kid] = await Promise.all(['job', 'agent', 'kid'].map((name) => yard.written(name)));
  if (!agent || !job || !kid) throw new Error('not started');
  const adopted = lifeOf(agent, { origin: 'adopted' });
  expect(pids(await table.treeOf(adopted, null))).toEqual(pids([agent, kid]));
  expect(table.alive(shell) && table.alive(job)).toBe(true);
});

test('a tmux server that an agent happened to start keeps its panes: they may be anybody’s', async () => {
  const uuid = randomUUID();
  const socket = join(yard.dir, 'tmux.sock');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      env: { PATH: process.env['PATH'], TOWN_INCARNATION: uuid },
      encoding: 'utf8',
    });
  tmux('new-session', '-d', '-s', 'person', 'sleep', '60');
  try {
    const [server = 0, pane = 0] = tmux('display-message', '-p', '-t', 'person:', '#{pid} #{pane_pid}')
      .split(' ')
      .map(Number);
    const agent = await yard.bash('touch $READY; sleep 60', { TOWN_INCARNATION: uuid });
    expect(readFileSync(`/proc/${pane}/environ`, 'utf8')).toContain(uuid);
    const tree = pids(await table.treeOf(lifeOf(agent, { uuid }), null));
    expect(tree).toContain(agent.pid);
    expect(tree).not.toContain(server);
    expect(tree).not.toContain(pane);
    // In a pane, the agent itself and what it starts are found all the same; the server and the other panes are not.
    tmux('new-window', '-d', 'sleep 60');
    const inPane = lifeOf(here(pane), { uuid: randomUUID(), server: here(server) });
    expect(pids(await table.treeOf(inPane, table.ttyOf(pane)))).toEqual([pane]);
  } finally {
    tmux('kill-server');
  }
});

// Rules: I-14.
test('who outlives a tmux server that the agent had started is anybody’s still; in the agent’s own server the mark counts', async () => {
  const uuid = randomUUID();
  const agent = await yard.bash(
    `tmux -S $DIR/s -f /dev/null new-session -d "trap '' HUP; echo \\$\\$ > $DIR/pane; exec sleep 60"
     tmux -S $DIR/s display-message -p '#{pid}' > $DIR/server; touch $READY; wait; sleep 60`,
    { TOWN_INCARNATION: uuid },
  );
  const [server, pane] = [await yard.written('server'), await yard.written('pane')];
  expect(pids(await table.treeOf(lifeOf(agent, { uuid }), null))).not.toContain(pane.pid);
  process.kill(server.pid, 'SIGTERM');
  await until(() => !table.alive(server), 'the end of the server');
  expect(readFileSync(`/proc/${pane.pid}/environ`, 'utf8')).toContain(uuid);
  expect(pids(await table.treeOf(lifeOf(agent, { uuid }), null))).not.toContain(pane.pid);
  expect(pids(await table.treeOf(lifeOf(agent, { uuid, server }), null))).toContain(pane.pid);
});

test('after the agent’s end its session is ours only with a proof: a listed member still in it', async () => {
  const agent = await yard.bash(
    `env -i bash -c 'echo $$ > '$DIR'/one; /bin/sleep 60; :' & env -i bash -c 'echo $$ > '$DIR'/two; /bin/sleep 60; :' &
     touch $READY; wait`,
  );
  const [one, two] = await Promise.all([yard.written('one'), yard.written('two')]);
  yard.keep(await table.treeOf(lifeOf(agent), null));
  await yard.reap(agent);
  const target = lifeOf(agent);
  expect(await table.treeOf(target, null), 'nothing proves them ours').toEqual([]);
  expect(pids(await table.treeOf(target, null, [one]))).toEqual(expect.arrayContaining(pids([one, two])));
  expect(
    await table.treeOf(target, null, [{ ...one, started: one.started.replace(/^\d+/, '1') }]),
    'the listed pid was given again',
  ).toEqual([]);
});
