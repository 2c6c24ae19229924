/** `town deacon status|heartbeat|health-check|pause|resume`: files first, so that all but the check works with the town down. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeaconPolicy } from '../../../machines/watchdog/policy.ts';
import type { Beat, HealthCheck } from '../../../machines/protocol/watchdog.ts';
import { FILES, folderOf } from '../../../state/files/layout.ts';
import { noteText, pauseText, readNote, readPause } from '../../../state/watchdog/records.ts';
import { parseDuration } from '../../config/duration.ts';
import { checkDenied, rulesOf } from '../../socket/permission.ts';
import { mustBeOperator, unlessDenied, whoCalls } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { glance } from '../asking/glance.ts';
import { checkUnprotected, knownSession, quoteName } from '../naming/names.ts';
import { isoOf, notesOf, wakeTown, writeNote } from '../asking/notes.ts';
import { clean, table } from '../../terminal/print.ts';
import { mailboxOf } from '../asking/post.ts';
import { sessionToAct } from '../naming/resolve.ts';
import { silenceOf } from '../asking/silence.ts';
import { span, times } from '../../../machines/kernel/span.ts';
import { when } from '../../journal/when.ts';

const viewOf = (beat: Beat): object => ({
  timestamp: isoOf(beat.at),
  age_ms: Math.max(0, Date.now() - beat.at),
  cycle: beat.cycle,
  last_action: beat.lastAction,
  healthy_agents: beat.healthy,
  unhealthy_agents: beat.unhealthy,
  next_beat_due: isoOf(beat.nextDueAt),
  incarnation: beat.incarnation,
});

/** True while the Deacon runs: an actor by the town's word, a session by its process; null = unknown. */
async function isRunning(context: Context, { mode, session }: DeaconPolicy): Promise<boolean | null> {
  const { town, overview } = await glance(context);
  if (mode === 'session') {
    const seen = overview.sessions?.find(({ name }) => name === session);
    const isAbsent = overview.sessions !== null && overview.tmux_fault === null;
    return seen === undefined ? (isAbsent ? false : null) : seen.alive;
  }
  if (town !== null) return town.actors.some(({ id }) => id.endsWith('/deacon'));
  return (await silenceOf(context))?.kind === 'silent' ? null : false;
}
const runningText = (running: boolean | null): string =>
  running === null ? 'and whether it runs is not known' : running ? 'and runs' : 'and does not run';

export async function status(context: Context): Promise<void> {
  context.existing();
  const notes = await notesOf(context);
  const { deacon } = (await context.settings()).policy.watchdog;
  const [beat, paused] = [await readNote(notes, 'heartbeat'), await readPause(notes)];
  const { box } = await mailboxOf(context, 'deacon');
  const unread = await box.unread();
  const running = await isRunning(context, deacon);
  const data = {
    mode: deacon.mode,
    running,
    session: deacon.mode === 'session' ? deacon.session : null,
    heartbeat: beat && viewOf(beat),
    paused,
    unread,
  };
  context.answer('deacon-status', data, () => [
    `${deacon.mode === 'actor' ? 'the Deacon is an actor of the town' : `the Deacon is the session ${deacon.session}`}, ${runningText(running)}`,
    beat === null
      ? 'it has not beaten yet'
      : `last beat ${when(beat.at)}, cycle ${beat.cycle}: ${clean(beat.lastAction)}; ${beat.healthy} agents are well, ${beat.unhealthy} are not`,
    ...(paused === null ? [] : [`paused ${when(paused.since)} by ${clean(paused.by)}: ${clean(paused.reason)}`]),
    unread === null ? 'its mailbox cannot be read: whether mail waits is unknown' : times(unread, 'unread message'),
  ]);
}

export interface BeatOptions {
  readonly action: string;
  readonly next?: string;
  readonly healthy?: number;
  readonly unhealthy?: number;
}

/** The life that beats; throws Failure (5) for anybody but the Deacon's session, and where the actor beats. */
async function beater(context: Context): Promise<string | null> {
  const { deacon } = (await context.settings()).policy.watchdog;
  if (deacon.mode === 'actor') {
    const text =
      'the Deacon is an actor here and beats by itself; for one in a session write [deacon] mode = "session"';
    throw new Failure(EXIT.refused, 'actor_beats', text);
  }
  const caller = await whoCalls(context);
  if (caller.is === 'operator') return null;
  if (caller.session === deacon.session) return caller.uuid;
  const why = `only ${deacon.session} may beat as the Deacon, and TOWN_TOKEN belongs to ${caller.session}; unset it to beat as the operator`;
  throw new Failure(EXIT.refused, 'not_yourself', why);
}

