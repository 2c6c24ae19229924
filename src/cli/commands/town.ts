/** `town up|down|restart` and `town daemon …`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/errors.ts';
import type { Settings } from '../../config/settings.ts';
import type { EarlyEnd } from '../asking/start-look.ts';
import { whoIsThere } from '../../guard/liveness.ts';
import { startTown } from '../../guard/start.ts';
import type { Stopped } from '../../guard/stop.ts';
import { STATE } from '../../../state/files/policy.ts';
import { FILES, FOLDERS } from '../../../state/files/layout.ts';
import { runningOf } from '../../../state/process/pid-files.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { refuseGasTown } from '../naming/gas-town.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { WATCHDOG } from '../../../machines/monitor/policy.ts';
import { configuredAgents } from '../../config/agents.ts';
import { mustMeanIt } from '../naming/meant.ts';
import { clean, note, page, say } from '../../terminal/print.ts';
import { mustBeFree, mustBePossible, socketPin } from '../asking/pin.ts';
import { createProcesses } from '../../proc/processes.ts';
import { heldText, socketHolder } from '../../tmux/socket-hold.ts';
import type { StatusView } from '../../socket/protocol.ts';
import { socketPath } from '../../tmux/socket.ts';
import { seeTmux } from '../../overview/scene.ts';

interface Opened {
  readonly inspect_port: number | null;
  readonly inspect_url: string | null;
}

export interface UpOptions {
  readonly set: readonly string[];
  readonly inspect?: boolean;
  /** Also in a folder of other things. */
  readonly force?: boolean;
}

/** F-1: the first start of a root without a town.toml says what it found and what it will do to it: nothing. */
async function firstLook(context: Context, settings: Settings): Promise<void> {
  if (settings.file !== null || existsSync(join(context.root, FOLDERS.daemon))) return;
  const { sessions, fault, socketPath } = await seeTmux(settings, await context.disk());
  const seen = sessions.map(({ name }) => clean(name)).join(', ');
  const lines = [
    `root           ${settings.root} (from ${settings.rootFrom})`,
    `tmux socket    ${socketPath}`,
    `sessions seen  ${fault === null ? (seen === '' ? 'none' : seen) : `unknown: ${clean(fault)}`}`,
    'I will touch: none',
  ];
  // Programs get one object on stdout and nothing else.
  if (context.json) lines.forEach(note);
  else say(page(lines.join('\n')));
}

/** What `--inspect` came to. A town that ran already keeps its port as it was. Who did not ask is not shown the token. */
function inspectorLine({ inspect_port: port, inspect_url: url }: Opened, ranAlready: boolean): string {
  if (url !== null) return `inspector: ${url} (health: http://127.0.0.1:${port ?? 0}/healthz)`;
  if (port !== null) return `inspector: open on port ${port}; \`town up --inspect\` prints its URL`;
  return ranAlready
    ? 'inspector: closed, since the town runs without it; `town restart --inspect` opens it'
    : 'inspector: it could not be opened; `town daemon logs` says why';
}

/** The town that runs has what it was started with. */
const unheard = (set: readonly string[]): string =>
  `--set ${clean(set.join(' --set '))} is not taken: the town runs without it; \`town restart --set …\` takes it`;

/** Before anything is stopped or started: what stands on one tmux server is not found on another, and one town is enough for it. */
export async function mustBeThere(context: Context, settings: Settings): Promise<void> {
  mustBePossible(settings);
  const pin = await socketPin(settings, await context.disk());
  if (pin.kind === 'held') throw new Failure(EXIT.refused, 'tmux_socket', pin.why);
  const path = socketPath(settings.tmux.socket);
  const processes = createProcesses();
  const by = await socketHolder(path, processes);
  if (by === null || by.root === null || by.root === settings.root) return;
  // One that was moved here while it ran has the socket under the name of its old place.
  const { town } = await whoIsThere(settings.root, runningOf(await context.disk(), STATE.maxRecordBytes), processes);
  if (town?.pid !== by.pid) throw new Failure(EXIT.refused, 'tmux_socket', heldText(by, settings.root, path));
}

/** The town's process gets the same choices as this command, through its environment. */
function handOn(set: readonly string[]): void {
  for (const entry of set) {
    const [path = '', ...rest] = entry.split('=');
    process.env[`TOWN_${path.replaceAll('.', '_').toUpperCase()}`] = rest.join('=');
  }
}

