/**
 * What one poll of the worker monitor costs: the town's own hands, over a real tmux and real processes that stand for Claude Code, of
 * which each made a step since the poll before.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Incarnation, OrderId, Proc, SessionRecord } from '../../machines/protocol.ts';
import { MONITOR } from '../../machines/monitor/policy.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Reports } from '../../state/monitor/reports.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { realDisk } from '../../state/files/disk.ts';
import { makeFolders } from '../../state/folders.ts';
import { Memory } from '../../src/hearings/memory.ts';
import { pollHand } from '../../src/monitor/hands.ts';
import { agentsNow } from '../../src/overview/agents-now.ts';
import { Asking } from '../../src/overview/asking.ts';
import { takeLines } from '../../src/overview/lines.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { HANDS } from '../../src/ports/policy.ts';
import { createProcesses, type ProcessTable } from '../../src/proc/processes.ts';
import { Packs } from '../../src/screen/packs.ts';
import { NONE_HELD } from '../../src/sources/held-questions.ts';
import { Sources } from '../../src/sources/sources.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { running } from '../world/records.ts';
import { figure, type Figure } from './figure.ts';
import { workerOf, type Worker } from './claude-worker.ts';
import { childFaults, median, pause } from './town.ts';

const WORKERS = 500;
const WARM_UP = 3;
const ROUNDS = 11;
/** A server that starts so many panes at once needs a while. */
const SETTLED_MS = 10_000;

export async function measurePoll(): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), 'town-bench-'));
  const socketPath = join(root, 'tmux.sock');
  const tmuxNow = (...args: string[]): string =>
    spawnSync('tmux', ['-f', '/dev/null', '-S', socketPath, ...args], { encoding: 'utf8' }).stdout;
  try {
    const config = join(root, 'panes.conf');
    const line = `"exec env CLAUDE_CONFIG_DIR=${root} bash -c 'exec -a claude sleep 1000000'"`;
    const panes = Array.from({ length: WORKERS }, (_, n) => `new-session -d -s w${n} -x 80 -y 24 ${line}\n`);
    writeFileSync(config, panes.join(''));
    tmuxNow('start-server', ';', 'source-file', config);
    await pause(SETTLED_MS);
    const processes = createProcesses();
    const rows = tmuxNow('list-panes', '-a', '-F', '#{session_name} #{session_id} #{pane_id} #{pane_pid} #{pid}');
    const lives = rows
      .trim()
      .split('\n')
      .map((row) => lifeOf(processes, row));
    if (lives.length !== WORKERS) throw new Error(`${lives.length} of ${WORKERS} panes came up`);
    const tmux = new ControlTmux({ socketPath, policy: HANDS, processes });
    await tmux.connect();
    try {
      return await measured(root, lives, { tmux, processes });
    } finally {
      await tmux.close();
    }
  } finally {
    tmuxNow('kill-server');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function lifeOf(processes: ProcessTable, row: string): Incarnation {
  const [session = '', sessionId = '', paneId = '', agent, server] = row.split(' ');
  const proc = (pid = ''): Proc => processes.proc(Number(pid)) ?? { pid: Number(pid), started: '' };
  return {
    uuid: randomUUID(),
    session,
    sessionId,
    paneId,
    agent: proc(agent),
    server: proc(server),
    origin: 'started',
  };
}

interface Around {
  readonly tmux: ControlTmux;
  readonly processes: ProcessTable;
}

async function measured(root: string, lives: readonly Incarnation[], around: Around): Promise<Figure[]> {
  mkdirSync(join(root, 'sessions'));
  const workers = lives.map(({ agent: { pid } }): Worker => workerOf(root, pid, root));
  const poll = await pollOf(root, lives, around);
  const took: number[] = [];
  const faults: number[] = [];
  for (let n = 0; n < WARM_UP + ROUNDS; n += 1) {
    for (const worker of workers) worker.step();
    const [before, forks] = [process.cpuUsage(), childFaults(process.pid)];
    const seen = await poll();
    const { user, system } = process.cpuUsage(before);
    if (seen !== WORKERS) throw new Error(`the poll saw ${seen} of ${WORKERS} workers at work`);
    if (n >= WARM_UP) took.push((user + system) / 1_000);
    if (n >= WARM_UP) faults.push(childFaults(process.pid) - forks);
  }
  return [
    figure(`CPU time of one poll of ${WORKERS} workers that work`, median(took), 60, 'ms'),
    figure('programs that it started (page faults of them)', Math.max(...faults), 0, 'faults'),
  ];
}

/** As `handsOfMonitor` puts them together. Resolves with how many are seen at work. */
async function pollOf(root: string, lives: readonly Incarnation[], { tmux, processes }: Around) {
  const disk = realDisk(root, 0);
  await makeFolders(disk, 0, 0);
  const clock = systemClock;
  const packs = new Packs();
  const sources = new Sources({ processes, packs, clock, held: NONE_HELD });
  const typed = () => Promise.resolve(() => Promise.resolve({ questions: [], sentTexts: [] }));
  const takeOut = () => Promise.resolve();
  const memory = new Memory(HANDS);
  const asking = new Asking({ processes, clock, packs, memory, tmux, policy: HANDS, sources, typed, takeOut });
  const quarantine = new Quarantine({ disk, wall: () => clock.wall(), onRefused: () => undefined });
  const files = { disk, quarantine };
  const reports = new Reports(files);
  const sessions: readonly SessionRecord[] = lives.map((life) => running(life, { tags: ['worker'] }));
  const heard = { of: () => Promise.resolve(asking.heard) };
  const pollWorkers = pollHand({
    policy: MONITOR,
    sessions: () => Promise.resolve(sessions),
    agents: (of) => agentsNow({ sources: heard, seen: (uuid) => asking.seen(uuid), reported: null }, of),
    look: (of) => asking.look(of, true),
    workedSince: (uuid) => asking.work.of(uuid).workedSince,
    questionOf: (uuid) => asking.questionOf(uuid),
    wrote: (uuid) => asking.seen(uuid)?.wrote ?? null,
    linesOf: (of) => takeLines({ tmux, wall: clock.wall() }, of),
    reports: (of) => reports.of(of),
    mailbox: new Mailbox(files, `tag/${MONITOR.orchestratorTag}`),
  });
  let round = 0;
  return async (): Promise<number> => {
    const id: OrderId = { issuer: 'monitor', verb: 'poll', round: (round += 1) };
    const order = { type: 'pollWorkers', id, preview: [], isRegular: true } as const;
    const outcome = await pollWorkers(order, new AbortController().signal);
    return outcome.type === 'WORKERS_SEEN' ? outcome.workers.filter(({ state }) => state === 'working').length : 0;
  };
}
