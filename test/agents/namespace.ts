/**
 * A network namespace without a way out, held by one process in it. The bench started all that live there: `empty` ends
 * them all, and no other process.
 */
import { execa, execaSync } from 'execa';
import { closeSync, openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { minded } from './janitor.ts';
import { setTimeout as pause } from 'node:timers/promises';

const END_MS = 2_000;

export interface Inhabitant {
  readonly pid: number;
  readonly command: string;
}

export interface Namespace {
  /** Words of `nsenter` before a command that has to run in it. */
  readonly enter: readonly string[];
  /** Starts a program in it and waits for its end. What it prints. */
  run(...command: readonly string[]): string;
  inhabitants(): Inhabitant[];
  /** TERM, then KILL, until none is left. */
  empty(): Promise<void>;
}

const netOf = (pid: number | string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
};

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
};

/** `holder` runs in it as long as it is there, and prints something once it is ready. */
export async function openNamespace(holder: readonly string[], env: Record<string, string>): Promise<Namespace> {
  const bare = { env, extendEnv: false } as const;
  const inside = ['-n', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', ...holder];
  const held = execa('unshare', inside, { ...bare, reject: false });
  await new Promise<void>((ready, fail) => {
    held.stdout.once('data', () => ready());
    void held.then(({ stderr }) => fail(new Error(`the namespace ended at once: ${stderr}`)));
  });
  const pid = held.pid ?? 0;
  // Held open, so that no other namespace gets its number before the last process here is ended.
  const handle = openSync(`/proc/${pid}/ns/net`, 'r');
  const net = netOf(pid);
  if (net === null || net === netOf('self')) throw new Error('the model is in no namespace of its own');
  const isEmpty = minded(net);
  const inhabitants = () => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && netOf(name) === net);
    return pids.map((one) => ({ pid: Number(one), command: commandOf(Number(one)) }));
  };
  const all = (signal: NodeJS.Signals) => {
    for (const { pid: one } of inhabitants()) {
      try {
        process.kill(one, signal);
      } catch {
        continue; // It went by itself.
      }
    }
  };
  const enter = ['-t', String(pid), '-n'];
  return {
    enter,
    run: (...command) => execaSync('nsenter', [...enter, ...command], bare).stdout,
    inhabitants,
    empty: async () => {
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        all(signal);
        const end = Date.now() + END_MS;
        while (inhabitants().length > 0 && Date.now() < end) await pause(50);
      }
      await held;
      closeSync(handle);
      isEmpty();
    },
  };
}
