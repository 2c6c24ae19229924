import { readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { listTreeHand, type TreeDeps } from '../../src/proc/listTree.ts';
import { ProcessUnknown, SignalRefused, createProcesses } from '../../src/proc/processes.ts';
import { signalHand, type SignalDeps } from '../../src/proc/signal.ts';
import { Yard, here, lifeOf, pids, table, until } from './yard.ts';

const never = new AbortController().signal;
const deps: SignalDeps & TreeDeps = {
  processes: table,
  clock: systemClock,
  ttyOf: () => Promise.resolve(null),
  mayKill: () => Promise.resolve(true),
  drain: () => Promise.resolve(),
  policy: { ...POLICY.dance, ...HANDS },
};
const signalOrder = (
  target: Incarnation,
  signal: 'TERM' | 'KILL',
  tree: readonly Proc[],
  graceMs: number,
): OrderOf<'signal'> => ({
  type: 'signal',
  id: { name: 'dog-1/signal' },
  target,
  signal,
  tree,
  graceMs,
  lookedAt: systemClock.now(),
});
async function send(target: Incarnation, signal: 'TERM' | 'KILL', tree: readonly Proc[], graceMs: number) {
  const outcome = await signalHand(deps)(signalOrder(target, signal, tree, graceMs), never);
  if (outcome.type !== 'SIGNALLED') throw new Error(outcome.type);
  yard.keep([...outcome.alive, ...outcome.newcomers]);
  return outcome;
}
async function list(target: Incarnation): Promise<readonly Proc[]> {
  const outcome = await listTreeHand(deps)({ type: 'listTree', id: { name: 'dog-1/list' }, target }, never);
  if (outcome.type !== 'TREE_LISTED') throw new Error(outcome.type);
  yard.keep(outcome.tree);
  return outcome.tree;
}
/** Rounds of KILL until no newcomer comes, as a dance gives them. */
async function killAll(target: Incarnation, first: readonly Proc[]): Promise<readonly Proc[]> {
  let tree = first;
  for (let round = 0; round < POLICY.dance.maxRounds; round += 1) {
    const { newcomers, alive } = await send(target, 'KILL', tree, POLICY.dance.killGraceMs);
    tree = [...tree, ...newcomers];
    if (newcomers.length === 0) return alive;
  }
  return tree.filter((proc) => table.alive(proc));
}

let yard: Yard;
beforeEach(() => (yard = new Yard()));

// Rules: I-14.
test('TERM ends who listens, KILL ends who does not, and a process outside the list lives', async () => {
  const uuid = randomUUID();
  const control = await yard.bash('touch $READY; sleep 60');
  const agent = await yard.bash(
    `trap '' HUP TERM
     (trap - TERM; exec sleep 61) & echo $! > $DIR/polite
     setsid bash -c "trap '' TERM HUP; echo \\$\\$ > $DIR/deaf; while :; do read -t 60 < <(:); sleep 60; done" &
     (setsid nohup bash -c 'trap "" TERM; echo $$ > $DIR/orphan; sleep 60; :' >/dev/null 2>&1 &)
     touch $READY; while :; do wait; sleep 60; done`,
    { TOWN_INCARNATION: uuid },
  );
  const [polite, deaf, orphan] = await Promise.all(['polite', 'deaf', 'orphan'].map((name) => yard.written(name)));
  if (!polite || !deaf || !orphan) throw new Error('not started');
  const target = lifeOf(agent, { uuid });
  const tree = await list(target);
  expect(pids(tree)).toEqual(expect.arrayContaining(pids([agent, polite, deaf, orphan])));
  const afterTerm = await send(target, 'TERM', tree, 300);
  expect(pids(afterTerm.alive)).toEqual(expect.arrayContaining(pids([agent, deaf, orphan])));
  expect(pids(afterTerm.alive)).not.toContain(polite.pid);
  expect(await killAll(target, [...tree, ...afterTerm.newcomers])).toEqual([]);
  expect([agent, polite, deaf, orphan].filter((proc) => table.alive(proc))).toEqual([]);
  expect(table.alive(control)).toBe(true);
});

// Rules: D-10, I-14.
test('a program that forks until it is killed ends, and what it forked meanwhile is named before it is signalled', async () => {
  const uuid = randomUUID();
  const agent = await yard.bash(
    `trap '' HUP TERM; touch $READY
     for i in {1..400}; do (setsid sleep 60 &) ; sleep 0.02; done; sleep 60`,
    { TOWN_INCARNATION: uuid },
  );
  const target = lifeOf(agent, { uuid });
  const tree = await list(target);
  const afterTerm = await send(target, 'TERM', tree, 200);
  expect(afterTerm.newcomers.length).toBeGreaterThan(0);
  for (const proc of afterTerm.newcomers.slice(0, 1)) expect(pids(tree)).not.toContain(proc.pid);
  expect(await killAll(target, [...tree, ...afterTerm.newcomers])).toEqual([]);
  await pause(50);
  expect(await table.treeOf(target, null)).toEqual([]);
});

test('an order repeated is harmless, also when the pid was given again', async () => {
  const agent = await yard.bash('touch $READY; exec sleep 60');
  const target = lifeOf(agent);
  const tree = await list(target);
  expect(await send(target, 'KILL', tree, 2_000)).toEqual({ type: 'SIGNALLED', alive: [], newcomers: [] });
  const stranger = await yard.bash('touch $READY; sleep 60');
  const reused = { pid: stranger.pid, started: agent.started };
  expect((await send(target, 'KILL', [...tree, reused], 2_000)).alive).toEqual([]);
  expect(table.alive(stranger)).toBe(true);
});

// Rules: C-12.
test('no right, no knowledge of the right, or an old look: nothing is signalled', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  const order = signalOrder(lifeOf(agent), 'KILL', [agent], 100);
  const perform = (more: Partial<SignalDeps>, lookedAt = systemClock.now()) =>
    signalHand({ ...deps, ...more })({ ...order, lookedAt }, never);
  const held = (why: string): object => ({ type: 'NOT_SIGNALLED', why: expect.stringContaining(why) as string });
  expect(await perform({ mayKill: () => Promise.resolve(false) })).toEqual(held('another town owns'));
  expect(await perform({ mayKill: () => Promise.reject(new Error('the epoch cannot be read')) })).toEqual(
    held('no signal was sent: the epoch cannot be read'),
  );
  const blind = (): never => {
    throw new ProcessUnknown('EMFILE');
  };
  expect(await perform({ processes: { ...table, refusal: blind } })).toEqual(held('no signal was sent: EMFILE'));
  const old = systemClock.now() - POLICY.dance.lookStaleMs - 1_000;
  expect(await perform({}, old)).toEqual(held(' old; look again'));
  expect(await perform({}, NaN)).toEqual(held('look again'));
  // The look grows old while the right is read.
  let now = order.lookedAt;
  const late = { clock: { ...systemClock, now: () => now }, mayKill: () => Promise.resolve((now += 60_000) > 0) };
  expect(await perform(late, order.lookedAt)).toEqual(held('look again'));
  expect(table.alive(agent)).toBe(true);
});

