/** What agents report of themselves: reports/<session>.json, the last word of a session's life. Any process of the user may write it. */
import { z } from 'zod';
import { REPORT_OUTCOMES, REPORT_STATUSES, type StatusReport } from '../../machines/protocol/monitor.ts';
import { FOLDERS, isRecordName, nameOf } from '../files/layout.ts';
import { readAt, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordsIn } from '../files/record-kind.ts';

const reportFile = z.strictObject({
  session: z.string().min(1),
  uuid: z.string().min(1),
  status: z.enum(REPORT_STATUSES),
  message: z.string().nullable(),
  outcome: z.enum(REPORT_OUTCOMES).nullable(),
  at: z.number(),
}) satisfies z.ZodType<StatusReport>;

export const REPORTS = recordsIn<StatusReport>(FOLDERS.reports, 'status-report', {
  shape: reportFile,
  idOf: ({ session }) => session,
});

export interface ReportsOptions extends RecordFolderOptions {
  readonly maxBytes: number;
}

/** The reports of all lives; a file is read again only after it changed. */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #known = new Map<string, { readonly mark: string; readonly report: StatusReport | null }>();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** By session, those of these sessions. Rejects when the disk cannot tell. */
  async of(sessions: readonly string[]): Promise<ReadonlyMap<string, StatusReport>> {
    const { disk } = this.#options;
    const there = new Set(sessions.length === 0 ? [] : (await disk.list(FOLDERS.reports)).filter(isRecordName));
    const found = new Map<string, StatusReport>();
    for (const session of sessions) {
      if (!there.has(`${nameOf(session)}.json`)) continue;
      const report = await this.#read(session);
      if (report !== null) found.set(session, report);
    }
    return found;
  }

  async #read(session: string): Promise<StatusReport | null> {
    const { disk, maxBytes } = this.#options;
    const path = REPORTS.place(session);
    const mark = (await disk.stat(path))?.mark ?? '';
    const known = this.#known.get(session);
    if (known !== undefined && known.mark === mark) return known.report;
    const report = (await readAt({ ...this.#options, ...REPORTS, maxBytes }, path))?.value ?? null;
    this.#known.set(session, { mark, report });
    return report;
  }
}
