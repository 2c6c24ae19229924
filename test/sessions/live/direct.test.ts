/** C-7: a town on a machine without tmux. Its agents are real processes, the town is the real program with tmux out of PATH. */
import { withDetached } from '../../../src/sessions/detached/hands.ts';
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { HANDS, PROCESS } from '../../../src/ports/policy.ts';
import type { Exit } from '../../../machines/protocol.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import { outputPath } from '../../../state/sessions/output.ts';
import { DirectStarter } from '../../../src/sessions/detached/start.ts';
import type { OrderOf } from '../../../src/ports/ports.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { exits, killHard, prints, TestTown, until, type Ran } from '../../cli/town.ts';
import { incarnation } from '../../world/drive.ts';
import { tempFolder } from '../../world/over.ts';

const processes = createProcesses();

let town: TestTown;
let path: string;
beforeEach(() => {
  town = new TestTown('[sessions]\nbackoff = "100ms"\nscan_every = "100ms"\n');
  path = town.programs('bash', 'sleep', 'env', 'cat', 'sh');
});

const run = (...words: string[]): Promise<Ran> => town.bare(['--root', town.root, ...words], { env: { PATH: path } });
const record = (name: string) => town.record(name);
const life = (name: string) => town.life(name);
function end(name: string): void {
  const agent = record(name)?.incarnation?.agent;
  if (agent && processes.alive(agent)) process.kill(agent.pid, 'SIGKILL');
}
const townPid = (): number | null => {
  const text = town.read('daemon/daemon.pid');
  const pid = text === '' ? 0 : (JSON.parse(text) as { pid: number }).pid;
  return pid > 1 && processes.proc(pid) !== null ? pid : null;
};

describe('without tmux', () => {
  // Rules: C-7.
  test('up is 0 and says so, status is 4, a dead agent is restarted, one survives kill -9 of the town and is found again', async () => {
    const up = await run('up');
    expect([up.code, `${up.stdout}${up.stderr}`]).toEqual([
      0,
      expect.stringContaining('tmux is not installed') as string,
    ]);
    prints(await run('status'), 4, 'tmux is not installed');
    const talk = 'echo "I am $TOWN_SESSION ${TOWN_TOKEN:+with a token}"; exec sleep 1000';
    expect((await run('session', 'start', 'one', '--', 'bash', '-c', talk)).code).toBe(0);
    expect((await run('session', 'start', 'two', '--', 'sleep', '1000')).code).toBe(0);
    await until(() => town.read(outputPath('one')) === 'I am one with a token\n');

    const first = await until(() => life('one'));
    expect(first).toMatchObject({ origin: 'detached', sessionId: '', paneId: '' });
    end('one');
    const second = await until(
      () => life('one'),
      (now) => now !== null && now.uuid !== first?.uuid,
    );
    expect(record('one')).toMatchObject({ restarts: 1, lastExit: { kind: 'signal', signal: 'SIGKILL' } });
    await until(
      () => town.read(outputPath('one')) === 'I am one with a token\n\n--- one started again\nI am one with a token\n',
    );

    const other = life('two');
    const old = townPid();
    killHard(old);
    await until(townPid, (pid) => pid !== null && pid !== old);
    await until(async () => (await run('status')).code === 4);
    end('two');
    await until(
      () => life('two'),
      (now) => now !== null && now.uuid !== other?.uuid,
    );
    expect(record('two')).toMatchObject({ restarts: 1, lastExit: { kind: 'unknown' } });
    expect(life('one')).toEqual(second);
    expect(record('one')?.restarts).toBe(1);
  });

  // Rules: C-7.
  test('no agent is nudged, heard or executed; a clean end stays; agents outlive `down`', async () => {
    expect((await run('up')).code).toBe(0);
    await run('session', 'start', 'one', '--', 'sleep', '1000');
    await run('session', 'start', 'two', '--', 'bash', '-c', 'sleep 1; exit 0');
    const agent = await until(() => life('one'));
    exits(await run('nudge', 'one', 'check your inbox'), 1, 'without tmux');
    expect((await run('warrant', 'file', 'one', '--reason', 'silent')).code).toBe(0);
    // The town takes it up, and it waits all the same.
    await until(() => town.names(FOLDERS.active).length > 0);
    await until(async () => (await run('warrant', 'list')).stdout.includes(' waits '));
    exits(await run('session', 'kill', 'one', '--force'), 1, 'end it yourself');
    await until(() => record('two')?.state === 'ended');
    expect(record('two')?.lastExit).toEqual({ kind: 'code', code: 0 });
    exits(await run('session', 'start', 'three', '--', 'no-such-program'), 2, 'no-such-program');
    expect((await run('down')).code).toBe(0);
    expect(life('one')).toEqual(agent);
    expect((await run('up')).code).toBe(0);
    await until(async () => (await run('status')).code === 4);
    expect(life('one')).toEqual(agent);
  });

  // Rules: C-7.
  test('the last words of an agent that died stand in its record, without those of an earlier life, and in `why`', async () => {
    expect((await run('up')).code).toBe(0);
    const says = 'echo noise; printf "\\033[31mfatal: no key $TOWN_INCARNATION\\033[0m\\n" >&2; sleep 0.2; exit 3';
    await run('session', 'start', 'one', '--restart', 'temporary', '--', 'bash', '-c', says);
    const first = await until(() => record('one')?.lastWords);
    expect(first).toMatch(/^noise\nfatal: no key \S+$/);
    expect(first).toContain(record('one')?.incarnation?.uuid);
    prints(await run('why', 'one'), 0, 'fatal: no key');
    await run('session', 'restart', 'one');
    const second = await until(
      () => record('one')?.lastWords,
      (words) => words !== undefined && words !== first,
    );
    expect(second).toMatch(/^noise\nfatal: no key \S+$/);
  });

  // Rules: C-7.
  test('when tmux comes, new starts use it and what runs stays', async () => {
    expect((await run('up')).code).toBe(0);
    await run('session', 'start', 'one', '--', 'sleep', '1000');
    const apart = await until(() => life('one'));
    town.programs('tmux');
    expect((await run('session', 'start', 'two', '--', 'sleep', '1000')).code).toBe(0);
    expect(life('two')).toMatchObject({ origin: 'started', paneId: expect.stringMatching(/^%/) as string });
    await until(async () => (await run('status')).code === 0);
    expect(life('one')).toEqual(apart);
    end('one');
    await until(() => life('one')?.origin === 'started');
  });
});