/** `anew`: the town that runs makes way. */
export async function up(context: Context, options: UpOptions, anew = false): Promise<ExitCode> {
  await refuseGasTown(context);
  await mustMeanIt(context, options.force === true);
  const settings = await context.exactSettings(options.set);
  await mustBeOperator(context, 'town up');
  await context.placed().catch(async (obstacle: unknown) => {
    // A running town reports its own obstacle; the obstacle may also be why it cannot be asked.
    const status = await context.askIfUp((town) => town.status()).catch(() => null);
    if (status === null) throw obstacle;
  });
  await mustBeThere(context, settings);
  await firstLook(context, settings);
  handOn(options.set);
  // Loaded only where an agent has variables of its own.
  if (settings.agents.some(({ env }) => env.length > 0))
    await (await import('../naming/environment.ts')).keepAllValues(context, settings);
  const began = Date.now();
  const started = await startTown(settings, { inspect: options.inspect === true, anew, say: note });
  const { pid, guardPid, epoch, alreadyRunning } = started;
  const status = await context.askIfUp((town) => town.status());
  const fault = (await import('../asking/silence.ts')).guardFault(guardPid);
  if (fault !== null) note(fault);
  const degraded = status?.degraded ?? null;
  const port = status?.inspect_port ?? null;
  const wantsUrl = port !== null && options.inspect === true;
  const opened: Opened = {
    inspect_port: port,
    inspect_url: wantsUrl ? await context.askIfUp((town) => town.inspector()) : null,
  };
  const ended = alreadyRunning ? [] : await endedAtOnce(context, settings, began);
  const data = {
    root: settings.root,
    pid,
    guard_pid: guardPid,
    epoch,
    already_running: alreadyRunning,
    ...opened,
    degraded: degraded?.is ?? false,
    degraded_why: degraded?.why ?? null,
    ended: ended.map(({ end }) => end),
  };
  context.answer('up', data, () => [
    `the town of ${settings.root} ${alreadyRunning ? 'runs already' : 'is up'}: town ${pid}, guard ${guardPid ?? 'none'}, epoch ${epoch}`,
    ...(degraded?.is === true ? [`degraded: ${clean(degraded.why ?? 'the reason is unknown')}`] : []),
    ...(port !== null || options.inspect === true ? [inspectorLine(opened, alreadyRunning)] : []),
    ...(alreadyRunning && options.set.length > 0 ? [unheard(options.set)] : []),
    ...ended.map(({ text }) => text),
  ]);
  return ended.some(({ end }) => !end.is_clean) ? EXIT.failed : EXIT.done;
}

/** Agents of the configuration that ended in their first second, and how a person reads it. Loaded only where there are agents. */
async function endedAtOnce(
  context: Context,
  settings: Settings,
  began: number,
): Promise<readonly { readonly end: EarlyEnd; readonly text: string }[]> {
  const own = settings.policy.monitor.mode === 'session' ? [WATCHDOG] : [];
  const names = [...configuredAgents(settings).map(({ name }) => name), ...own];
  if (names.length === 0) return [];
  const { earlyEnds, earlyEndText } = await import('../asking/start-look.ts');
  return (await earlyEnds(context, names, began)).map((end) => ({ end, text: earlyEndText(end) }));
}

function told({ pid, guardPid, forced, held, left }: Stopped): string {
  if (pid === null && guardPid === null) return 'the town was not running; its agents, if any, keep running';
  const named = (one: number): string =>
    held.includes(one) ? `${one}, which was stopped or waited for a disk` : String(one);
  const force = forced.length === 0 ? '' : `; by force: ${forced.map(named).join(', ')}`;
  const still = left.length === 0 ? '' : `; still there: ${left.join(', ')}`;
  return `the town is down (town ${pid ?? 'none'}, guard ${guardPid ?? 'none'}${force}${still}); agents keep running`;
}

async function stop(context: Context, settings: Settings, purge: boolean): Promise<Stopped> {
  const { stopTown } = await import('../../guard/stop.ts'); // `up` has no use for all that it loads.
  const stopped = await stopTown(settings, { purge, say: note }).catch(async (error: unknown) => {
    await context.placed();
    throw error;
  });
  if (stopped.unlatched !== null)
    note(`${FILES.stopped} could not be written, so a starter may not see it: ${stopped.unlatched}`);
  if (stopped.left.length === 0) return stopped;
  const held = stopped.left.filter((pid) => stopped.held.includes(pid));
  const next = held.length === 0 ? '' : `; \`kill -CONT ${held.join(' ')}\` continues who is stopped`;
  const text = `pids ${stopped.left.join(', ')} did not end${next}; see \`ps -p ${stopped.left.join(',')}\` and ${join(context.root, FILES.guardLog)}`;
  throw new Failure(EXIT.failed, 'still_there', text);
}

/** A mistake in town.toml must not keep a town running; only what it put into tmux is not found without its socket. */
async function settingsToStop(context: Context, purge: boolean): Promise<Settings> {
  try {
    return await context.settings();
  } catch (error) {
    if (purge || !(error instanceof ConfigError)) throw error;
    error.lines.forEach(note);
    const { defaultSettings } = await import('../../config/load.ts');
    return defaultSettings(context.where);
  }
}

export async function down(context: Context, options: { readonly purge?: boolean }): Promise<ExitCode> {
  context.existing();
  const settings = await settingsToStop(context, options.purge === true);
  await mustBeOperator(context, 'town down');
  const stopped = await stop(context, settings, options.purge === true);
  const { pid, guardPid, forced } = stopped;
  context.answer('down', { pid, guard_pid: guardPid, forced, purged: options.purge === true }, told(stopped));
  return EXIT.done;
}

/** A town that lives is not ended where its disk would not let a new one begin. `town`: null = it does not answer. Throws Failure (4). */
export async function mustTakeRecords(settings: Settings, town: StatusView | null): Promise<void> {
  const { whyNotAnew } = await import('../../guard/room.ts'); // `up` has no use for it.
  const why = await whyNotAnew(settings, town);
  if (why === null) return;
  const text = `the town is degraded (${why}): nothing was stopped; try again when \`town status\` says that it is up`;
  throw new Failure(EXIT.degraded, 'degraded', text);
}

export async function restart(context: Context, options: UpOptions): Promise<ExitCode> {
  await mustMeanIt(context, options.force === true);
  const settings = await context.exactSettings(options.set);
  await mustBeOperator(context, 'town restart');
  await context.placed();
  await mustBeThere(context, settings);
  await mustBeFree(settings);
  const { town, guard } = await whoIsThere(
    settings.root,
    runningOf(await context.disk(), STATE.maxRecordBytes),
    createProcesses(),
  );
  if (town !== null || guard !== null)
    await mustTakeRecords(settings, await context.askIfUp((one) => one.status()).catch(() => null));
  return up(context, options, true);
}
