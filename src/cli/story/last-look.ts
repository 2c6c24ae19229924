/**
 * Where a report begins: where a person's last look ended, so that nothing is read twice and nothing is missed.
 * 1. A person looks at a terminal and has no token of an agent: what an agent or a program reads is no look.
 * 2. Looks shortly after each other are one: a person who types it again sees the same.
 * 3. A look that began later than the last one ended skipped something, and is none.
 */
import { putReportLook, readReportLook, type ReportLook } from '../../../state/alerts/report-look.ts';
import { isGasTown } from '../../../state/files/gas-town.ts';
import { textOf } from '../../../state/files/disk.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import { note } from '../../terminal/print.ts';
import { terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { REPORT } from '../policy.ts';
import { reportLength } from './since.ts';
import { callerToken } from '../../socket/caller-token.ts';

export interface Start {
  /** Wall ms. */
  readonly since: number;
  readonly is: 'asked' | 'last look' | 'same look' | 'configured';
}

/** Throws Failure (2) for a `--since` that is no duration. */
export async function startOf(context: Context, asked: string | undefined, now: number): Promise<Start> {
  const lengthMs = reportLength(asked, await context.settings());
  if (asked !== undefined) return { since: now - lengthMs, is: 'asked' };
  const last = isPerson(context) ? await readReportLook(await context.disk()) : null;
  // A look that is still to come was dated by a clock that was set back since.
  if (last === null || last.at > now) return { since: now - lengthMs, is: 'configured' };
  return isSame(last, now) ? { since: last.from, is: 'same look' } : { since: last.at, is: 'last look' };
}

const isSame = ({ at }: ReportLook, now: number): boolean => now - at < REPORT.sameLookMs;

const isPerson = ({ json }: Context): boolean =>
  !json && callerToken() === undefined && (terminal() !== null || terminal('stderr') !== null || process.stdin.isTTY);

/** A report that could not be remembered was read all the same. */
export async function rememberLook(context: Context, look: ReportLook): Promise<void> {
  if (!isPerson(context) || isGasTown(context.root)) return;
  const disk = await context.disk();
  try {
    // In a root where no town ever ran there is nothing to remember.
    if ((await disk.stat(FOLDERS.daemon)) === null) return;
    const last = await readReportLook(disk);
    const isLater = last !== null && last.at <= look.at;
    if (isLater && look.from > last.at) return;
    const from = isLater && isSame(last, look.at) ? Math.min(last.from, look.from) : look.from;
    await putReportLook(disk, { from, at: look.at });
  } catch (error) {
    note(`the next report begins where this one did: ${textOf(error)}`);
  }
}
