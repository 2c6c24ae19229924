/**
 * What agents report of themselves: reports/<session>.json, the last word of a session's life. Any process of the user may write it. Which
 * one is over stands beside it, in reports/<session>.json.over: the file itself may be another report by now.
 */
import { z } from 'zod';
import { REPORT_OUTCOMES, REPORT_STATUSES, type StatusReport } from '../../machines/protocol/monitor.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { FOLDERS, isRecordName, nameOf } from '../files/layout.ts';
import { STATE } from '../files/policy.ts';
import { noneIfLeft, readAt, type RecordFolderOptions } from '../files/record-folder.ts';
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
  maxBytes: STATE.maxRecordBytes,
});

const overPath = (session: string): string => `${REPORTS.place(session)}.over`;
const nameOfReport = ({ uuid, at }: StatusReport): string => `${uuid} ${at}`;

export type ReportsOptions = RecordFolderOptions;

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

  /** This very report counts no more, also after a restart: what its agent did since then is known now. Rejects as the disk does. */
  async end(report: StatusReport): Promise<void> {
    const { session } = report;
    const known = this.#known.get(session);
    if (known?.report === report) this.#known.set(session, { ...known, report: null });
    await writeFiles(this.#options.disk, [{ path: overPath(session), text: nameOfReport(report) }]);
  }

  async #read(session: string): Promise<StatusReport | null> {
    const { disk } = this.#options;
    const path = REPORTS.place(session);
    const mark = (await disk.stat(path))?.mark ?? '';
    const known = this.#known.get(session);
    if (known !== undefined && known.mark === mark) return known.report;
    const last = (await noneIfLeft(readAt({ ...this.#options, ...REPORTS }, path)))?.value ?? null;
    const isOver = last !== null && (await disk.read(overPath(session), REPORTS.maxBytes)) === nameOfReport(last);
    const report = isOver ? null : last;
    this.#known.set(session, { mark, report });
    return report;
  }
}