test('a list that names the town or its parents ends the rest and names those as alive', async () => {
  const agent = await yard.bash('touch $READY; exec sleep 60');
  const poisoned = [here(process.pid), here(process.ppid), here(1), agent];
  const outcome = await signalHand(deps)(signalOrder(lifeOf(agent), 'KILL', poisoned, 200), never);
  expect(outcome.type === 'SIGNALLED' && pids(outcome.alive)).toEqual(pids(poisoned.slice(0, 3)));
  expect(() => table.signal(here(process.pid), 'KILL')).toThrow(SignalRefused);
});

test('an agent that the town runs below keeps its whole tree: neither is listed nor signalled, and that is told for good', async () => {
  const agent = await yard.bash('sleep 60 & echo $! > $DIR/town; sleep 61 & echo $! > $DIR/kid; touch $READY; wait');
  const [town, kid] = await Promise.all([yard.written('town'), yard.written('kid')]);
  const below = { ...deps, processes: createProcesses({ own: town.pid }) };
  const target = lifeOf(agent);
  const refused = {
    type: 'TREE_REFUSED',
    why: expect.stringMatching(/cannot end .*gt-max.*the town runs below it/) as string,
  };
  expect(await listTreeHand(below)({ type: 'listTree', id: { name: 'dog-1/list' }, target }, never)).toEqual(refused);
  // A town that was started down there after another one had listed the tree.
  expect(await signalHand(below)(signalOrder(target, 'KILL', [agent, kid], 5_000), never)).toEqual(refused);
  expect([agent, kid].map((proc) => table.alive(proc))).toEqual([true, true]);
  const server = lifeOf(agent, { server: agent });
  expect(
    await listTreeHand(deps)({ type: 'listTree', id: { name: 'dog-1/list' }, target: server }, never),
  ).toMatchObject({ type: 'TREE_REFUSED', why: expect.stringContaining('it is the tmux server') as string });
  await yard.reap(agent);
  expect((await signalHand(below)(signalOrder(target, 'KILL', [kid], 5_000), never)).type, 'it is gone').toBe(
    'SIGNALLED',
  );
});

