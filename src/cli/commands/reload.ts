/**
 * `town reload` (C-17): a town that runs takes up town.toml as it stands. A wrong file changes nothing. A town process of the new
 * configuration takes the place of the old one, as after a fall: agents and hearings go on.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { STATE } from '../../../state/files/policy.ts';
import { runningOf } from '../../../state/process/pid-files.ts';
import { createProcesses } from '../../proc/processes.ts';
import { TownSilent } from '../../socket/client.ts';
import type { StatusView } from '../../socket/protocol.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { missingThings } from '../asking/config-there.ts';
import { mustBeFree } from '../asking/pin.ts';
import { changesIn, readByTown } from '../asking/read-config.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { keepAllValues } from '../naming/environment.ts';
import { RELOAD } from '../policy.ts';
import { mustBeThere, mustTakeRecords } from './town.ts';

export async function reload(context: Context): Promise<ExitCode> {
  const began = performance.now();
  await mustBeOperator(context, 'town reload');
  const settings = await context.exactSettings([]);
  await mustBeThere(context, settings);
  await mustBeFree(settings);
  const before = await restartable(context);
  await mustTakeRecords(settings, before);
  const changes = changesIn(settings, await readByTown(context));
  await keepAllValues(context, settings);
  const missing = await missingThings(context, settings);
  await tellTown(context, before);
  const now = await afterwards(context, before.epoch);
  const ms = Math.round(performance.now() - began);
  const { pid, epoch } = now;
  context.answer('reloaded', { root: settings.root, pid, epoch, changes, missing, ms }, () => [
    `town.toml is in force: town ${pid}, epoch ${epoch}; agents and hearings go on`,
    changesText(changes),
    ...missing.map((one) => clean(one)),
  ]);
  return EXIT.done;
}

const changesText = (changes: readonly string[] | null): string =>
  changes === null
    ? 'what changed is unknown: the text that the town had read before is not there'
    : changes.length === 0
      ? 'nothing in it differs from what the town had read before'
      : `changed: ${changes.join(', ')}`;

/** A town that began anew just now has a new guard in a moment. Throws Failure where neither a guard nor a service manager restarts it. */
async function restartable(context: Context): Promise<StatusView> {
  const until = performance.now() + RELOAD.guardMs;
  for (;;) {
    const town = await context.ask((one) => one.status());
    if (town.is_service === true || (town.guard_pid !== null && town.guard_held !== true)) return town;
    if (performance.now() > until) break;
    await pause(RELOAD.everyMs);
  }
  const text =
    'no guard can start the town again now, so it goes on as it is; restart it with what started it, or type: town restart';
  throw new Failure(EXIT.refused, 'no_guard', text);
}

/** The signal goes to the process that answered, and to no other that has its number by now. */
async function tellTown(context: Context, { pid }: StatusView): Promise<void> {
  const said = await runningOf(await context.disk(), STATE.maxRecordBytes).town();
  const isSame = said.kind === 'town' && said.town.pid === pid;
  if (isSame && createProcesses().signal(said.town, 'HUP')) return;
  throw new Failure(EXIT.failed, 'town_changed', `the town of pid ${pid} ended just now; see \`town status\``);
}

/** Throws TownSilent where none of a later epoch is ready in time. */
async function afterwards(context: Context, epoch: number): Promise<StatusView> {
  for (const until = performance.now() + RELOAD.waitMs; performance.now() < until;) {
    const town = await context.askIfUp((one) => one.status()).catch(() => null);
    if (town !== null && town.epoch > epoch && town.ready) return town;
    await pause(RELOAD.everyMs);
  }
  throw new TownSilent('the town did not begin anew in time; see `town status` and `town daemon logs`');
}
