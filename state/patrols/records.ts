/** The last cycle of each patrol: patrols/<rig>.json, patrols/deacon.json. People and programs read it; the town goes on from it. */
import { z } from 'zod';
import type { PatrolRecord } from '../../machines/protocol/patrols.ts';
import { FOLDERS } from '../files/layout.ts';
import { readAt, readFolder, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordsIn } from '../files/record-kind.ts';
import { count, duration, wall } from '../files/shapes.ts';

const severity = z.enum(['low', 'medium', 'high', 'critical']);
/** An earlier version kept the words of the step alone. */
const stepStands = z.preprocess(
  (kept) => (typeof kept === 'string' ? { '': kept } : (kept ?? {})),
  z.record(z.string(), z.string()),
);
const patrol = z.strictObject({
  of: z.string().min(1),
  cycle: count,
  endedAt: wall,
  why: z.string().nullable(),
  failures: count,
  observed: z.record(z.string(), z.number()),
  done: count,
  undone: count,
  stranded: z.array(z.string()),
  // An earlier version kept both as evidence in the ledger.
  tried: z.record(z.string(), z.strictObject({ cycles: count, forMs: duration, why: z.string() })).default({}),
  letters: z
    .strictObject({ hour: wall, handled: z.record(z.string(), count) })
    .nullable()
    .default(null),
  memory: z.record(z.string(), z.array(z.string())).default({}),
  stands: z.record(z.string(), stepStands).default({}),
  claims: z
    .array(z.strictObject({ kind: z.string(), name: z.string(), severity, text: z.string() }))
    .nullable()
    .default(null),
}) satisfies z.ZodType<PatrolRecord>;

export const PATROLS = recordsIn<PatrolRecord>(FOLDERS.patrols, 'patrol', { shape: patrol, idOf: ({ of }) => of });

type Options = RecordFolderOptions;

/** null = there is none that counts. Rejects when the disk cannot tell. */
export const readPatrol = async (options: Options, of: string): Promise<PatrolRecord | null> =>
  (await readAt({ ...options, ...PATROLS }, PATROLS.place(of)))?.value ?? null;

export const readPatrols = async (options: Options): Promise<PatrolRecord[]> =>
  (await readFolder({ ...options, ...PATROLS })).map(({ value }) => value);
