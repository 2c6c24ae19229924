/**
 * Processes of macOS, told by `ps` and `lsof`.
 * 1. `lstart` has a resolution of one second, so `started` = `<second>/<hash of the command>@<boot session>`; the same
 *    second with another command may be an exec or a reused pid: unknown, never "gone".
 * 2. Lists carry numbers only: a command's name may hold line breaks. Names are asked for one pid at a time.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Proc } from '../../machines/protocol.ts';
import { ProcessUnknown, isGone, type Command, type Row, type Source } from './source.ts';

/** Runs a program; `null` = it ran and exited 1 with no output, which is how `ps -p` says "no such process". */
export type Run = (program: string, args: readonly string[]) => string | null;

const COLUMNS = 'pid=,ppid=,pgid=,tty=,state=,time=,rss=,lstart=';
const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+([\d:.-]+)\s+(\d+)\s+(\S.*\S)\s*$/;
/** Bytes: a line of `ps` for each process of a machine. */
const MAX_OUTPUT = 100_000_000;
/** `rss` counts in these. */
const KILOBYTE = 1_024;

export function macosSource(run: Run = runProgram): Source {
  const boot = (run('sysctl', ['-n', 'kern.bootsessionuuid']) ?? '').trim();
  if (boot === '')
    throw new ProcessUnknown(
      'sysctl kern.bootsessionuuid gives nothing; Townwatch cannot recognise a process after a restart',
    );
  const proc = (row: Row): Proc => ({ pid: row.pid, started: `${row.start}/${hash(run, row.pid)}@${boot}` });
  return {
    row: (pid) => (pid < 1 ? null : (parseRows(run('ps', ['-o', COLUMNS, '-p', String(pid)]) ?? '')[0] ?? null)),
    rows: () => Promise.resolve(parseRows(run('ps', ['-A', '-o', COLUMNS]) ?? '')),
    proc,
    same: (row, wanted) => {
      const [second, rest] = wanted.started.split('/');
      if (row.pid !== wanted.pid || row.start !== second || !rest?.endsWith(`@${boot}`)) return false;
      if (proc(row).started === wanted.started) return true;
      throw new ProcessUnknown(
        `pid ${row.pid} began in the recorded second but runs another command; it may be another process`,
      );
    },
    // Only orphans are asked: one fork a process, and the rest are found as descendants.
    marked: (row, entry) => row.ppid === 1 && environment(run, row.pid).includes(` ${entry} `),
    valueOf: (row, name) => new RegExp(` ${name}=(\\S*) `).exec(environment(run, row.pid))?.[1] ?? null,
    tmuxOf: (row) => {
      const pid = / TMUX=[^=]*,(\d+),\d+ /.exec(environment(run, row.pid))?.[1];
      return pid === undefined ? null : Number(pid);
    },
    isTmuxServer: (row) => basename(commandName(run, row.pid) ?? '') === 'tmux',
    terminal,
    terminalPath: (tty) => `/dev/${tty}`,
    command: (pid) => command(run, pid),
    cwd: (pid) => /^n(.*)$/m.exec(run('lsof', ['-a', '-d', 'cwd', '-Fn', '-p', String(pid)]) ?? '')?.[1] ?? null,
  };
}

/** Lines that are no row are an error: a row left out would look like a process that is gone. */
export function parseRows(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, pid, ppid, pgid, tty, state, time, rss, lstart] = ROW.exec(line) ?? [];
    const second = Date.parse(`${lstart} UTC`) / 1000;
    if (pid === undefined || tty === undefined || state === undefined || time === undefined || Number.isNaN(second))
      throw new ProcessUnknown(`ps printed a line that cannot be read: ${JSON.stringify(line.slice(0, 80))}`);
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: 0,
      tty: tty.startsWith('?') || tty === '-' ? null : tty,
      zombie: state.startsWith('Z'),
      cannotRun: state.startsWith('T') ? 'stopped' : state.startsWith('U') ? 'disk' : null,
      cpuMs: cpuMs(time),
      residentBytes: Number(rss) * KILOBYTE,
      start: String(second),
    };
  });
}

/** `[days-][hours:]minutes:seconds[.hundredths]` in ms. */
function cpuMs(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1000);
}

function terminal(path: string): string | null {
  try {
    return statSync(path).isCharacterDevice() ? path.replace(/^\/dev\//, '') : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw new ProcessUnknown(`the terminal ${JSON.stringify(path)} could not be looked at`, { cause: error });
  }
}

/** Its words and then the entries of its environment, each between blanks. */
const environment = (run: Run, pid: number): string =>
  ` ${run('ps', ['-wwE', '-o', 'command=', '-p', String(pid)]) ?? ''} `;

function commandName(run: Run, pid: number): string | null {
  return run('ps', ['-o', 'comm=', '-p', String(pid)])?.replace(/\n$/, '') ?? null;
}

function hash(run: Run, pid: number): string {
  return process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(commandName(run, pid) ?? '')
    .digest('hex')
    .slice(0, 16);
}

/** `ps` joins the arguments with blanks, so `argv` is split at blanks and is only good for looking at. */
function command(run: Run, pid: number): Command | null {
  const path = commandName(run, pid);
  if (path === null) return null;
  const argv = (run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]) ?? '').trim().split(/\s+/);
  return { comm: basename(path), argv, exe: path.startsWith('/') ? path : null };
}

function runProgram(program: string, args: readonly string[]): string | null {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
  const { status, signal, error, stdout } = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  if (status === 1 && stdout === '') return null;
  if (status !== 0)
    throw new ProcessUnknown(
      `${program} did not answer: ${error?.message ?? `it ended with ${String(signal ?? status)}`}`,
    );
  return stdout;
}
