/**
 * Processes of Linux, read from /proc.
 * 1. The command's name in `stat` may hold anything, so fields are counted from the last `)`.
 * 2. `started` = `<field 22>@<boot id>`: ticks since boot mean nothing without the boot.
 * 3. A missing /proc/<pid> is "gone" only if the kernel also denies the pid: `hidepid` hides living processes.
 */
import { lstatSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { Followed } from './followed.ts';
import { codeOf } from '../../state/files/disk.ts';
import { existsByKernel } from './exists.ts';
import { markOf } from './node.ts';
import { ProcessUnknown, isGone, type Command, type Row, type Source } from './source.ts';

/** The kernel reports CPU time to programs in 1/100 s on every machine that Node runs on. */
const MS_PER_TICK = 10;
const USUAL_PAGE_BYTES = 4_096;
/** What `rss` counts in. */
const PAGE_BYTES = pageBytes();
/** /proc is read in pieces of so many, so that a machine with thousands of processes does not hold up the town's loop. */
const PIECE = 100;
/** Of the files that this process may have open, so much is for processes that are followed: calls of tmux need some too. */
const PART = 4;
/** The soft limit of most systems; Node raises its own to the hard one. */
const FEWEST = 1_024;
/** Pseudo terminals are the majors 136 to 143, 256 of each. */
const PTS_MAJORS = { first: 136, last: 143, each: 256 };

/** The kernel has another one after each start of the machine. */
const bootOf = (root: string): string => readFileSync(`${root}/sys/kernel/random/boot_id`, 'utf8').trim();

export function linuxSource(root = '/proc', boot = bootOf(root)): Source {
  const since = `@${boot}`;
  const proc = (row: Row): Proc => ({ pid: row.pid, started: row.start + since });
  const same = ({ pid, start }: Row, wanted: Proc): boolean =>
    pid === wanted.pid &&
    wanted.started.length === start.length + since.length &&
    wanted.started.startsWith(start) &&
    wanted.started.endsWith(since);
  const is = (wanted: Proc): boolean => same(readStat(root, wanted.pid), wanted);
  return {
    row: (pid) => readRow(root, pid),
    rows: () => readRows(root),
    proc,
    same,
    marked: (row, entry) => environment(root, row.pid).includes(entry),
    valueOf: (row, name) => valueIn(environment(root, row.pid), name),
    tmuxOf: (row) => serverIn(environment(root, row.pid)),
    isTmuxServer: (row) => command(root, row.pid)?.comm.startsWith('tmux: server') ?? false,
    terminal,
    terminalPath,
    command: (pid) => command(root, pid),
    cwd: (pid) => link(`${root}/${pid}/cwd`),
    runningMark: (pid) => runningMark(`${root}/${pid}/exe`),
    followed: new Followed({ root, is, most: Math.floor(maxFiles(root) / PART) }),
  };
}

/** From the vector that the kernel gave this process at its start: pairs of a word of 64 bits each, the size of a page under 6. */
function pageBytes(): number {
  // Not told on another system, where nothing of this file is used.
  const vector = orNull(() => new BigUint64Array(new Uint8Array(readFileSync('/proc/self/auxv')).buffer)) ?? [];
  const at = vector.findIndex((word, n) => n % 2 === 0 && word === 6n);
  return Number(vector[at + 1] ?? USUAL_PAGE_BYTES);
}

/** How many files this process may have open; where that is not told, as few as any system gives. */
function maxFiles(root: string): number {
  const limits = orNull(() => readFileSync(`${root}/self/limits`, 'utf8')) ?? '';
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? FEWEST);
}

const CANNOT_RUN: Readonly<Record<string, Row['cannotRun']>> = { T: 'stopped', t: 'stopped', D: 'disk' };

/** One line of /proc/<pid>/stat. Throws on anything else. */
export function parseStat(text: string): Row {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  // proc(5) counts from 1 and `state`, the first after the name, is field 3.
  const fields = text.slice(close + 2).split(' ', 24 - 2);
  const number = (field: number): number => Number(fields[field - 3]);
  const row = {
    pid: Number(text.slice(0, open)),
    ppid: number(4),
    pgid: number(5),
    sid: number(6),
    tty: number(7) === 0 ? null : String(number(7) >>> 0),
    // A program whose first thread ended goes on in the others, and shows `Z` all that time.
    zombie: ['Z', 'X', 'x'].includes(fields[0] ?? '') && number(20) <= 1,
    cannotRun: CANNOT_RUN[fields[0] ?? ''] ?? null,
    cpuMs: (number(14) + number(15)) * MS_PER_TICK,
    residentBytes: number(24) * PAGE_BYTES,
    start: fields[22 - 3] ?? '',
  };
  if (open < 0 || close < 0 || !/^\d+$/.test(row.start) || !Number.isInteger(row.ppid))
    throw new ProcessUnknown(
      `/proc shows a process in a form that cannot be read: ${JSON.stringify(text.slice(0, 80))}`,
    );
  return row;
}

