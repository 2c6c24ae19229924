/**
 * Memory and share of a core with everything on: 100 agents that stand for Claude Code and work, their costs, Tickle, the worker
 * monitor and a channel. The bench itself writes what the agents would write; a process that sleeps costs nothing.
 */
import { mkdirSync, readFileSync, writeFileSync, appendFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { transcriptFile } from '../../src/sources/claude-transcript.ts';
import { claude, text } from '../costs/lines.ts';
import { cpuMs, namesOf, pause, residentMb, withTown, type BenchTown } from './town.ts';
import { figure, type Figure } from './figure.ts';

const SESSIONS = 100;
/** Each agent writes a line of its transcript so often, and begins or ends a turn every sixth time. */
const LINE_MS = 5_000;
const LINES_PER_TURN = 6;
const SETTLED_MS = 90_000;
const MEASURED_MS = 120_000;

interface Agent {
  readonly pid: number;
  readonly id: string;
  readonly transcript: string;
  lines: number;
}

/** As Claude Code 2.1 writes it. */
function writeState(config: string, { pid, id, lines }: Agent, cwd: string): void {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const status = Math.floor(lines / LINES_PER_TURN) % 2 === 0 ? 'busy' : 'idle';
  const now = Date.now();
  const session = {
    pid,
    sessionId: id,
    cwd,
    procStart,
    version: '2.1.330',
    kind: 'interactive',
    status,
    statusUpdatedAt: now,
  };
  writeFileSync(join(config, 'sessions', `${pid}.json`), JSON.stringify(session));
}

function step(config: string, agent: Agent, cwd: string): void {
  agent.lines += 1;
  const words = claude({
    id: `msg_${agent.id}_${agent.lines}`,
    at: Date.now(),
    usage: [12, 900, 40_000, 350],
    part: text(`Step ${agent.lines}: ${'looked at a file, and changed it. '.repeat(20)}`),
  });
  appendFileSync(agent.transcript, `${words}\n`);
  if (agent.lines % LINES_PER_TURN === 0) writeState(config, agent, cwd);
}

/** Agents of the town, each with a conversation. */
async function agentsOn(town: BenchTown, config: string): Promise<Agent[]> {
  const agents: Agent[] = [];
  const command = ['env', `CLAUDE_CONFIG_DIR=${config}`, 'bash', '-c', 'exec -a claude sleep 1000000'];
  mkdirSync(join(config, 'sessions'), { recursive: true });
  await town.start(namesOf('worker', SESSIONS), { command, dir: town.root }, (_, pid) => {
    const id = randomUUID();
    const transcript = transcriptFile({ config, cwd: town.root, id });
    mkdirSync(dirname(transcript), { recursive: true });
    agents.push({ pid, id, transcript, lines: 0 });
  });
  return agents;
}

/** The process of the channels. */
const channelsOf = (pid: number): number | undefined =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((one) => {
      try {
        const [, , , parent] = readFileSync(`/proc/${one}/stat`, 'utf8')
          .replace(/\(.*\)/, 'x')
          .split(' ');
        return Number(parent) === pid && readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('channels');
      } catch {
        return false;
      }
    });

export async function measureEars(): Promise<Figure[]> {
  const phone = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  phone.listen(0, '127.0.0.1');
  await once(phone, 'listening');
  const { port } = phone.address() as AddressInfo;
  const config = `[tickle]\nenabled = true\n[ntfy]\nurl = "http://127.0.0.1:${port}"\ntopic = "town"\n`;
  try {
    return await withTown(config, async (town) => {
      town.town(['up']);
      const home = join(town.root, 'config');
      const agents = await agentsOn(town, home);
      for (const agent of agents) writeState(home, agent, town.root);
      let turn = 0;
      const writes = setInterval(() => {
        // Spread over the interval, as real agents are.
        for (const [n, agent] of agents.entries()) if (n % 50 === turn % 50) step(home, agent, town.root);
        turn += 1;
      }, LINE_MS / 50);
      await pause(SETTLED_MS);
      const { pid } = await town.statusWhen(({ ready }) => ready);
      const before = cpuMs(pid);
      await pause(MEASURED_MS);
      const share = ((cpuMs(pid) - before) / MEASURED_MS) * 100;
      const channels = channelsOf(pid);
      const figures = [
        figure(`town's memory at ${SESSIONS} agents that work, with everything on`, residentMb(pid), 110, 'MB'),
        figure("town's share of a core there", share, 0.4, '%'),
        ...(channels === undefined ? [] : [figure("the channels' memory", residentMb(channels), 90, 'MB')]),
      ];
      clearInterval(writes);
      return figures;
    });
  } finally {
    phone.close();
    phone.closeAllConnections();
  }
}
