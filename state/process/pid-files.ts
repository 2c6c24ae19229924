/**
 * Who runs this town: daemon.pid, guard.json and the latch `stopped`. Information for people, guard and starters; the
 * lock alone decides who may run. Light, since the guard imports it.
 * 1. Text that cannot be read as one of ours is no record; a plain number, as other daemons write it, is a foreign pid.
 * 2. A process takes back only what names itself.
 * 3. A folder in one of their places is put away before a file is written there.
 * 4. A record of another root, which a copied folder brought along, is no record.
 */
import type { Proc } from '../../machines/protocol.ts';
import { readIfReadable, type Disk, type Stat } from '../files/disk.ts';
import { FILES, FOLDERS } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { orNull } from '../files/or-null.ts';
import { isOfAnotherRoot } from './copied-root.ts';

/** The town process that holds, or held, the root. */
export interface TownPost extends Proc {
  readonly epoch: number;
  readonly version: string;
  /** Absolute; where its folder was when it started. null = an older town did not say. */
  readonly root: string | null;
  /** Absolute path of the control socket. */
  readonly socket: string;
  readonly ports: { readonly inspect: number | null };
}

export interface GuardPost extends Proc {
  /** Epoch of the town it guards; null = none runs. */
  readonly epoch: number | null;
  /** The town it guards; null = it waits for its next try. */
  readonly town: Proc | null;
  /** The town has to dial it. false = one of before, which asks the town instead, and ends it when it gets no answer. */
  readonly hears: boolean;
  /** Exits of the town in a row, without a stable spell. */
  readonly falls: number;
  /** How the town ended last, in words. */
  readonly lastExit: string | null;
  /** ISO time of the next try; null = the town runs. */
  readonly nextTryAt: string | null;
}

/** What daemon.pid says. */
export type TownSaid =
  | { readonly kind: 'town'; readonly town: TownPost }
  | { readonly kind: 'foreign'; readonly pid: number }
  | { readonly kind: 'nothing' };

export interface Running {
  town(): Promise<TownSaid>;
  guard(): Promise<GuardPost | null>;
  /** Why and when the town was stopped, as it stands in the latch; null = it was not. */
  stopped(): Promise<string | null>;
  putTown(post: TownPost): Promise<void>;
  putGuard(post: GuardPost): Promise<void>;
  /** Durable when it resolves: every starter checks it. */
  latch(text: string): Promise<void>;
  unlatch(): Promise<void>;
  /** Its end is in order: that is written before its record goes, so that neither a fall nor a removed file looks the same. */
  endTown(proc: Proc, end?: TownEnd): Promise<void>;
  /** How that process ended, if it was the last town that ended in order; else null. */
  endOf(proc: Proc): Promise<TownEnd | null>;
  dropGuard(proc: Proc): Promise<void>;
}

/** `renewed`: it was to begin anew. */
export type TownEnd = 'done' | 'renewed';

/** Moves what is no file of ours out of its place, and tells. */
export type PutAway = (path: string, there: Stat, why: string) => Promise<void>;

/** `maxBytes`: a larger file is none of ours. Without `putAway` a folder in the place of a file is refused. */
export function runningOf(disk: Disk, maxBytes: number, putAway?: PutAway): Running {
  const text = (path: string): Promise<string | null> => readIfReadable(disk, path, maxBytes);
  const makeRoom = async (path: string): Promise<void> => {
    const folder = await folderAt(disk, path);
    if (folder === null) return;
    await putAway?.(path, folder, 'it is a folder where a file goes');
    if ((await folderAt(disk, path)) !== null) throw new Error(`${path} is a folder where a file goes: move it away`);
  };
  const write = async (path: string, content: string): Promise<void> => {
    await disk.mkdir(FOLDERS.daemon);
    await makeRoom(path);
    await writeFiles(disk, [{ path, text: content }]);
  };
  const isCopied = (said: string | null): boolean => disk.root !== undefined && isOfAnotherRoot(disk.root, said);
  const town = async (): Promise<TownSaid> => {
    const said = townOf(await text(FILES.daemonPid));
    return said.kind === 'town' && isCopied(said.town.root) ? { kind: 'nothing' } : said;
  };
  const guard = async (): Promise<GuardPost | null> => {
    const said = await text(FILES.guard);
    const { root } = fieldsOf(said);
    return isCopied(typeof root === 'string' ? root : null) ? null : guardOf(said);
  };
  const drop = async (path: string): Promise<void> => {
    await disk.remove(path);
    await disk.syncDir(FOLDERS.daemon);
  };
  return {
    town,
    guard,
    stopped: async () => {
      if ((await disk.stat(FILES.stopped)) === null) return null;
      const said = (await text(FILES.stopped))?.trim() ?? '';
      return said === '' ? `${FILES.stopped} is there; \`town up\` takes it away` : said;
    },
    putTown: ({ pid, started, ...rest }) =>
      write(FILES.daemonPid, line({ schema: 'daemon/1', ...who({ pid, started }), ...rest })),
    putGuard: ({ pid, started, town: guarded, epoch, hears, falls, lastExit: last_exit, nextTryAt: next_try_at }) => {
      const more = { root: disk.root, epoch, town: guarded && who(guarded), hears, falls, last_exit, next_try_at };
      return write(FILES.guard, line({ schema: 'guard/1', ...who({ pid, started }), ...more }));
    },
    latch: (why) => write(FILES.stopped, `${why}\n`),
    unlatch: async () => {
      await makeRoom(FILES.stopped);
      await drop(FILES.stopped);
    },
    endTown: async (proc, end = 'done') => {
      // Where its folder is gone it is not made anew.
      if ((await disk.stat(FOLDERS.daemon)) === null) return;
      await write(FILES.ended, line(end === 'renewed' ? { renewed: who(proc) } : who(proc)));
      // The next town writes its own record over it.
      if (end === 'renewed') return;
      const said = await town();
      if (said.kind === 'town' && same(said.town, proc)) await drop(FILES.daemonPid);
    },
    endOf: async (proc) => endIn(await text(FILES.ended), proc),
    dropGuard: async (proc) => {
      const post = await guard();
      if (post !== null && same(post, proc)) await drop(FILES.guard);
    },
  };
}

