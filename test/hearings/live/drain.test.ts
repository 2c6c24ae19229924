/** What an agent in a person's pane never read is not run when the agent is ended (D-8, D-10). Real tmux, real shells. */
import { existsSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HANDS } from '../../../src/ports/policy.ts';
import { POLICY } from '../../../machines/policy.ts';
import type { Incarnation } from '../../../machines/protocol.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { paneReader } from '../../../src/hearings/pane-text.ts';
import { drainOf, type DrainDeps } from '../../../src/hearings/drain.ts';
import { signalHand } from '../../../src/proc/signal.ts';
import { Court, table } from './court.ts';

const LIMIT = new AbortController().signal;

class Execution {
  readonly said: string[] = [];
  readonly #court: Court;
  readonly #more: Partial<DrainDeps>;
  constructor(court: Court, more: Partial<DrainDeps> = {}) {
    this.#court = court;
    this.#more = more;
  }

  /** One signal of an execution. */
  async signal(target: Incarnation, signal: 'TERM' | 'KILL'): Promise<void> {
    const { terminalOf, ttyOf } = paneReader(this.#court.tmux);
    const say = (text: string): void => void this.said.push(text);
    const deps = { processes: table, clock: systemClock, policy: { ...POLICY.dance, ...HANDS } };
    const drain = drainOf({ ...deps, terminalOf, log: { info: say, warn: say }, ...this.#more });
    const hand = signalHand({ ...deps, drain, ttyOf, mayKill: () => Promise.resolve(true) });
    const order = { type: 'signal', id: { name: 'dog-1/signal' }, target, signal, tree: [target.agent] } as const;
    await hand({ ...order, graceMs: 200, lookedAt: systemClock.now() }, LIMIT);
  }
}

/** Whether the person's shell, which is in front again, ran what the agent left. */
async function ranBehind(court: Court, target: Incarnation, file: string): Promise<boolean> {
  await court.until(() => Promise.resolve(!table.alive(target.agent)), 'the end of the agent');
  const sentinel = join(court.server.dir, 'sentinel');
  await court.type(target, `:> ${sentinel}`, 'Enter');
  await court.until(() => Promise.resolve(existsSync(sentinel)), 'the shell to take a line');
  return existsSync(file);
}

const DEAF = {
  'in line mode': 'sleep 100000',
  'in raw mode': `sh -c 'stty raw -echo; exec sleep 100000'`,
  'that ignores TERM': `sh -c 'trap "" TERM; exec sleep 100000'`,
};

describe('an execution in an adopted pane', () => {
  // Rules: D-8.
  test.each(Object.entries(DEAF))('leaves the shell nothing to run of a deaf agent %s', async (_mode, command) => {
    await using court = await Court.open();
    const target = await court.adopted(command);
    const file = join(court.server.dir, 'ran');
    for (let lines = 0; lines < 20; lines += 1) await court.type(target, `: ${'x'.repeat(90)}; touch ${file}`, 'Enter');
    const execution = new Execution(court);
    await execution.signal(target, 'TERM');
    // What comes in between the signals is taken before the next.
    if (table.alive(target.agent)) await court.type(target, `touch ${file}`, 'Enter');
    await execution.signal(target, 'KILL');
    expect(await ranBehind(court, target, file)).toBe(false);
    expect(execution.said[0]).toMatch(/^\d{4,} bytes that .* never read were taken out of its terminal$/);
  });

  test('takes also what did not fit into the terminal yet', async () => {
    await using court = await Court.open();
    const target = await court.adopted(DEAF['in raw mode']);
    const file = join(court.server.dir, 'ran');
    await court.tmux.call(['load-buffer', '-b', 'long', '-'], `: ${'x'.repeat(70)}; touch ${file}\n`.repeat(300));
    await court.server.tmux('paste-buffer', '-b', 'long', '-t', target.paneId);
    const execution = new Execution(court);
    await execution.signal(target, 'KILL');
    expect(await ranBehind(court, target, file)).toBe(false);
    expect(execution.said).toEqual([expect.stringMatching(/^[2-9]\d{4} bytes/)]);
  });

  test('a failure is a line in the log, and the execution goes on', async () => {
    await using court = await Court.open();
    const target = await court.adopted(DEAF['in line mode']);
    const execution = new Execution(court, { terminalOf: () => Promise.reject(new Error('tmux is silent')) });
    await execution.signal(target, 'TERM');
    expect(table.alive(target.agent)).toBe(false);
    expect(execution.said).toEqual([expect.stringContaining('could not be taken out of it: tmux is silent')]);
  });

  test('a terminal that is not proved to be the pane’s own is left alone', async () => {
    await using court = await Court.open();
    const [target, other] = [await court.adopted(), await court.adopted()];
    const { terminalOf } = paneReader(court.tmux);
    const [own, foreign] = [await terminalOf(target), await terminalOf(other)];
    if (own === null || foreign === null) throw new Error('no terminals');
    const file = join(court.server.dir, 'ran');
    await court.type(other, `touch ${file}`, 'Enter');
    const execution = new Execution(court, { terminalOf: () => Promise.resolve({ ...own, path: foreign.path }) });
    await execution.signal(target, 'KILL');
    expect(execution.said).toEqual([expect.stringContaining('is not its terminal any more')]);
    table.signal(other.agent, 'KILL');
    expect(await ranBehind(court, other, file)).toBe(true); // by a shell that nothing was taken from
  });

  test('a shell in front reads its own keys: nothing is taken from it, nor from a started agent', async () => {
    await using court = await Court.open();
    const target = await court.adopted();
    await court.server.tmux('send-keys', '-t', target.paneId, 'C-z');
    await court.until(async () => (await court.text(target)).includes('Stopped'), 'the shell in front');
    let opened = 0;
    const counting = (path: string) => {
      opened += 1;
      closeSync(openSync(path, 'r'));
    };
    const { terminalOf } = paneReader(court.tmux);
    const asked = async (life: Incarnation) => {
      const terminal = await terminalOf(life);
      if (terminal !== null) counting(terminal.path);
      return terminal;
    };
    const execution = new Execution(court, { terminalOf: asked });
    await court.type(target, 'echo half');
    await execution.signal(target, 'KILL');
    expect(opened).toBe(1); // looked at, and not read
    await court.type(target, `-line`, 'Enter');
    await court.until(async () => /^half-line$/m.test(await court.text(target)), 'the whole line of the person');
    await execution.signal(await court.start(['sleep', '100000']), 'KILL');
    expect([opened, execution.said]).toEqual([1, []]);
  });
});
