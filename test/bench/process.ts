/** Start, status, stop, memory and idle cost with 100 sessions. */
import { benchTown, childFaults, childrenOf, cpuMs, median, pause, residentMb, type BenchTown } from './town.ts';
import { figure, type Figure } from './figure.ts';

const SESSIONS = 100;
const QUIET_MS = 60_000;
const ROUNDS = 5;

export async function measureProcess(): Promise<Figure[]> {
  const town = benchTown('');
  try {
    town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000000'); // the server's own start is not ours
    const ready: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      ready.push(town.town(['up']).ms);
      if (round < ROUNDS - 1) town.town(['down']);
    }
    const status = statuses(town);
    const client = await town.client();
    for (let n = 0; n < SESSIONS; n += 1) {
      const spec = {
        name: `gt-${n}`,
        command: ['sleep', '1000000'],
        dir: '/',
        tags: [],
        restart: 'transient',
      } as const;
      const reply = await client.request({ verb: 'startSession', spec: { ...spec, process: null } });
      if (!reply.ok) throw new Error(reply.text);
    }
    client.close();
    const { pid, guard_pid: guard } = await town.statusWhen((s) => s.guard_pid !== null);
    const server = Number(town.tmux('display-message', '-p', '#{pid}'));
    await pause(5_000);
    const [before, tmuxBefore] = [cpuMs(pid), cpuMs(server)];
    const [faults, children] = [childFaults(pid), childrenOf(pid)];
    await pause(QUIET_MS);
    const share = ((cpuMs(pid) - before) / QUIET_MS) * 100;
    const tmuxShare = ((cpuMs(server) - tmuxBefore) / QUIET_MS) * 100;
    const forks = childFaults(pid) - faults + (childrenOf(pid) === children ? 0 : 1);
    const [rss, guardRss] = [residentMb(pid), residentMb(guard ?? NaN)];
    const newGuard = await guardBack(town, guard ?? NaN);
    const busyStatus = statuses(town);
    town.town(['down']);
    const busyReady = town.town(['up']).ms;
    const down = town.town(['down']).ms;
    return [
      figure('ready after `town up`', median(ready), 700, 'ms'),
      figure(`… with ${SESSIONS} sessions`, busyReady, 700, 'ms'),
      figure('`town status`, built', median(status), 150, 'ms'),
      figure(`… with ${SESSIONS} sessions`, median(busyStatus), 150, 'ms'),
      figure(`\`town down\` with ${SESSIONS} sessions`, down, 5_000, 'ms'),
      figure(`town's memory at ${SESSIONS} sessions`, rss, 95, 'MB'),
      figure("guard's memory", guardRss, 50, 'MB'),
      figure(`town's share of a core at ${SESSIONS} quiet sessions`, share, 0.3, '%'),
      figure(`tmux server's share of a core there`, tmuxShare, 0.3, '%'),
      figure(`programs started by its scans in ${QUIET_MS / 1_000} s (page faults of them)`, forks, 0, 'faults'),
      figure('new guard after a kill -9 of the guard', newGuard, 3_000, 'ms'),
    ];
  } finally {
    town.close();
  }
}

const statuses = (town: BenchTown): number[] => Array.from({ length: 2 * ROUNDS }, () => town.town(['status']).ms);

/** Kills the guard; resolves with how long it took until the town named another. */
async function guardBack(town: BenchTown, guard: number): Promise<number> {
  const at = performance.now();
  process.kill(guard, 'SIGKILL');
  await town.statusWhen(({ guard_pid: now }) => now !== null && now !== guard);
  return performance.now() - at;
}
