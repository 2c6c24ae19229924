/** `town report-status` and `town workers`: what agents say of themselves, and how the monitor sees them. */
import {
  REPORT_OUTCOMES,
  REPORT_STATUSES,
  type ReportOutcome,
  type ReportStatus,
  type StatusReport,
} from '../../../machines/protocol/monitor.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { REPORTS } from '../../../state/monitor/reports.ts';
import { age } from '../../journal/when.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import { wakeTown } from '../asking/notes.ts';
import type { Context } from '../context.ts';
import { nameOfCaller, whoCalls } from '../naming/caller.ts';
import { knownSession, quoteName } from '../naming/names.ts';
import { sessionToAct } from '../naming/resolve.ts';

export interface ReportOptions {
  readonly message?: string;
  readonly session?: string;
  readonly outcome?: string;
}

/** Throws Failure (2). */
function oneOf<Word extends string>(word: string, known: readonly Word[], what: string): Word {
  const found = known.find((one) => one === word.replaceAll('-', '_'));
  if (found !== undefined) return found;
  throw new Failure(EXIT.usage, 'bad_status', `${what} ${quoteName(word)} is unknown; write ${known.join(', ')}`);
}

/** Its session, and the life that speaks. Throws Failure: 5 for another's, 2 for none. */
async function whoReports(
  context: Context,
  wanted: string | undefined,
  status: ReportStatus,
): Promise<Pick<StatusReport, 'session' | 'uuid'>> {
  const caller = await whoCalls(context);
  if (caller.is === 'agent') {
    nameOfCaller(caller, wanted, '--session');
    return { session: caller.session, uuid: caller.uuid };
  }
  if (wanted === undefined) {
    const line = `town report-status ${status} --session NAME`;
    const text = `no agent calls, so the town does not know whose status it is; call from the pane of the agent, or type: ${line}`;
    throw new Failure(EXIT.usage, 'no_session', text);
  }
  const session = await sessionToAct(context, wanted, true);
  const { incarnation, state } = await knownSession(context, session);
  if (incarnation !== null && (state === 'running' || state === 'observed')) return { session, uuid: incarnation.uuid };
  throw new Failure(
    EXIT.failed,
    'not_running',
    `${session} is ${state}; only a session that runs has a status; start it: town session start ${session}`,
  );
}

/** On disk before the town is told, so that it works with the town down. */
export async function reportStatus(
  context: Context,
  word: string,
  { message, session: wanted, outcome }: ReportOptions,
): Promise<void> {
  context.existing();
  const status: ReportStatus = oneOf(word, REPORT_STATUSES, 'the status');
  const how: ReportOutcome | null = outcome === undefined ? null : oneOf(outcome, REPORT_OUTCOMES, '--outcome');
  if (how !== null && status !== 'complete') {
    const text = `--outcome ${how} goes with the status complete, not with ${status}; leave it out`;
    throw new Failure(EXIT.usage, 'bad_outcome', text);
  }
  const { state } = await context.settings();
  if ((message ?? '').length > state.maxChars) {
    const text = `the message has ${(message ?? '').length} characters, the limit is ${state.maxChars}; write a shorter one`;
    throw new Failure(EXIT.usage, 'message_too_long', text);
  }
  const who = await whoReports(context, wanted, status);
  const report: StatusReport = { ...who, status, message: message ?? null, outcome: how, at: Date.now() };
  const disk = await context.disk();
  await disk.mkdir(FOLDERS.reports);
  await writeFiles(disk, [REPORTS.fileOf(report)]);
  await wakeTown(context, 'reports');
  const data = { ...report, at: new Date(report.at).toISOString() };
  context.answer('status-report', data, `${who.session} is ${status}`);
}

const HEAD = ['WORKER', 'STATE', 'STATUS', 'ACTIVE', 'SOURCE', 'MESSAGE'];

/** Lists the workers as the running town saw them at its last look. Throws Failure (1) before the first. */
export async function workers(context: Context): Promise<void> {
  context.existing();
  const { workers: all = [] } = await context.ask((town) => town.status());
  if (all === null) {
    const text = 'the town began just now and has not looked at its workers yet; type it again in some seconds';
    throw new Failure(EXIT.failed, 'not_seen_yet', text);
  }
  const { policy } = await context.settings();
  const none = `no worker runs here; one has a tag of ${policy.monitor.workerTags.join(', ')}: town session start NAME --tag worker -- claude`;
  context.answer(
    'workers',
    all,
    listing(all, none, HEAD, (one) => [
      one.worker_name,
      one.state,
      one.status,
      `${age(one.last_activity)} ago`,
      one.source ?? '',
      clean(one.message ?? ''),
    ]),
  );
}
