/** When a person last read `town report`: daemon/report-look.json. It decides only where the next report begins. */
import { z } from 'zod';
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { recordKind } from '../files/record-kind.ts';
import { wall } from '../files/shapes.ts';

export interface ReportLook {
  /** Wall ms: from when on that report told. */
  readonly from: number;
  /** Wall ms: when it was read. */
  readonly at: number;
}

const KIND = recordKind<ReportLook>('report-look', { shape: z.strictObject({ from: wall, at: wall }) });

/** null = none is on record that can be read. */
export async function readReportLook(disk: Disk): Promise<ReportLook | null> {
  const text = await readIfReadable(disk, FILES.reportLook, KIND.maxBytes);
  const found = text === null ? null : KIND.decode(text, FILES.reportLook);
  return found?.ok === true ? found.value : null;
}

/** Durable when it resolves. */
export const putReportLook = (disk: Disk, look: ReportLook): Promise<void> =>
  writeFiles(disk, [{ path: FILES.reportLook, text: KIND.text(look) }]);