async function folderAt(disk: Disk, path: string): Promise<Stat | null> {
  const stat = await disk.stat(path);
  return stat?.kind === 'folder' ? stat : null;
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** `started` in two fields, as other programs write it: start time and boot. */
export function who({ pid, started }: Proc): { pid: number; start_time: string; boot_id: string } {
  const cut = started.lastIndexOf('@');
  if (cut < 0) return { pid, start_time: started, boot_id: '' };
  return { pid, start_time: started.slice(0, cut), boot_id: started.slice(cut + 1) };
}

function same(one: Proc, other: Proc): boolean {
  return one.pid === other.pid && one.started === other.started;
}

/** An earlier guard takes no renewed town for one that stays down: it knows the plain shape alone. */
function endIn(text: string | null, proc: Proc): TownEnd | null {
  const said = fieldsOf(text);
  if (isOf(said, proc)) return 'done';
  return isOf(said['renewed'], proc) ? 'renewed' : null;
}

function isOf(fields: unknown, proc: Proc): boolean {
  const named = typeof fields === 'object' && fields !== null ? procOf(fields as Fields) : null;
  return named !== null && same(named, proc);
}

type Fields = Readonly<Record<string, unknown>>;

/** None if it is not JSON: another program's file, or a torn one; either way it names no process. */
function fieldsOf(text: string | null): Fields {
  const value = orNull((): unknown => JSON.parse(text ?? 'null'));
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function procOf(fields: Fields): Proc | null {
  const { pid, start_time: start, boot_id: boot } = fields;
  // A town may be process 1, of a container. Its time of start says which one; no signal is ever sent to a process 1.
  if (!isPid(pid) || typeof start !== 'string' || typeof boot !== 'string') return null;
  return { pid, started: boot === '' ? start : `${start}@${boot}` };
}

function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function townOf(text: string | null): TownSaid {
  const plain = Number(text?.trim() ?? '');
  if (isPid(plain) && plain > 1) return { kind: 'foreign', pid: plain };
  const fields = fieldsOf(text);
  const proc = procOf(fields);
  const { epoch, version, root, socket, ports } = fields;
  if (proc === null || typeof epoch !== 'number' || typeof socket !== 'string') return { kind: 'nothing' };
  const inspect = (ports as { inspect?: unknown } | undefined)?.inspect;
  return {
    kind: 'town',
    town: {
      ...proc,
      epoch,
      socket,
      version: typeof version === 'string' ? version : 'unknown',
      root: typeof root === 'string' ? root : null,
      ports: { inspect: typeof inspect === 'number' ? inspect : null },
    },
  };
}

function guardOf(text: string | null): GuardPost | null {
  const fields = fieldsOf(text);
  const proc = procOf(fields);
  if (proc === null) return null;
  const { epoch, town, hears, falls, last_exit: lastExit, next_try_at: nextTryAt } = fields;
  return {
    ...proc,
    epoch: typeof epoch === 'number' ? epoch : null,
    town: typeof town === 'object' && town !== null ? procOf(town as Fields) : null,
    hears: hears === true,
    falls: typeof falls === 'number' ? falls : 0,
    lastExit: typeof lastExit === 'string' ? lastExit : null,
    nextTryAt: typeof nextTryAt === 'string' ? nextTryAt : null,
  };
}
