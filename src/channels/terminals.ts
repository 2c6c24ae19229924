/**
 * Writes to the terminals of the people who are attached to the town's tmux: tmux itself passes on no OSC 9, and a bell only of a pane.
 * 1. A terminal is written to only while it is the controlling terminal of the very client that tmux names, and our own user's.
 * 2. No write waits: a terminal that takes nothing now (a hung ssh, Ctrl-S) gets nothing.
 * 3. About one write in twenty comes in the middle of a sequence of tmux's own, which breaks the screen: tmux draws it anew afterwards.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { times } from '../../machines/kernel/span.ts';
import { textOf } from '../../state/files/disk.ts';
import type { Tmux } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { clean } from '../terminal/print.ts';
import { Undelivered } from './port.ts';

export interface Terminals {
  readonly tmux: Pick<Tmux, 'query'>;
  readonly processes: Pick<ProcessTable, 'proc' | 'ttyOf' | 'variableOf'>;
}

const { O_WRONLY, O_NOCTTY, O_NONBLOCK, O_NOFOLLOW } = constants;
/** Those of programs, as the town's own, are no terminals. */
const CLIENTS = 'client #{client_control_mode} #{client_pid} #{client_tty}';
const ROW = /^client 0 (\d+) (\/dev\/\S+)$/;

export const BELL = '\u0007';
/** A notification, as iTerm2, kitty, WezTerm, Ghostty and Windows Terminal show it; others pass it over. */
export const osc9 = (text: string): string => `\u001b]9;${clean(text)}\u0007`;

/** In how many, as words. Rejects with `Undelivered` where it is none. `isBySsh`: only those of people who came by ssh. */
export async function writeToTerminals(
  { tmux, processes }: Terminals,
  bytes: string,
  { isBySsh }: { readonly isBySsh: boolean },
): Promise<string> {
  const rows = await tmux.query(['list-clients', '-F', CLIENTS]);
  const clients = rows.flatMap((row) => {
    const [, pid, path] = ROW.exec(row) ?? [];
    return path === undefined ? [] : [{ pid: Number(pid), path }];
  });
  const meant = isBySsh ? clients.filter(({ pid }) => cameBySsh(processes, pid)) : clients;
  if (meant.length === 0) throw new Undelivered('no terminal is attached to the tmux of the town', { isWaiting: true });
  const tried = meant.map(({ pid, path }) => ({ path, fault: faultOf(() => write(processes, { pid, path }, bytes)) }));
  const took = tried.filter(({ fault }) => fault === null);
  if (took.length === 0) throw new Undelivered(tried[0]?.fault ?? '');
  await Promise.all(took.map(({ path }) => tmux.query(['refresh-client', '-t', path]).catch(() => [])));
  return times(took.length, 'terminal');
}

function cameBySsh(processes: Terminals['processes'], pid: number): boolean {
  const proc = processes.proc(pid);
  return proc !== null && processes.variableOf(proc, 'SSH_CONNECTION') !== null;
}

function write(
  processes: Terminals['processes'],
  { pid, path }: { readonly pid: number; readonly path: string },
  bytes: string,
): void {
  const file = openSync(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const { uid } = fstatSync(file);
    // Asked once it is open: from here on no other terminal can take its name.
    if (uid !== process.getuid?.() || processes.ttyOf(pid) !== path)
      throw new Error(`${path} is not the terminal of the client that tmux names`);
    writeSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

function faultOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return textOf(error);
  }
}
