/** `town boot status|triage`: what Boot decided last, and one triage now. The status works with the town down. */
import { shownVerdict } from '../../../machines/hearings/dance.ts';
import { REQUESTS } from '../../../machines/protocol/requests.ts';
import { readNote } from '../../../state/watchdog/records.ts';
import { readDances, readPending } from '../../overview/records.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { isoOf, notesOf } from '../asking/notes.ts';
import { clean } from '../../terminal/print.ts';
import { poolSize } from '../asking/pool-size.ts';
import { poolOf, poolText } from '../story/pool.ts';
import { bootActText } from '../../journal/watchdog.ts';
import { when } from '../../journal/when.ts';

/** Verdicts shown, the newest first. */
const RESULTS = 5;

export async function status(context: Context): Promise<void> {
  context.existing();
  const notes = await notesOf(context);
  const last = await readNote(notes, 'bootStatus');
  const runningAt = await runningSince(context, await readNote(notes, 'bootRunning'));
  const { policy } = await context.settings();
  const { open, closed } = await readDances(notes.disk);
  const dances = open.map(({ value }) => value);
  const { found: queued } = await readPending(notes.disk);
  const results = closed
    .map(({ value }) => value)
    .sort((a, b) => (b.closedAt ?? 0) - (a.closedAt ?? 0))
    .slice(0, RESULTS)
    .map((dance) => {
      const { id, target, reason } = dance;
      return { dance: id, session: target.session, verdict: shownVerdict(dance), reason };
    });
  const data = {
    enabled: policy.watchdog.boot.enabled,
    running_since: isoOf(runningAt),
    last: last && {
      timestamp: isoOf(last.at),
      action: last.action,
      reason: last.reason,
      heartbeat_age_ms: last.heartbeatAgeMs,
      session: last.session,
      result: last.result,
      wakes: last.memory.wakes,
    },
    pool: { ...poolOf(dances, await poolSize(context)), queued: queued.length },
    dances: dances.map(({ id }) => id),
    results,
  };
  context.answer('boot-status', data, () => [
    last === null
      ? 'Boot has not run yet'
      : `${when(last.at)}: ${bootActText(last.action)}: ${clean(last.reason)}; ${clean(last.result)} (${last.session})`,
    ...(runningAt === null ? [] : [`running since ${when(runningAt)}`]),
    ...(data.enabled ? [] : ['Boot is off: $TOWN_NUMBERS has boot.enabled = false']),
    poolText(data.pool),
    ...results.map((r) => `${r.dance}  ${r.session}  ${r.verdict ?? '-'}: ${clean(r.reason)}`),
  ]);
}

/** A mark that a town left when it ended is none of a Boot that runs. A town that does not answer proves nothing of its own. */
async function runningSince(context: Context, mark: { readonly at: number } | null): Promise<number | null> {
  if (mark === null) return null;
  const town = await context.askIfUp((one) => one.status()).catch(() => undefined);
  if (town === undefined) return mark.at;
  return town !== null && mark.at >= Date.parse(town.started_at) ? mark.at : null;
}

/** Asks the running town for one triage of the Deacon now. */
export async function triage(context: Context): Promise<void> {
  await mustBeOperator(context, REQUESTS.bootTriage.operator);
  const done = await context.request({ verb: 'bootTriage' });
  const { action, reason, result } = done as Readonly<Record<'action' | 'reason' | 'result', string>>;
  context.answer('boot-triage', done, `${bootActText(action)}: ${clean(reason)}; ${clean(result)}`);
}
