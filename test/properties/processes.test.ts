/** Who is signalled, in a crowd that forks, dies and leaves its pids to others while the town looks, waits and signals. */
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Incarnation, Proc } from '../../machines/protocol.ts';
import type { Clock } from '../../src/ports/ports.ts';
import { listTreeHand } from '../../src/proc/listTree.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { signalHand } from '../../src/proc/signal.ts';
import { AGENT, Crowd, move, TOWN, UUID, type Move } from './crowd.ts';

vi.setConfig({ testTimeout: 180_000 });
afterEach(() => void vi.restoreAllMocks());

const never = new AbortController().signal;
const ROUNDS = POLICY.dance.maxRounds;
const nameOf = ({ pid, started }: Proc): string => `${pid} ${started}`;

/** The hands of an execution on a crowd that moves on wherever they wait. */
class Execution {
  readonly crowd: Crowd;
  readonly target: Incarnation;
  /** All that were on the list of the order that is under way. */
  listed: ReadonlySet<string> = new Set();
  /** Signals that no process should have got. */
  readonly wrong: string[] = [];
  #tree: readonly Proc[] = [];
  /** Those that the town could know when it looked last. */
  #known: readonly string[] = [];
  readonly #moves: Move[];
  #now = 0;

  constructor(isAdopted: boolean, moves: readonly Move[]) {
    this.crowd = new Crowd(isAdopted);
    this.#moves = [...moves];
    const origin = isAdopted ? 'adopted' : 'started';
    const server = this.crowd.procOf(10);
    const agent = this.crowd.procOf(AGENT);
    this.target = { uuid: UUID, session: 'gt-max', server, sessionId: '$1', paneId: '%1', agent, origin };
    // The only way to a signal; a process that gets one must be the agent's, and the very process that the order lists.
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => this.#signalled(pid, String(signal)));
  }

  get isOver(): boolean {
    return this.#moves.length === 0;
  }

  goOn(): void {
    const next = this.#moves.shift();
    if (next !== undefined) this.crowd.move(next);
  }

  list(): Promise<readonly Proc[]> {
    const hand = listTreeHand(this.#deps());
    return hand({ type: 'listTree', id: { name: 'dog-1/list' }, target: this.target }, never).then((outcome) =>
      outcome.type === 'TREE_LISTED' ? outcome.tree : [],
    );
  }

  /** One round; the list of the next one. */
  async round(signal: 'TERM' | 'KILL', tree: readonly Proc[]): Promise<{ tree: readonly Proc[]; grew: boolean }> {
    this.listed = new Set(tree.map(nameOf));
    this.#tree = tree;
    const order = { type: 'signal', id: { name: 'dog-1/signal' }, target: this.target, graceMs: 500 } as const;
    const outcome = await signalHand(this.#deps())({ ...order, signal, tree, lookedAt: this.#now }, never);
    const newcomers = outcome.type === 'SIGNALLED' ? outcome.newcomers : [];
    const named = new Set([...tree, ...newcomers].map(nameOf));
    for (const name of this.#known) if (!named.has(name)) this.wrong.push(`${name} was not named after ${signal}`);
    return { tree: [...tree, ...newcomers], grew: newcomers.length > 0 };
  }

  #signalled(pid: number, signal: string): true {
    const one = this.crowd.at(pid);
    const name = one === null ? 'none' : nameOf({ pid, started: one.start });
    // Told at the end: what is thrown here is for the town a signal that the system refused.
    if (one?.isOurs !== true) this.wrong.push(`${signal} to ${name}, who is not the agent’s`);
    if (!this.listed.has(name)) this.wrong.push(`${signal} to ${name}, who is not on the list`);
    if (!this.crowd.signalled(pid, signal)) throw Object.assign(new Error('gone'), { code: 'ESRCH' });
    return true;
  }

  #deps() {
    const { source } = this.crowd;
    const moving = <T>(value: () => T) => {
      this.goOn();
      return Promise.resolve(value());
    };
    const rows = () =>
      moving(() => {
        this.#known = this.crowd.known(this.#tree).map(({ pid }) => nameOf(this.crowd.procOf(pid)));
      }).then(() => source.rows());
    const clock: Clock = {
      now: () => this.#now,
      wall: () => this.#now,
      sleep: (ms) => moving(() => void (this.#now += ms)),
    };
    return {
      processes: createProcesses({ source: { ...source, rows }, own: TOWN }),
      clock,
      ttyOf: () => moving(() => this.crowd.pane),
      mayKill: () => moving(() => true),
      drain: () => moving(() => undefined),
      policy: { ...POLICY.dance, ...HANDS },
    };
  }
}

// Rules: I-9, I-14.
test('9, 14: only those of the agent, by pid and start time, named before; in the end none of them is left that can be known', async () => {
  const moves = fc.array(move, { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.nat(20), moves, async (isAdopted, before, all) => {
      const execution = new Execution(isAdopted, all);
      for (let n = 0; n < before; n += 1) execution.goOn();
      let tree = await execution.list();
      ({ tree } = await execution.round('TERM', tree));
      for (let n = 0; n < ROUNDS; n += 1) ({ tree } = await execution.round('KILL', tree));
      while (!execution.isOver) execution.goOn();
      for (let grew = true; grew;) ({ tree, grew } = await execution.round('KILL', tree));
      ({ tree } = await execution.round('KILL', tree));
      expect(execution.wrong).toEqual([]);
      expect(execution.crowd.known(tree).map(({ pid }) => pid)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

// Rules: I-14.
test('14: each process with the agent’s mark, below it or in a session of its own is on the list, and no other', async () => {
  const moves = fc.array(move, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), moves, async (isAdopted, all) => {
      const execution = new Execution(isAdopted, all);
      while (!execution.isOver) execution.goOn();
      const listed = new Set((await execution.list()).map(({ pid }) => pid));
      for (const { pid } of execution.crowd.known()) expect([...listed]).toContain(pid);
      for (const pid of listed) expect(execution.crowd.at(pid)?.isOurs, `${pid} was listed`).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
