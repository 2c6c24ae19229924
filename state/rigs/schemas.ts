/** The shapes of a rig's and a polecat's record. Strict; each names its schema and version. */
import { z } from 'zod';
import { STEPS, type PolecatRecord, type RigRecord } from '../../machines/rigs/records.ts';
import { wall } from '../files/shapes.ts';

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const rig = z.strictObject({
  name: z.string().min(1),
  repo: z.string().startsWith('/'),
  commonDir: z.string().startsWith('/'),
  agent: z.array(z.string()).min(1).nullable(),
  addedAt: wall,
}) satisfies z.ZodType<RigRecord>;

const polecat = z.strictObject({
  rig: z.string().min(1),
  name: z.string().min(1),
  uuid: z.string().min(1),
  step: z.enum(STEPS),
  base: commit,
  tip: commit.nullable(),
  bead: z.string().min(1).nullable(),
  command: z.array(z.string()).min(1),
  at: wall,
}) satisfies z.ZodType<PolecatRecord>;

export const rigFile = rig.extend({ schema: z.literal('rig/1') });
export const polecatFile = polecat.extend({ schema: z.literal('polecat/1') });