test('unknown in the middle fails the order instead of calling anybody gone', async () => {
  const agent = await yard.bash('touch $READY; sleep 60');
  const blind = (): never => {
    throw new ProcessUnknown('EMFILE');
  };
  const order = signalOrder(lifeOf(agent), 'TERM', [agent], 1_000);
  await expect(signalHand({ ...deps, processes: { ...table, signal: blind } })(order, never)).rejects.toThrow('EMFILE');
  await expect(signalHand({ ...deps, processes: { ...table, alive: blind } })(order, never)).rejects.toThrow('EMFILE');
  await expect(
    signalHand({ ...deps, ttyOf: () => Promise.reject(new Error('tmux is silent')) })(order, never),
  ).rejects.toThrow('tmux is silent');
});

test('the time limit ends the waiting for those that were signalled', async () => {
  const agent = await yard.bash(`trap '' TERM; touch $READY; while :; do sleep 60; done`);
  const limit = new AbortController();
  const sleep: typeof systemClock.sleep = (ms, until) => {
    limit.abort(new Error('the order took too long'));
    return systemClock.sleep(ms, until);
  };
  const hand = signalHand({ ...deps, clock: { ...systemClock, sleep } });
  await expect(hand(signalOrder(lifeOf(agent), 'TERM', [agent], 60_000), limit.signal)).rejects.toThrow('too long');
});

test('an order that was given up while its right was read signals no process', async () => {
  const agent = await yard.bash('touch $READY; exec sleep 60');
  const limit = new AbortController();
  const mayKill = (): Promise<boolean> => {
    limit.abort(new Error('the town stops'));
    return Promise.resolve(true);
  };
  const order = signalOrder(lifeOf(agent), 'KILL', [agent], 200);
  const why = 'no signal was sent: the town stops';
  expect(await signalHand({ ...deps, mayKill })(order, limit.signal)).toEqual({ type: 'NOT_SIGNALLED', why });
  expect(table.alive(agent)).toBe(true);
});

test('a terminal makes a process ours only in the agent’s own session', async () => {
  // `script` gives its program a terminal of its own and stays outside of it, as tmux does.
  const owner = await yard.bash(
    `script -qfec "bash -c 'echo \\$\\$ > $DIR/agent; tty > $DIR/tty; env -i bash -c \\"echo \\\\\\$\\\\\\$ > $DIR/kid; /bin/sleep 60\\" & wait'" /dev/null > /dev/null & touch $READY; wait`,
  );
  const [agent, kid] = await Promise.all([yard.written('agent'), yard.written('kid')]);
  await until(() => readFileSync(join(yard.dir, 'tty'), 'utf8').endsWith('\n'), 'the terminal');
  const tty = readFileSync(join(yard.dir, 'tty'), 'utf8').trim();
  expect(table.ttyOf(agent.pid)).toBe(tty);
  const leader = lifeOf(agent);
  expect(pids(await table.treeOf(leader, tty))).toEqual(expect.arrayContaining(pids([agent, kid])));
  expect(pids(await table.treeOf(leader, tty))).not.toContain(owner.pid);
  const other = await yard.bash('touch $READY; sleep 60');
  expect(pids(await table.treeOf(lifeOf(other), tty)), 'another session on that terminal').not.toContain(kid.pid);
  expect(
    await table.treeOf(lifeOf(kid, { origin: 'adopted' }), tty),
    'an adopted one: only itself and below',
  ).not.toContainEqual(agent);
  writeFileSync(join(yard.dir, 'plain'), '');
  expect(pids(await table.treeOf(leader, join(yard.dir, 'plain')))).toEqual(expect.arrayContaining(pids([agent, kid])));
});
