/** The last cycle of each patrol: patrols/<rig>.json, patrols/deacon.json. People and programs read it; the town goes on from it. */
import { z } from 'zod';
import type { PatrolRecord } from '../../machines/protocol/patrols.ts';
import { seal } from '../files/checksum.ts';
import { decode, type Decoded } from '../files/decode.ts';
import { FOLDERS, nameOf, paths } from '../files/layout.ts';
import { readFolder, readRecord, type RecordFolder } from '../files/record-folder.ts';
import { count, wall } from '../files/shapes.ts';

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
}) satisfies z.ZodType<PatrolRecord>;
const patrolFile = patrol.extend({ schema: z.literal('patrol/1') });

export const patrolText = (record: PatrolRecord): string => seal({ schema: 'patrol/1', ...record });

function decodePatrol(text: string, name: string): Decoded<PatrolRecord> {
  const decoded = decode(text, 'patrol', patrolFile);
  if (!decoded.ok) return decoded;
  const { schema: _, ...value } = decoded.value;
  if (`${nameOf(value.of)}.json` !== name)
    return { ok: false, what: 'bad', why: `it is about ${value.of}`, requester: null };
  return { ok: true, value, sealed: decoded.sealed };
}

type Options = Pick<RecordFolder<PatrolRecord>, 'disk' | 'quarantine' | 'maxBytes'>;
const folderOf = (options: Options): RecordFolder<PatrolRecord> => ({
  ...{ ...options, folder: FOLDERS.patrols, decode: decodePatrol },
});

/** null = there is none that counts. Rejects when the disk cannot tell. */
export async function readPatrol(options: Options, of: string): Promise<PatrolRecord | null> {
  const file = await readRecord(folderOf(options), paths.patrol(of).slice(FOLDERS.patrols.length + 1));
  return file?.value ?? null;
}

export async function readPatrols(options: Options): Promise<PatrolRecord[]> {
  return (await readFolder(folderOf(options))).map(({ value }) => value);
}
