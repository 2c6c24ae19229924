/** Start, status, stop, memory and idle cost with 100 sessions that were started all at once, and a watch of 300. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { besideNode, childFaults, childrenOf, cpuMs, pause, residentMb, withTown } from './town.ts';
import type { BenchTown, Paired } from './town.ts';
import { specOf } from '../world/records.ts';
import { figure, scaled, type Figure } from './figure.ts';

const SESSIONS = 100;
/** At once over one connection; it would hang up at more than 32. */
const CALLS = 25;
const QUIET_MS = 60_000;
/** V8 tidies the heap once after so many starts; that is part of the starts. */
const SETTLED_MS = 20_000;
const ROUNDS = 7;
const WATCHED = 300;
const AT_ONCE = '[sessions]\nstagger = "0s"\nmax_starting = 50\n';

export const measureProcess = (): Promise<Figure[]> =>
  withTown(AT_ONCE, async (town) => {
    town.tmux('new-session', '-d', '-s', 'mine', 'sleep', '1000000'); // the server's own start is not ours
    const ready = besideNode(ROUNDS, (round) => {
      if (round > 0) town.town(['down']);
      return town.town(['up']).ms;
    });
    const status = statuses(town);
    await Promise.all(Array.from({ length: SESSIONS / CALLS }, (_, n) => startSome(town, n * CALLS)));
    const { pid, guard_pid: guard } = await town.statusWhen((s) => s.guard_pid !== null);
    const server = Number(town.tmux('display-message', '-p', '#{pid}'));
    await pause(SETTLED_MS);
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
    const busyReady = besideNode(1, () => town.town(['up']).ms);
    const down = town.town(['down']).ms;
    return [
      scaled('ready after `town up`', ready, 1_000),
      scaled(`… with ${SESSIONS} sessions`, busyReady, 1_000),
      scaled('`town status`, built', status, 120),
      scaled(`… with ${SESSIONS} sessions`, busyStatus, 120),
      figure(`\`town down\` with ${SESSIONS} sessions`, down, 5_000, 'ms'),
      figure(`town's memory at ${SESSIONS} sessions, started at once`, rss, 95, 'MB'),
      // Some 40 MB of it are pages of Node's file, which the town holds too.
      figure("guard's memory", guardRss, 53, 'MB'),
      figure(`town's share of a core at ${SESSIONS} quiet sessions`, share, 0.3, '%'),
      figure(`tmux server's share of a core there`, tmuxShare, 0.3, '%'),
      figure(`programs started by its scans in ${QUIET_MS / 1_000} s (page faults of them)`, forks, 0, 'faults'),
      figure('new guard after a kill -9 of the guard', newGuard, 3_000, 'ms'),
    ];
  });

/** `town watch --once` beside so many panes of a person's own that look like agents. */
export const measureWatch = (): Promise<Figure[]> =>
  withTown('', async (town) => {
    const agent = join(town.root, 'claude');
    copyFileSync('/bin/bash', agent);
    const line = `"${agent} -c 'while :; do read -t 100000 x; done'"`;
    const config = join(town.root, 'watched.conf');
    const names = Array.from({ length: WATCHED }, (_, n) => `new-session -d -s w${n} -x 80 -y 24 ${line}\n`);
    writeFileSync(config, names.join(''));
    town.tmux('-f', '/dev/null', 'start-server', ';', 'source-file', config);
    await pause(5_000);
    const watch = besideNode(ROUNDS, () => {
      const { ms, stdout } = town.town(['watch', '--once']);
      const seen = stdout.match(/^w\d+ /gm)?.length ?? 0;
      if (seen !== WATCHED) throw new Error(`watch saw ${seen} of ${WATCHED} agents`);
      return ms;
    });
    return [scaled(`\`town watch --once\` of ${WATCHED} sessions`, watch, 600)];
  });

/** `CALLS` sessions, from this number on, all at once. */
async function startSome(town: BenchTown, from: number): Promise<void> {
  const client = await town.client();
  const starts = Array.from({ length: CALLS }, (_, n) => {
    const spec = specOf(`gt-${from + n}`, { command: ['sleep', '1000000'], restart: 'transient' });
    return client.request({ verb: 'startSession', spec });
  });
  for (const reply of await Promise.all(starts)) if (!reply.ok) throw new Error(reply.text);
  client.close();
}

const statuses = (town: BenchTown): Paired => besideNode(3 * ROUNDS, () => town.town(['status']).ms);

/** Kills the guard; resolves with how long it took until the town named another. */
async function guardBack(town: BenchTown, guard: number): Promise<number> {
  const at = performance.now();
  process.kill(guard, 'SIGKILL');
  await town.statusWhen(({ guard_pid: now }) => now !== null && now !== guard);
  return performance.now() - at;
}
