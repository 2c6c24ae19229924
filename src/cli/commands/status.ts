/**
 * `town status`: the town's own word, and what tmux and the records show beside it (C-14). The first thing a person types,
 * so it loads little: no commander, and the configuration only when the town is down.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_FILE } from '../../config/root.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import type { Waiting } from '../../overview/overview.ts';
import type { RigsView } from '../../overview/rigs.ts';
import type { StatusView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../../terminal/failure.ts';
import { terminal } from '../../terminal/streams.ts';
import { glance } from '../asking/glance.ts';
import type { HeldBack } from '../asking/held-back.ts';
import { REDRAW } from '../policy.ts';
import { notWatched } from '../session-table.ts';
import { ownWord, statusText, type OwnWord, type StatusData } from '../status-text.ts';
import { areInLedger, asking, type InLedger } from '../story/asking.ts';

async function look(context: Context): Promise<StatusData> {
  const { town, busy_why, overview: seen } = await glance(context);
  const overview = {
    ...seen,
    ...(seen.work && { work: await withRequests(context, await withTitles(context, seen.work), seen) }),
  };
  const { questions } = asking(overview, await inLedger(context, overview));
  const word = town === null ? await without(context, busy_why) : await answered(context, town);
  const held_back = await heldBack(context);
  const more = held_back.length === 0 ? {} : { held_back };
  return { ...word, root: context.root, ...overview, questions, not_watched: notWatched(overview.sessions), ...more };
}

/** What channels hold back. Most have nothing that waits, and load nothing for it. */
async function heldBack(context: Context): Promise<readonly HeldBack[]> {
  const spool = join(context.root, FOLDERS.spool);
  if (!existsSync(spool) || readdirSync(spool).length === 0) return [];
  return (await import('../asking/held-back.ts')).heldBack(context);
}

/** With what each polecat works on, as long as the ledger tells. */
async function withTitles(context: Context, work: RigsView): Promise<RigsView> {
  const ids = work.rigs.flatMap(({ polecats }) => polecats.flatMap(({ bead }) => bead ?? []));
  if (ids.length === 0) return work;
  const { titlesOf } = await import('../asking/titles.ts');
  const titles = await titlesOf(context, ids);
  const rigs = work.rigs.map((rig) => {
    const polecats = rig.polecats.map((one) => {
      const title = titles.get(one.bead ?? '');
      return title === undefined ? one : { ...one, title };
    });
    return { ...rig, polecats };
  });
  return { ...work, rigs };
}

/** With the pull requests that wait on the host. Most towns have none, and load nothing for it. */
async function withRequests(context: Context, work: RigsView, { alerts }: Pick<Waiting, 'alerts'>): Promise<RigsView> {
  const folder = statSync(join(context.root, FOLDERS.pullRequests), { throwIfNoEntry: false });
  if (folder === undefined) return work;
  const { openRequests } = await import('../asking/pull-requests.ts');
  const found = await openRequests(context, alerts);
  const rigs = work.rigs.map((rig) => {
    const pull_requests = found.get(rig.name);
    return pull_requests === undefined ? rig : { ...rig, pull_requests };
  });
  return { ...work, rigs };
}

/** What the ledger tells of alerts: only a town that has such an alert loads what reads it. */
async function inLedger(context: Context, { alerts }: Pick<Waiting, 'alerts'>): Promise<InLedger | undefined> {
  return areInLedger(alerts) ? (await import('../asking/in-ledger.ts')).inLedger(context, alerts) : undefined;
}

async function answered(context: Context, town: StatusView): Promise<OwnWord> {
  const fault = town.guard_held === false ? null : (await import('../asking/silence.ts')).guardFault(town.guard_pid);
  return { ...ownWord(town), guard_fault: fault, config_changed: await isChanged(context, town) };
}

/** The texts are compared only where the file is younger than the town. */
async function isChanged(context: Context, town: StatusView): Promise<boolean> {
  const file = statSync(join(context.root, CONFIG_FILE), { throwIfNoEntry: false });
  if (file !== undefined && file.mtimeMs < Date.parse(town.started_at)) return false;
  return (await import('../asking/read-config.ts')).isConfigChanged(context);
}

async function barredBy(root: string): Promise<string | null> {
  const { GasTownRoot, isGasTown } = await import('../../../state/files/gas-town.ts');
  return isGasTown(root) ? new GasTownRoot(root).message : null;
}

/** The town does not answer: one that still holds the root is not called down (law 1). */
async function without(context: Context, busyWhy: string | null): Promise<OwnWord> {
  const { guardFault, silenceOf } = await import('../asking/silence.ts');
  const silence = await silenceOf(context);
  const down = ownWord(null);
  if (silence === null) return { ...down, barred_why: await barredBy(context.root) };
  const { guard_pid, why } = silence;
  const guard = { guard_pid, guard_fault: guardFault(guard_pid) };
  if (silence.kind === 'falling') return { ...down, ...guard, back_at: silence.back_at, back_why: why };
  return { ...down, ...guard, running: true, silent_why: busyWhy ?? why, pid: silence.pid };
}

function exitOf(data: StatusData): ExitCode {
  if (!data.running) return EXIT.notRunning;
  return data.degraded || !data.answers ? EXIT.degraded : EXIT.done;
}

/** 0 = up, 3 = down, 4 = degraded, or silent. With `watch` it shows itself again every second, until it is interrupted. */
export async function status(context: Context, options: { readonly watch?: boolean } = {}): Promise<ExitCode> {
  context.existing();
  const data = await look(context);
  if (options.watch !== true) {
    context.answer('status', data, () => statusText(data));
    return exitOf(data);
  }
  const { stay } = await import('../stay.ts');
  return stay({
    first: data,
    everyMs: REDRAW.statusMs,
    look: () => look(context),
    text: statusText,
    // Into a pipe, and for programs, one below the other.
    ...((context.json || terminal() === null) && {
      below: (seen: StatusData) => context.answer('status', seen, () => `${statusText(seen)}\n`),
    }),
  });
}