/** As UTF-8, for which Node has one call into the system instead of five: a town reads a thousand of these a minute. */
function readStat(root: string, pid: number | string): Row {
  return parseStat(readFileSync(`${root}/${pid}/stat`, 'utf8'));
}

function readRow(root: string, pid: number): Row | null {
  if (!Number.isInteger(pid) || pid < 1) return null;
  const read = (): Row | null => {
    try {
      return readStat(root, pid);
    } catch (error) {
      if (isGone(error)) return null;
      throw unknown(pid, error);
    }
  };
  // The second read settles a process that was born between the first and the question to the kernel.
  const row = read() ?? (exists(pid) ? read() : null);
  if (row === null && exists(pid))
    throw new ProcessUnknown(`process ${pid} lives but ${root} hides it; run the town where it may see the agents`);
  return row;
}

function exists(pid: number): boolean {
  try {
    return existsByKernel(pid);
  } catch (error) {
    throw unknown(pid, error);
  }
}

async function readRows(root: string): Promise<Row[]> {
  const pids = readdirSync(root).filter((name) => /^\d+$/.test(name));
  const rows: Row[] = [];
  for (const [at, pid] of pids.entries()) {
    if (at % PIECE === PIECE - 1) await breathe();
    try {
      rows.push(readStat(root, pid));
    } catch (error) {
      if (!isGone(error)) throw unknown(Number(pid), error);
    }
  }
  return rows;
}

function environment(root: string, pid: number): string[] {
  try {
    return readFileSync(`${root}/${pid}/environ`, 'utf8').split('\0');
  } catch (error) {
    // Another user's process, or one that forbids it: nothing proves it ours, so it is left alone.
    if (isGone(error) || ['EACCES', 'EPERM'].includes(codeOf(error))) return [];
    throw unknown(pid, error);
  }
}

function valueIn(entries: readonly string[], name: string): string | null {
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** From `TMUX=<socket>,<pid of the server>,<session>`. */
function serverIn(entries: readonly string[]): number | null {
  const pid = /,(\d+),\d+$/.exec(valueIn(entries, 'TMUX') ?? '')?.[1];
  return pid === undefined ? null : Number(pid);
}

function terminal(path: string): string | null {
  try {
    const seen = statSync(path);
    return seen.isCharacterDevice() ? String(seen.rdev) : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw new ProcessUnknown(`the terminal ${JSON.stringify(path)} could not be looked at (${codeOf(error)})`, {
      cause: error,
    });
  }
}

function terminalPath(tty: string): string | null {
  const device = Number(tty);
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  if (major < PTS_MAJORS.first || major > PTS_MAJORS.last) return null;
  const path = `/dev/pts/${(major - PTS_MAJORS.first) * PTS_MAJORS.each + minor}`;
  return terminal(path) === tty ? path : null;
}

function command(root: string, pid: number): Command | null {
  try {
    const comm = readFileSync(`${root}/${pid}/comm`, 'utf8').replace(/\n$/, '');
    const argv = readFileSync(`${root}/${pid}/cmdline`, 'utf8').replace(/\0$/, '').split('\0');
    return { comm, argv, exe: link(`${root}/${pid}/exe`)?.replace(/ \(deleted\)$/, '') ?? null };
  } catch (error) {
    if (isGone(error)) return null;
    throw unknown(pid, error);
  }
}

/** Where a link of /proc leads; null = gone, hidden, or (a kernel thread's) nowhere. */
function link(path: string): string | null {
  try {
    lstatSync(path);
    return readlinkSync(path);
  } catch (error) {
    if (isGone(error) || ['EACCES', 'EPERM'].includes(codeOf(error))) return null;
    throw new ProcessUnknown(`${path} could not be read (${codeOf(error)})`, { cause: error });
  }
}

/** The kernel resolves this link to the file itself, even if another file stands at its path now. */
function runningMark(exe: string): string | null {
  try {
    return markOf(exe);
  } catch (error) {
    if (isGone(error) || ['EACCES', 'EPERM'].includes(codeOf(error))) return null;
    throw new ProcessUnknown(`${exe} could not be looked at (${codeOf(error)})`, { cause: error });
  }
}

function unknown(pid: number, cause: unknown): ProcessUnknown {
  if (cause instanceof ProcessUnknown) return cause;
  return new ProcessUnknown(`process ${pid} could not be looked at (${codeOf(cause)}); nothing is concluded from it`, {
    cause,
  });
}