export async function heartbeat(context: Context, options: BeatOptions): Promise<void> {
  context.existing();
  const incarnation = await beater(context);
  const { boot } = (await context.settings()).policy.watchdog;
  const nextMs = options.next === undefined ? null : parseDuration(options.next);
  if (options.next !== undefined && (nextMs === null || nextMs > boot.maxAheadMs)) {
    const text = `--next ${quoteName(options.next)} must be a duration of at most ${span(boot.maxAheadMs)}; write --next 5m`;
    throw new Failure(EXIT.usage, 'bad_next', text);
  }
  const before = await readNote(await notesOf(context), 'heartbeat');
  const at = Date.now();
  const beat: Beat = {
    at,
    cycle: (before?.cycle ?? 0) + 1,
    lastAction: clean(options.action),
    healthy: options.healthy ?? before?.healthy ?? 0,
    unhealthy: options.unhealthy ?? before?.unhealthy ?? 0,
    nextDueAt: nextMs === null ? null : at + nextMs,
    incarnation,
  };
  await writeNote(context, FILES.heartbeat, noteText('heartbeat', beat));
  const { handoffAfter } = (await context.settings()).policy.watchdog.deacon;
  const hint =
    beat.cycle % handoffAfter === 0 ? `; ${beat.cycle} cycles: time for \`town handoff -s "Routine cycle"\`` : '';
  context.answer('heartbeat', viewOf(beat), `beat ${beat.cycle}${hint}`);
}

export async function pause(context: Context, { reason }: { readonly reason: string }): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'pausing the Deacon');
  const paused = { since: new Date().toISOString(), by: 'operator', reason };
  await writeNote(context, FILES.paused, pauseText(paused));
  await wakeTown(context, 'mail');
  context.answer('deacon-paused', paused, 'the Deacon is paused: it is not judged until `town deacon resume`');
}

export async function resume(context: Context): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'resuming the Deacon');
  const disk = await context.disk();
  const was = (await readPause(await notesOf(context))) !== null;
  await disk.remove(FILES.paused);
  await disk.syncDir(folderOf(FILES.paused));
  await wakeTown(context, 'mail');
  const text = was ? 'the Deacon is judged again' : 'the Deacon was not paused';
  context.answer('deacon-resumed', { was_paused: was }, text);
}

/** Answers are looked for this often; each look is one small file. */
const LOOK_MS = 200;

async function results(context: Context, asked: readonly string[], limitMs: number): Promise<[string, HealthCheck][]> {
  const notes = await notesOf(context);
  for (const until = Date.now() + limitMs; ;) {
    const checks = (await readNote(notes, 'healthChecks')) ?? {};
    const found = asked.flatMap((name): [string, HealthCheck][] => {
      const check = checks[name];
      return check === undefined ? [] : [[name, check]];
    });
    if (found.every(([, { code }]) => code === null) || Date.now() > until) return found;
    await sleep(LOOK_MS);
  }
}

/** Asks one session, or all, for a sign of life, and waits for it. 1 when one left its question unanswered. */
export async function healthCheck(context: Context, word: string | undefined): Promise<number> {
  const agent = word === undefined ? undefined : await sessionToAct(context, word);
  unlessDenied(checkDenied(await whoCalls(context), agent ?? null, rulesOf(await context.settings())));
  if (agent !== undefined) {
    checkUnprotected(agent, await context.settings());
    await knownSession(context, agent);
  }
  const taken = await context.request({ verb: 'healthCheck', session: agent ?? null });
  const { asked } = taken as { readonly asked: readonly string[] };
  const { policy, process: limits } = await context.settings();
  const found = await results(context, asked, policy.watchdog.deacon.healthWaitMs + limits.orderMs);
  const data = found.map(([session, check]) => ({
    session,
    last_ping: isoOf(check.lastPingAt),
    last_answer: isoOf(check.lastAnswerAt),
    consecutive_failures: check.failures,
    result: check.code === null ? check.result : 'not over yet',
    recommends_warrant: check.failures >= policy.watchdog.deacon.healthFailures,
  }));
  const row = (d: (typeof data)[number]): string[] => [
    d.session,
    d.last_answer === null ? '-' : when(d.last_answer),
    `${d.consecutive_failures}`,
    d.result,
  ];
  context.answer('health-check', data, () => table(['SESSION', 'LAST ANSWER', 'FAILURES', 'RESULT'], data.map(row)));
  return data.some(({ result }) => result === 'no answer') ? EXIT.failed : EXIT.done;
}
