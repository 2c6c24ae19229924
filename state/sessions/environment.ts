/**
 * The values of the variables that a session's start names: daemon/environments/<session>.json, which only its owner reads. A
 * restart has them from here. They stand nowhere else: records, requests and the journal hold names.
 */
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import { withChecksum } from '../files/checksum.ts';
import { decode } from '../files/decode.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS, paths } from '../files/layout.ts';

export type Values = Readonly<Record<string, string>>;

const KIND = 'environment';
const shape = z.strictObject({ values: z.record(z.string(), z.string()) });
/** Of a file: more than Linux takes for all arguments and variables of a program. */
const MAX_BYTES = 4_194_304;

/** What is kept for this session; of a file that does not count, nothing. */
export async function readEnvironment(disk: Pick<Disk, 'read'>, session: string): Promise<Values> {
  const text = await disk.read(paths.environment(session), MAX_BYTES);
  const decoded = text === null ? null : decode(text, KIND, shape);
  return decoded?.ok === true ? decoded.value.values : {};
}

/** Durable when it resolves. */
export async function writeEnvironment(disk: Disk, session: string, values: Values): Promise<void> {
  await disk.mkdir(FOLDERS.environments);
  await writeFiles(disk, [{ path: paths.environment(session), text: withChecksum({ schema: `${KIND}/1`, values }) }]);
}

export async function forgetEnvironment(disk: Disk, session: string): Promise<void> {
  if ((await disk.stat(paths.environment(session))) === null) return;
  await disk.remove(paths.environment(session));
  await disk.syncDir(FOLDERS.environments);
}
