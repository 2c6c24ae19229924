/**
 * A kind of durable record, in one place: its name and version, what stands in it, where its file goes, and the value of the town's
 * that it is. The subsystem whose record it is declares it. Its bytes are what `write` gives, in that order, with the town's checksum.
 */
import type { z } from 'zod';
import { withChecksum } from './checksum.ts';
import { decode, type Decoded } from './decode.ts';
import { nameOf } from './layout.ts';
import { STATE } from './policy.ts';

export interface RecordKind<T> {
  readonly text: (value: T) => string;
  /** `name`: of the file, which must be that of the value's own place. */
  readonly decode: (text: string, name: string) => Decoded<T>;
  /** Of its file; a larger one does not count. */
  readonly maxBytes: number;
}

export interface RecordShape<T> {
  readonly shape: z.ZodType<T>;
  /** Absent = it may stand anywhere. */
  readonly path?: (value: T) => string;
  /** Absent = its file holds the value as it is. */
  readonly write?: (value: T) => object;
  /** Any program may write it, and need not name its schema. */
  readonly foreign?: boolean;
  /** Absent = what the town alone writes may be as large as its own records are, and what any program may write is small. */
  readonly maxBytes?: number;
}

const shapes = new Map<string, z.ZodType>();
/** What stands in the files of each kind, by its name, of all modules that are loaded. */
export const recordShapes = (): ReadonlyMap<string, z.ZodType> => shapes;

/** `patrol`: its schema is `patrol/1`. */
export function recordKind<T extends object>(kind: string, of: RecordShape<T>): RecordKind<T> {
  const { shape, path, write = (value: T): object => value, foreign = false } = of;
  const { maxBytes = foreign ? STATE.maxRecordBytes : STATE.maxOwnBytes } = of;
  shapes.set(kind, shape);
  return {
    maxBytes,
    text: (value) => withChecksum({ schema: `${kind}/1`, ...write(value) }),
    decode: (text, name) => {
      const decoded = decode(text, kind, shape, foreign);
      const place = decoded.ok ? path?.(decoded.value) : undefined;
      if (place === undefined || place.endsWith(`/${name}`)) return decoded;
      return { ok: false, what: 'bad', why: `it belongs to ${place}`, requester: null };
    },
  };
}

/** Records of one kind in a folder, each by its id. */
export interface RecordsIn<T> extends RecordKind<T> {
  readonly folder: string;
  readonly place: (id: string) => string;
  readonly fileOf: (value: T) => { readonly path: string; readonly text: string };
}

export function recordsIn<T extends object>(
  folder: string,
  kind: string,
  { idOf, ...of }: Omit<RecordShape<T>, 'path'> & { readonly idOf: (value: T) => string },
): RecordsIn<T> {
  const place = (id: string): string => `${folder}/${nameOf(id)}.json`;
  const records = recordKind(kind, { ...of, path: (value) => place(idOf(value)) });
  return { ...records, folder, place, fileOf: (value) => ({ path: place(idOf(value)), text: records.text(value) }) };
}