test('a start that was given up starts nothing', async () => {
  const root = tempFolder('given-up');
  const starter = new DirectStarter({
    environmentOf: async () => ({}),
    heldBack: async () => null,
    root,
    tokenFor: () => 'token',
    ended: () => undefined,
    policy: { ...HANDS, ...PROCESS },
    processes: { ...processes, alive: () => false, proc: () => null, treeOf: () => Promise.resolve([]) },
  });
  const spec = {
    name: 'late',
    command: ['touch', 'started'],
    dir: root,
    tags: [],
    restart: 'temporary',
    process: null,
  };
  const order = { type: 'startSession', id: { name: 's' }, spec, uuid: 'u', previous: null } as OrderOf<'startSession'>;
  await expect(starter.start(order, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
  expect(readdirSync(root)).toEqual([]);
});

test('the same order finds its life, though its folder is gone and its last life lives', async () => {
  const agent = { pid: 4242, started: '1@boot' };
  const starter = new DirectStarter({
    environmentOf: async () => ({}),
    heldBack: async () => null,
    root: '/',
    tokenFor: () => 'token',
    ended: () => undefined,
    policy: { ...HANDS, ...PROCESS },
    processes: { ...processes, alive: () => true, proc: () => null, treeOf: () => Promise.resolve([agent]) },
  });
  const spec = {
    name: 'found',
    command: ['x'],
    dir: '/no/such',
    tags: [],
    restart: 'temporary',
    process: null,
  } as const;
  const previous = { ...incarnation('old', { session: 'found' }), origin: 'detached' } as const;
  const order = { type: 'startSession', id: { name: 's' }, spec, uuid: 'u', previous } as const;
  expect(await starter.start(order, new AbortController().signal)).toMatchObject({
    type: 'SESSION_STARTED',
    incarnation: { uuid: 'u', agent },
  });
});

test('a child that is gone before Node tells how it ended is unknown until then, never dead of an unknown cause', async () => {
  const agent = { pid: 1, started: 'long ago' };
  const ids = { server: agent, agent, sessionId: '', paneId: '' };
  const life = { ...ids, uuid: 'one', session: 'one', origin: 'detached' } as const;
  const seenWith = async (exit: Exit | null) => {
    const start = () => Promise.reject(new Error('not asked'));
    const starter = { free: async () => [], exitOf: () => exit, start, cutOutput: () => undefined };
    const deps = {
      processes: { alive: () => false },
      starter,
      maybeSignalled: async () => false,
      isAbsent: () => true,
    };
    const { scan } = withDetached(deps, {} as Parameters<typeof withDetached>[1]);
    const order = { type: 'scan', id: { name: 'scan' }, known: [life] } as const;
    return scan(order, new AbortController().signal);
  };
  expect(await seenWith(null)).toMatchObject({ seen: [{ life: 'unknown', exit: null }] });
  const killed = { kind: 'signal', signal: 'SIGKILL' } as const;
  expect(await seenWith(killed)).toMatchObject({ seen: [{ life: 'dead', exit: killed }] });
});
