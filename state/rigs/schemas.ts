/** The shapes of a rig's and a polecat's record. Strict. */
import { z } from 'zod';
import type { PolecatName } from '../../machines/rigs/names.ts';
import { STEPS, type PolecatRecord, type RigRecord } from '../../machines/rigs/records.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const rig = z.strictObject({
  name: z.string().min(1),
  repo: z.string().startsWith('/'),
  commonDir: z.string().startsWith('/'),
  agent: z.array(z.string()).min(1).nullable(),
  // Records of an older town have none.
  base: z.string().min(1).nullable().default(null),
  remote: z
    .strictObject({ name: z.string().min(1), url: z.string().min(1), pushUrl: z.string().min(1) })
    .nullable()
    .exactOptional(),
  addedAt: wall,
}) satisfies z.ZodType<RigRecord>;

const polecat = z.strictObject({
  rig: z.string().min(1),
  name: z.string().min(1),
  uuid: z.string().min(1),
  step: z.enum(STEPS),
  base: commit,
  main: z
    .strictObject({ branch: z.string().min(1), commit })
    .nullable()
    .default(null),
  tip: commit.nullable(),
  bead: z.string().min(1).nullable(),
  command: z.array(z.string()).min(1),
  at: wall,
}) satisfies z.ZodType<PolecatRecord>;

export const RIGS = recordsIn<RigRecord>(FOLDERS.rigs, 'rig', { shape: rig, idOf: ({ name }) => name });
// No name of a rig has a dot in it.
const idOf = ({ rig: of, name }: PolecatName): string => `${of}.${name}`;
export const POLECATS = recordsIn<PolecatRecord>(FOLDERS.polecats, 'polecat', {
  shape: polecat,
  idOf,
});
export const polecatPlace = (name: PolecatName): string => POLECATS.place(idOf(name));
