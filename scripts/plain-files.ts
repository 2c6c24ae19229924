/**
 * Shapes of JSON files that are read by hand, field by field: what reads them is in processes that hold little, and loads no zod. They
 * bear no seal.
 */
import { z } from 'zod';
import type { Slot, Told } from '../machines/alerts/slots.ts';
import type { Receipt, Spooled } from '../state/channels/spool.ts';

const proc = z.strictObject({ pid: z.int().positive(), start_time: z.string(), boot_id: z.string() });
const receipt = z.strictObject({
  at: z.iso.datetime(),
  said: z.string(),
  isDelivered: z.boolean(),
}) satisfies z.ZodType<Receipt>;

const told = z.looseObject({ kind: z.string(), text: z.string() }) satisfies z.ZodType<Told>;
const slot = z.strictObject({
  until: z.number(),
  windowMs: z.number(),
  longestMs: z.number(),
  came: z.int().nonnegative(),
  told: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  texts: z.array(z.string()),
  letters: z.array(z.string()).exactOptional(),
  gravest: told.nullable(),
  later: z
    .strictObject({ from: z.int().nonnegative(), texts: z.array(z.string()), gravest: told.nullable() })
    .exactOptional(),
}) satisfies z.ZodType<Slot>;

export const PLAIN: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [
    'guard',
    proc.extend({
      root: z.string().optional(),
      epoch: z.int().nullable(),
      town: proc.nullable(),
      hears: z.boolean().optional(),
      falls: z.int().nonnegative(),
      last_exit: z.string().nullable(),
      next_try_at: z.iso.datetime().nullable(),
    }),
  ],
  ['notices', z.strictObject({ slots: z.record(z.string(), slot) })],
  ['replies', z.strictObject({ marks: z.record(z.string(), z.string()) })],
  [
    'spooled',
    z.strictObject({
      id: z.string(),
      at: z.iso.datetime(),
      notice: told,
      receipts: z.record(z.string(), receipt),
      failures: z.record(z.string(), receipt.omit({ isDelivered: true })).exactOptional(),
    }) satisfies z.ZodType<Spooled>,
  ],
]);
