/**
 * From a file's text to a value that may be acted on, or one sentence why not. Nothing unverified gets through.
 */
import type { z } from 'zod';
import { withoutChecksum } from './checksum.ts';
import { showText } from './show-text.ts';

export type Decoded<T> =
  | { readonly ok: true; readonly value: T; /** Written by the town itself. */ readonly isChecksummed: boolean }
  /** `newer`: made by a later version of the town, to be left alone. `cut`: perhaps still being written. */
  | {
      readonly ok: false;
      readonly what: 'newer' | 'cut' | 'bad';
      readonly why: string;
      /** Who seems to have written it, if it says so. */
      readonly requester: string | null;
    };

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not fit its schema';
  const place = issue.path.map(String).join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}

/**
 * `kind` and version 1 are what this town knows; `schema` is the shape of the rest. `untagged`: a file that names no schema is judged by
 * its shape alone.
 */
export function decode<T>(text: string, kind: string, schema: z.ZodType<T>, untagged = false): Decoded<T> {
  const opened = withoutChecksum(text);
  if (!opened.ok) return { ok: false, what: opened.cut ? 'cut' : 'bad', why: opened.why, requester: null };
  const { schema: named, ...fields } = opened.value;
  const asked = opened.value['requester'];
  const requester = typeof asked === 'string' ? asked : null;
  const refuse = (what: 'newer' | 'bad', why: string) => ({ ok: false, what, why, requester }) as const;
  const [, version] = (typeof named === 'string' && new RegExp(`^${kind}/([0-9]+)$`).exec(named)) || [];
  if (version === undefined && !(untagged && named === undefined)) {
    return refuse('bad', `its schema is ${showText(named)}, expected "${kind}/1"`);
  }
  if (Number(version) > 1) {
    return refuse('newer', `its schema ${showText(named)} belongs to a newer version of the town; it is left alone`);
  }
  if (opened.sum === 'wrong') {
    return refuse(
      'bad',
      'its check sum does not fit: it was changed (for a change on purpose take out the field `sum`)',
    );
  }
  const parsed = schema.safeParse(fields);
  if (!parsed.success) return refuse('bad', firstIssue(parsed.error));
  return { ok: true, value: parsed.data, isChecksummed: opened.sum === 'fits' };
}
