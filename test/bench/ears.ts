/**
 * Memory and share of a core with everything on: 100 agents that stand for Claude Code and work, their costs, Tickle, the worker
 * monitor and a channel. The bench itself writes what the agents would write; a process that sleeps costs nothing.
 */
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { workerOf, type Worker } from './claude-worker.ts';
import { cpuMs, namesOf, pause, residentMb, withTown, type BenchTown } from './town.ts';
import { figure, type Figure } from './figure.ts';

const SESSIONS = 100;
/** Each agent writes a line of its transcript so often. */
const LINE_MS = 5_000;
const SETTLED_MS = 90_000;
const MEASURED_MS = 120_000;

/** Agents of the town, each with a conversation. */
async function agentsOn(town: BenchTown, config: string): Promise<Worker[]> {
  const agents: Worker[] = [];
  const command = ['env', `CLAUDE_CONFIG_DIR=${config}`, 'bash', '-c', 'exec -a claude sleep 1000000'];
  mkdirSync(join(config, 'sessions'), { recursive: true });
  await town.start(namesOf('worker', SESSIONS), { command, dir: town.root }, (_, pid) => {
    agents.push(workerOf(config, pid, town.root));
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
      let turn = 0;
      const writes = setInterval(() => {
        // Spread over the interval, as real agents are.
        for (const [n, agent] of agents.entries()) if (n % 50 === turn % 50) agent.stepByTurns();
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
