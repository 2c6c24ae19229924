/** Beads that can never become ready as they stand: they wait in a circle, for a bead that is not in the ledger, or for one that failed. */
import { clean } from '../terminal/print.ts';
import { blockersOf, type Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { FAILED } from './attempts.ts';
import { eachCalled, unknownOf } from './walk.ts';

export interface NeverReady {
  /** Each in order, so that every bead waits for the next one and the last for the first. */
  readonly circles: readonly (readonly string[])[];
  readonly unknown: readonly Waiting[];
  /** The other one used up its attempts: only a person gives it out again. */
  readonly failed: readonly Waiting[];
}
interface Waiting {
  readonly id: string;
  readonly on: string;
}

/** One sentence per circle and link, with what to type. */
export const neverReadyLines = ({ circles, unknown, failed }: NeverReady): string[] => [
  ...circles.map((ids) => {
    const [first = '', second = first] = ids;
    return `${ids.join(' waits for ')} waits for ${first}: none of them can begin. Type: town bead dep remove ${first} ${second}`;
  }),
  ...unknown.map(
    ({ id, on }) =>
      `${id} waits for ${clean(on)}, which is not in the ledger. Import that, or type: town bead dep remove ${id} ${clean(on)}`,
  ),
  ...failed.map(
    ({ id, on }) =>
      `${id} waits for ${clean(on)}, whose attempts are used up. To have it tried again: town deacon redispatch ${clean(on)}`,
  ),
];

/** Of a circle the same walk, wherever it was entered. */
function fromItsFirst(circle: readonly string[]): string[] {
  const at = circle.indexOf([...circle].sort()[0] ?? '');
  return [...circle.slice(at), ...circle.slice(0, at)];
}

/** What of a bead says whether what waits for it can begin. */
export interface Wait {
  readonly id: string;
  readonly isFailed: boolean;
  readonly waitsFor: readonly string[];
}
export const waitOf = (bead: Bead): Wait => ({
  id: bead.id,
  isFailed: bead.status === 'blocked' && bead.labels.includes(FAILED),
  waitsFor: bead.status === 'closed' ? [] : blockersOf(bead),
});

/** Of these beads and all that they wait for, directly or by way of others. `maxSteps`: so many beads are read beyond them. */
export async function neverReady(ledger: Ledger, beads: readonly Wait[], maxSteps: number): Promise<NeverReady> {
  const waits = new Map<string, readonly string[]>();
  const failures = new Set<string>();
  const add = ({ id, isFailed, waitsFor }: Wait): void => {
    if (isFailed) failures.add(id);
    waits.set(id, waitsFor);
  };
  beads.forEach(add);
  const missing = new Set<string>();
  const next = (): string[] =>
    [...new Set([...waits.values()].flat())].filter((id) => !waits.has(id) && !missing.has(id));
  for (let wanted = next(); wanted.length > 0 && waits.size < beads.length + maxSteps; wanted = next()) {
    for await (const bead of eachCalled(ledger, wanted)) add(waitOf(bead));
    for (const id of wanted) if (!waits.has(id)) missing.add(id);
  }
  const never = new Set(await unknownOf(ledger, [...missing]));
  const links = beads.flatMap(({ id }) => (waits.get(id) ?? []).map((on) => ({ id, on })));
  return {
    circles: circlesIn(waits).map(fromItsFirst),
    unknown: links.filter(({ on }) => never.has(on)),
    failed: links.filter(({ on }) => failures.has(on)),
  };
}

/** Beads that wait for nothing are taken away until none is left; what remains waits in a circle, or behind one. */
function circlesIn(waits: ReadonlyMap<string, readonly string[]>): string[][] {
  const left = new Map([...waits].map(([id, on]) => [id, new Set(on.filter((one) => waits.has(one)))]));
  const waiting = new Map<string, string[]>();
  for (const [id, on] of left) for (const one of on) waiting.set(one, [...(waiting.get(one) ?? []), id]);
  const free = [...left].flatMap(([id, on]) => (on.size === 0 ? [id] : []));
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const one of waiting.get(id) ?? []) {
      const on = left.get(one);
      on?.delete(id);
      if (on?.size === 0) free.push(one);
    }
  }
  return walksOf(left);
}

/** Follows the first link of each until a bead comes again: that is a circle. */
function walksOf(left: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const circles: string[][] = [];
  const seen = new Set<string>();
  for (const start of left.keys()) {
    const path: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      [at] = left.get(at) ?? [];
    }
    const from = at === undefined ? -1 : path.indexOf(at);
    if (from >= 0) circles.push(path.slice(from));
  }
  return circles;
}
