/** [process], [health], [log], [town] and [tmux] where no program is needed: the guard's rules, the loop, the log's files. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Order, OutcomeBody } from '../../../machines/protocol.ts';
import { reportLength } from '../../../src/cli/story/since.ts';
import { checkUnprotected } from '../../../src/cli/naming/names.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { fall } from '../../../src/guard/backoff.ts';
import { HangWatch } from '../../../src/guard/hang.ts';
import { watchPrograms } from '../../../src/host/programs.ts';
import { createTownTmux, type TownTmux } from '../../../src/host/town-tmux.ts';
import { SocketHold } from '../../../src/tmux/socket-hold.ts';
import { openLog, type Logger } from '../../../src/ports/log.ts';
import { openWindow } from '../../../src/town/observability.ts';
import { FILES, FOLDERS } from '../../../state/files/layout.ts';
import { incarnation, warrant } from '../../world/drive.ts';
import { SIGHTS, TREE } from '../../hearings/lone.ts';
import { still } from '../../town/rig.ts';
import { fakeHost } from './host.ts';
import { loopUnder } from './loop.ts';
import { MINUTE, SECOND, probe, section, type Probes } from './probe.ts';
import { tempFolder } from '../../world/over.ts';

function door(settings: Settings): TownTmux {
  const host = fakeHost();
  const { root, tmux } = settings;
  const hold = new SocketHold({ socketPath: tmux.socket, root, self: host.self, processes: host.processes });
  return createTownTmux(settings, host, () => undefined, hold);
}

/** Seconds of silence after which the guard calls a town hung. */
function hangsAfter({ process: policy }: Settings): number | null {
  const watch = new HangWatch(policy);
  watch.heard(1, false);
  for (let second = 0; second < 1_000; second += 1) if (watch.woke(second * SECOND) === 'hangs') return second;
  return null;
}

/** Seconds of being stopped after which the guard tells it. */
function heldTold({ process: policy }: Settings): number | null {
  const watch = new HangWatch(policy);
  for (let second = 0; second < 1_000; second += 1) if (watch.woke(second * SECOND, true) === 'held') return second;
  return null;
}

const never = () => new Promise<OutcomeBody>(() => undefined);
/** A town that kills without a hearing, up to the rescue, which never ends. */
const rescuing = (order: Order, signal: AbortSignal): Promise<OutcomeBody> => {
  if (order.type === 'listTree') return Promise.resolve({ type: 'TREE_LISTED', tree: TREE });
  if (order.type === 'look') return Promise.resolve({ type: 'LOOKED', observation: SIGHTS.silent, tail: '' });
  return order.type === 'rescue' ? never() : still(order, signal);
};

/** How often the agents' programs are looked at within ten minutes. */
async function looksAtPrograms({ process: policy }: Settings): Promise<number> {
  const { clock } = fakeHost();
  const stop = new AbortController();
  let looks = 0;
  const row = {
    what: 'agent-program-missing' as const,
    look: async () => {
      looks += 1;
      return { why: null, renew: null };
    },
  };
  const needs = { found: new Map(), rows: [row], clock, everyMs: policy.agentProgramsEveryMs };
  const watching = watchPrograms(
    { ...needs, announce: () => undefined, log: () => undefined, renew: () => false },
    stop.signal,
  );
  await clock.pass(10 * MINUTE);
  stop.abort();
  await watching;
  return looks;
}

export const guarding: Probes = section('process', {
  progress_every: probe('100ms', (settings) =>
    loopUnder(settings, async ({ clock, progress }) => {
      await clock.pass(10 * SECOND);
      return progress.length;
    }),
  ),
  hang: probe('2m', hangsAfter),
  hang_wakeups: probe('100', hangsAfter),
  held: probe('1m', heldTold),
  restart: probe('10s', ({ process: policy }) => fall(0, 0, policy)),
  max_restart: probe('10s', ({ process: policy }) => fall(20, 0, policy)),
  stable: probe('1h', ({ process: policy }) => fall(3, 2 * MINUTE, policy)),
  max_falls: probe('2', ({ process: policy }) => fall(3, 0, policy)),
  rescue: probe('10s', (settings) =>
    loopUnder(settings, async (town) => {
      town.perform = rescuing;
      await town.news({ type: 'WARRANT_FILED', warrant: warrant('w1', incarnation(1), { force: true }) });
      await town.clock.pass(MINUTE / 2);
      return town.failures;
    }),
  ),
  order: probe('1s', (settings) =>
    loopUnder(settings, async (town) => {
      town.perform = never;
      await town.clock.pass(MINUTE / 2);
      return town.failures.length;
    }),
  ),
  agent_programs_every: probe('5m', looksAtPrograms),
});

export const health: Probes = section('health', {
  late_after: probe('10', async (settings) => {
    const host = fakeHost();
    const window = await openWindow(settings, host, false);
    await host.clock.pass(12 * SECOND);
    return window.health().well;
  }),
});

/** The folder of a log after `rounds` of writing, each followed by the look that rotates it. */
function logged({ log, process: policy }: Settings, rounds: number, write: (logger: Logger) => void): unknown {
  const root = tempFolder('log');
  mkdirSync(join(root, FOLDERS.daemon));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { logger, close } = openLog({ root, level: log.level, policy });
  try {
    for (let round = 0; round < rounds; round += 1) {
      write(logger);
      vi.advanceTimersByTime(policy.watchEveryMs);
    }
    const lines = readFileSync(join(root, FILES.daemonLog), 'utf8').split('\n').length;
    return { lines, files: readdirSync(join(root, FOLDERS.daemon)).sort() };
  } finally {
    close();
    vi.useRealTimers();
  }
}
const long = (logger: Logger) => logger.error('x'.repeat(2_000));

export const log: Probes = section('log', {
  level: probe('error', (settings) => logged(settings, 1, (logger) => logger.info('a test'))),
  max_bytes: probe('1024', (settings) => logged(settings, 1, long)),
  files: probe('2', (settings) => logged(settings, 8, long), ['log.max_bytes=1024']),
});

export const world: Probes = {
  'report.since': probe('2h', (settings) => reportLength(undefined, settings)),
  'town.protected': probe('gt-*', (settings) => {
    try {
      checkUnprotected('gt-nux', settings);
      return 'free';
    } catch (error) {
      return String(error);
    }
  }),
  'tmux.socket': probe('another', (settings) => door(settings).tmux.socketPath),
};
