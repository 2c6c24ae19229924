/** Keys that only a real program shows: limits of tmux, git and notices, and the starting and ending of a town. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../../../src/config/settings.ts';
import { guardOrders } from '../../../src/guard/launch.ts';
import { patienceOf } from '../../../src/guard/patience.ts';
import { stopTown } from '../../../src/guard/stop.ts';
import { notifyPerson } from '../../../src/alerts/command.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { gitAt } from '../../../src/git/git.ts';
import { ControlTmux } from '../../../src/tmux/client.ts';
import { openWindow } from '../../../src/town/observability.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { runningOf } from '../../../state/process/pid-files.ts';
import { fakeHost } from './host.ts';
import { probe, type Probes } from './probe.ts';
import { triageLive } from './triage.ts';
import { tempFolder } from '../../world/over.ts';

/** How a promise ends, by name. */
const ending = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error as Error).name,
  );
/** Longer than the limit of 100 ms, shorter than every default. */
const NAP = 'sleep 0.5';
const processes = createProcesses();

function sleepyTmux({ hands }: Settings): Promise<string> {
  const folder = tempFolder('decides');
  const binary = join(folder, 'tmux');
  writeFileSync(binary, `#!/bin/sh\n${NAP}\n`, { mode: 0o700 });
  const tmux = new ControlTmux({ socketPath: join(folder, 's'), policy: hands, processes, binary });
  return ending(tmux.call(['list-sessions']));
}

function sleepyGit({ hands }: Settings): Promise<string> {
  const { signal } = new AbortController();
  const git = gitAt({ top: tempFolder('decides'), policy: hands, signal, config: [['alias.nap', `!${NAP}`]] });
  return ending(git.run(['nap']));
}

const notice = { schema: 'notice/1', kind: 'alert', text: 'a test', at: '2026-01-02T00:00:00.000Z' } as const;

/** Who is told when the guard has an alarm. */
async function toldBy(settings: Settings): Promise<unknown> {
  const { notify, policy } = guardOrders(settings, ['town'], null);
  if (notify === null) return 'no command';
  const mark = join(tempFolder('decides'), 'told');
  await notifyPerson({ command: [...notify, mark], limitMs: policy.notifyMs }, notice);
  return existsSync(mark) ? 'who the command tells' : 'no command';
}

/** A town process that takes a moment to end, told to: whether it has to be ended by force. */
async function stopping(settings: Settings): Promise<boolean> {
  const root = tempFolder('decides');
  const script = `trap '${NAP}; exit' TERM; echo ready; while :; do sleep 0.1; done`;
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  try {
    await once(child.stdout, 'data');
    const proc = processes.proc(child.pid ?? 0);
    if (proc === null) throw new Error('the process to stop is gone');
    const running = runningOf(realDisk(root, 0), settings.state.maxRecordBytes);
    await running.putTown({
      ...proc,
      epoch: 1,
      version: '0',
      root: null,
      socket: join(root, 's'),
      ports: { inspect: null },
    });
    const { forced } = await stopTown({ ...settings, root });
    return forced.length > 0;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Whether `up` gives up half a second after the first town fell. */
function fallen({ process: limits }: Settings): boolean {
  let now = 0;
  const patience = patienceOf(limits, { now: () => now });
  patience.isOver(7);
  now = 500;
  return patience.isOver(undefined);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

export const live: Probes = {
  ...triageLive,
  'hands.tmux_answer': probe('100ms', sleepyTmux),
  'hands.git': probe('100ms', sleepyGit),
  'notify.command': probe('touch "$0"', toldBy),
  'process.notify': probe('100ms', (settings) =>
    notifyPerson({ command: NAP.split(' '), limitMs: guardOrders(settings, ['town'], null).policy.notifyMs }, notice),
  ),
  'process.down': probe('100ms', stopping),
  'process.ready': probe('100ms', fallen),
  'dashboard.port': probe(freePort, async (settings) => {
    const window = await openWindow(settings, fakeHost(), true);
    await window.close();
    return window.port === settings.inspect.port;
  }),
};
