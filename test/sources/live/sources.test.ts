/** Whose program is asked, of real processes; what a place that hangs, throws or falls silent does to the others. */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Incarnation, Proc } from '../../../machines/protocol.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { Packs } from '../../../src/screen/packs.ts';
import type { Ear, Heard, ProgramPort } from '../../../src/sources/port.ts';
import { NONE_HELD } from '../../../src/sources/held-questions.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { Sources } from '../../../src/sources/sources.ts';
import { incarnation } from '../../world/drive.ts';
import { whenOver } from '../../world/over.ts';

const processes = createProcesses();
const packs = new Packs();

/** The agent of a life: a process that is called so, or a launcher with one below it. */
async function lifeOf(nth: number, called: string, script = 'exec sleep 300'): Promise<Incarnation> {
  const child = spawn('bash', ['-c', script], { argv0: called, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? 0;
  whenOver(() => process.kill(-pid, 'SIGKILL'));
  if (script.includes('echo')) await once(child.stdout, 'data');
  else await once(child, 'spawn');
  const agent = processes.proc(pid);
  if (agent === null) throw new Error('it ended at once');
  return incarnation(nth, { agent });
}

const LAUNCHER = "bash -c 'exec -a claude sleep 300' & sleep 0.2; echo ready; wait";
const CLAUDE_IN_CLAUDE = 'exec -a claude bash -c "bash -c \'exec -a claude sleep 300\' & sleep 0.2; echo ready; wait"';

const said = (conversation: string): Heard => ({ word: null, conversation });

/** A port that names the process it was asked about. */
function port(
  hear: (proc: Proc) => ReturnType<Ear['hear']>,
  place: (proc: Proc) => string = () => '/home',
): ProgramPort {
  return { kind: 'claude', open: (proc) => ({ place: place(proc), hear: () => hear(proc) }) };
}
const naming = port((proc) => Promise.resolve(said(`${proc.pid}`)));
/** A busy machine may take long for a look at all processes. */
const SLOW = { timeout: 30_000 };
const sourcesOf = (ports: readonly ProgramPort[]) =>
  new Sources({ processes, packs, clock: systemClock, held: NONE_HELD }, ports);

// Rules: M-2.
describe('the process that is asked', () => {
  test('is the agent itself, and none where no port knows its program', async () => {
    const lives = [await lifeOf(1, 'claude', 'exec -a claude sleep 300'), await lifeOf(2, 'make')];
    await expect.poll(async () => [...(await sourcesOf([naming]).of(lives)).keys()], SLOW).toEqual([lives[0]?.uuid]);
  });

  test('is the one below a launcher', async () => {
    const life = await lifeOf(1, 'make', LAUNCHER);
    const heard = (await sourcesOf([naming]).of([life])).get(life.uuid);
    expect(Number(heard?.conversation)).not.toBe(life.agent.pid);
    expect(processes.describe(Number(heard?.conversation))?.argv[0]).toBe('claude');
  });

  test('is not the one that an agent runs itself', async () => {
    const life = await lifeOf(1, 'make', CLAUDE_IN_CLAUDE);
    const heard = (await sourcesOf([naming]).of([life])).get(life.uuid);
    expect(heard?.conversation).toBe(`${life.agent.pid}`);
  });
});

// Rules: M-2.
describe('a place that', () => {
  const lives = () => Promise.all([1, 2, 3].map((nth) => lifeOf(nth, 'claude', 'exec -a claude sleep 300')));
  const isSleep = ({ agent }: Incarnation) => processes.describe(agent.pid)?.comm === 'sleep';

  test('hangs delays no other place, and is not asked again before it answered', async () => {
    const all = await lives();
    await expect.poll(() => all.every(isSleep), SLOW).toBe(true);
    const [first, second, third] = all;
    const asked: number[] = [];
    let answer = (_: Heard): void => undefined;
    const hear = (proc: Proc) => {
      asked.push(proc.pid);
      if (proc.pid === third?.agent.pid || asked.length > 3) return Promise.resolve(said('here'));
      return new Promise<Heard>((resolve) => (answer = resolve));
    };
    const sources = sourcesOf([port(hear, ({ pid }) => (pid === third?.agent.pid ? '/good' : '/hung'))]);
    expect([...(await sources.of(all)).keys()]).toEqual([third?.uuid]);
    // The second one of the same place was not asked at all.
    expect(new Set(asked)).toEqual(new Set([first?.agent.pid, third?.agent.pid]));
    expect([...(await sources.of(all)).keys()]).toEqual([third?.uuid]);
    answer(said('late'));
    await expect.poll(async () => (await sources.of(all)).size, SLOW).toBe(3);
    expect(asked).toContain(second?.agent.pid);
  });

  test('hangs takes back nothing that holds for a whole life', async () => {
    const [life] = await lives();
    if (life === undefined) throw new Error('no life');
    await expect.poll(() => isSleep(life), SLOW).toBe(true);
    const late = Promise.withResolvers<Heard | null>();
    const answers = [late.promise];
    const hear = () => answers.pop() ?? Promise.resolve(null);
    const sources = sourcesOf([{ kind: 'claude', open: () => ({ place: '/hung', hear, kept: () => said('kept') }) }]);
    const now = async () => (await sources.of([life])).get(life.uuid)?.conversation;
    expect(await now()).toBe('kept');
    late.resolve(said('late'));
    // It is asked again, and says that nothing of it can be believed.
    await expect.poll(now, SLOW).toBeUndefined();
  });

  test('hangs is waited for no longer where another program may answer late', async () => {
    const [life] = await lives();
    if (life === undefined) throw new Error('no life');
    await expect.poll(() => isSleep(life), SLOW).toBe(true);
    const hangs = new Sources({ processes, packs, clock: systemClock, held: NONE_HELD, waitMs: 3_600_000 }, [
      port(() => new Promise(() => undefined)),
    ]);
    expect(await hangs.hear('claude', life.agent, null)).toBeNull();
    const lateWords = () => pause(SOURCES.answerMs + 500, said('late'));
    const late: Ear = { place: '/late', waitMs: 3_600_000, hear: lateWords };
    expect(await sourcesOf([{ kind: 'claude', open: () => late }]).hear('claude', life.agent, null)).toEqual(
      said('late'),
    );
  });

  test('cannot be opened says nothing', async () => {
    const [life] = await lives();
    if (life === undefined) throw new Error('no life');
    const broken: ProgramPort = {
      kind: 'claude',
      open: () => {
        throw new Error('hidden');
      },
    };
    expect((await sourcesOf([broken]).of([life])).size).toBe(0);
  });
});
