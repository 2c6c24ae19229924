/** Real guards and towns for the tests of this folder, ended by their pids afterwards. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { CHANNEL_DEFAULTS, type ChannelSettings } from '../../src/channels/settings.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { HANDS, PROCESS, type ProcessPolicy } from '../../src/ports/policy.ts';
import { STATE } from '../../state/files/policy.ts';
import type { TownSettings } from '../../src/guard/launch.ts';
import { startTown, statusOf } from '../../src/guard/start.ts';
import { stopTown } from '../../src/guard/stop.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import type { StatusView } from '../../src/socket/protocol.ts';
import { tempFolder } from '../world/over.ts';

const processes = createProcesses();
const TOWN = fileURLToPath(new URL('./fake-town.ts', import.meta.url));

/** All that is awaited here comes; how soon is for the machine to say. */
export const WAIT = { timeout: 120_000, interval: 50 };

/** Short times for everything but `hangMs`, which stays long unless a test wants it short: machines are slow at times. */
const SCALED: Partial<ProcessPolicy> = {
  progressEveryMs: 100,
  watchEveryMs: 100,
  restartMs: 50,
  maxRestartMs: 200,
  readyMs: WAIT.timeout,
  callMs: 2_000,
};

export type Yard = ReturnType<typeof newYard>;

export function newYard(
  some: Partial<ProcessPolicy> = {},
  root = tempFolder('guard'),
  channels: ChannelSettings = CHANNEL_DEFAULTS,
) {
  mkdirSync(root, { recursive: true });
  const policy = { ...PROCESS, ...SCALED, ...some };
  const settings: TownSettings = {
    root,
    tmux: { socket: 'none' },
    notify: DEFAULTS.notify,
    channels,
    hands: HANDS,
    state: STATE,
    process: policy,
  };
  const command = [process.execPath, TOWN, JSON.stringify(settings), '--guarded'] as const;
  onTestFinished(async () => {
    await stopTown({ ...settings, process: { ...policy, downMs: PROCESS.downMs } });
  });
  const status = (): Promise<StatusView | null> => statusOf(settings);
  return {
    root,
    settings,
    command,
    status,
    up: () => startTown(settings, { command }),
    /** The status once it fulfils a wish. */
    statusWhen: (wish: (status: StatusView) => boolean): Promise<StatusView> =>
      vi.waitFor(async () => {
        const now = await status();
        if (now === null || !wish(now)) throw new Error(`not yet: ${JSON.stringify(now)}`);
        return now;
      }, WAIT),
    guardLog: () => readFileSync(join(root, 'daemon', 'guard.log'), 'utf8'),
  };
}

export function isAlive(pid: number): boolean {
  return processes.proc(pid) !== null;
}

export async function gone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAIT);
}
