/**
 * What the town knows of a piece of work: on which branches it was begun, and what was handed to the refinery.
 * patrols/work/<rig>.<bead>.json; of a polecat without work, by its name. A bead's own fields are text that its holder may change. Each
 * change holds the rig's lock.
 */
import { z } from 'zod';
import { RIGS } from '../../machines/rigs/policy.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';
import { ifUnread, readStrictly } from '../files/strict-read.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const word = z.string().min(1).max(256);

const began = {
  branch: word,
  /** The commit that its own work began with. */
  base: commit,
  /** The commit of main that it holds; null = unknown. */
  main: commit.nullable(),
};
const attempt = z.strictObject({
  ...began,
  polecat: word,
  uuid: word,
  /** What was saved of it, and of those before that it went on with: the next attempt begins with it. */
  start: z.strictObject({ ...began, commit }).nullable(),
  at: wall,
});
const handover = z.strictObject({
  polecat: word,
  uuid: word,
  branch: word,
  commit: word.nullable(),
  /** The commit of main that it holds. */
  main: word.nullable().default(null),
  at: wall,
});
const work = z.strictObject({
  rig: word,
  of: word,
  /** An attempt twice where something was saved of it. The newest is last, here and below. */
  begun: z.array(attempt),
  /** One of each polecat's life. */
  handed: z.array(handover),
});
export type Work = Readonly<z.infer<typeof work>>;
export type Attempt = Work['begun'][number];
export type WorkBranch = Omit<Attempt, 'at'>;
export type Handover = Work['handed'][number];
export type LastBranch = WorkBranch & {
  /** What was handed over of it, and what the next attempt may go on with; absent = nothing was, or more was saved since. */
  readonly handed?: NonNullable<Attempt['start']>;
  /** The commit that was handed over of it before more was saved. */
  readonly outdated?: string;
};
type Named = Pick<Work, 'rig' | 'of'>;

const idOf = ({ rig, of }: Named): string => `${rig}.${of}`;
const WORK = recordsIn<Work>(FOLDERS.work, 'work', { shape: work, idOf });

/** Nothing where there is no record. Rejects with `NotReadable` where one stands there that does not count. */
export async function workOn(disk: Pick<Disk, 'read'>, { rig, of }: Named): Promise<Work> {
  const found = await readStrictly(disk, WORK.place(idOf({ rig, of })), WORK);
  return found ?? { rig, of, begun: [], handed: [] };
}

/** Those of these pieces of work that have a record. */
export async function recordedOf(disk: Pick<Disk, 'list'>, rig: string, of: readonly string[]): Promise<string[]> {
  const names = new Set(await disk.list(FOLDERS.work));
  return of.filter((one) => names.has(WORK.place(idOf({ rig, of: one })).slice(FOLDERS.work.length + 1)));
}

/** The work for which a branch of this name was begun last in a rig; null = none on record. What cannot be read counts as none. */
export async function beganLast(
  disk: Pick<Disk, 'list' | 'read'>,
  rig: string,
  branch: string,
): Promise<string | null> {
  let last: { readonly of: string; readonly at: number } | null = null;
  for (const name of await disk.list(FOLDERS.work)) {
    if (!name.startsWith(`${rig}.`)) continue;
    const found = await ifUnread(readStrictly(disk, `${FOLDERS.work}/${name}`, WORK), () => null);
    if (found?.rig !== rig) continue;
    for (const one of [...found.begun, ...found.handed])
      if (one.branch === branch && (last === null || one.at >= last.at)) last = { of: found.of, at: one.at };
  }
  return last?.of ?? null;
}

/** The last handover of work that was not begun again since; null = there is none. */
export function handedLast({ begun, handed }: Pick<Work, 'begun' | 'handed'>): Handover | null {
  const [attempt, last] = [begun.at(-1), handed.at(-1)];
  return last === undefined || (attempt !== undefined && attempt.uuid !== last.uuid) ? null : last;
}

/** The last attempt, with what the next one may go on with; null = it was never begun. */
export function lastBegun({ begun, handed }: Work): LastBranch | null {
  const last = begun.at(-1);
  if (last === undefined) return null;
  const over = handedLast({ begun, handed });
  const own = attempt.shape.start.safeParse(
    over && { branch: over.branch, base: last.base, main: over.main, commit: over.commit },
  );
  if (over === null || !own.success || own.data === null) return last;
  return isOutdated(begun, over) ? { ...last, outdated: own.data.commit } : { ...last, handed: own.data };
}

/** More was saved since, or another branch was seen. A refused merge only names the branch that was handed over. */
function isOutdated(begun: Work['begun'], { uuid, at, branch }: Handover): boolean {
  const own = begun.filter((one) => one.uuid === uuid);
  const [last, then] = [own.at(-1), own.findLast((one) => one.at <= at) ?? own[0]];
  return last !== then && (last?.branch !== branch || last.start?.commit !== then?.start?.commit);
}

const keyOf = ({ uuid, branch, start }: Attempt): string => [uuid, branch, start?.commit ?? 'begun'].join(' ');
/** What was begun is there once, where it was first; what was handed over is there as it was last. */
const added = (before: Work, { begun, handed }: Partial<Work>): Work => {
  const keys = new Set(before.begun.map(keyOf));
  const lives = new Set(handed?.map(({ uuid }) => uuid));
  return {
    ...before,
    begun: [...before.begun, ...(begun ?? []).filter((one) => !keys.has(keyOf(one)))].slice(-RIGS.maxKept),
    handed: [...before.handed.filter(({ uuid }) => !lives.has(uuid)), ...(handed ?? [])].slice(-RIGS.maxKept),
  };
};

async function save(disk: Disk, one: Work): Promise<void> {
  await disk.mkdir(FOLDERS.work);
  await writeFiles(disk, [WORK.fileOf(one)]);
}

/** Durable when it resolves. */
export const keepWork = async (disk: Disk, of: Named, more: Partial<Pick<Work, 'begun' | 'handed'>>): Promise<void> =>
  save(disk, added(await workOn(disk, of), more));

/** Entries of an older town, from the oldest on; what is none is left out. What is on record by now is newer. */
export async function takeOlderWork(
  disk: Disk,
  { rig, of }: Named,
  what: 'begun' | 'handed',
  older: readonly unknown[],
): Promise<void> {
  const none: Work = { rig, of, begun: [], handed: [] };
  const read = older.flatMap((one) => {
    const parsed = work.safeParse({ ...none, [what]: [one] });
    return parsed.success ? [parsed.data] : [];
  });
  if (read.length > 0) await save(disk, [...read, await workOn(disk, none)].reduce(added, none));
}
