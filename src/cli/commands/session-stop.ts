/**
 * `town session stop|restart|remove`: what an operator does to one session by intent. The running town carries it out and has
 * it on record; here it is waited for, so that who typed it learns what was saved.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isStop, shownVerdict } from '../../../machines/hearings/dance.ts';
import { PROCESS } from '../../ports/policy.ts';
import type { Dance, SessionRecord } from '../../../machines/protocol.ts';
import { sessionOf } from '../../../machines/rigs/names.ts';
import { savedText } from '../../../machines/hearings/saved-work.ts';
import { starterOf } from '../asking/session-starter.ts';
import { readDances, readSession } from '../../overview/records.ts';
import { stopDenied } from '../../socket/permission.ts';
import { mustBeOperator, unlessDenied, whoCalls } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { forgetEnvironment } from '../../../state/sessions/environment.ts';
import { keepValues } from '../naming/environment.ts';
import { knownSession } from '../naming/names.ts';
import { sessionToAct } from '../naming/resolve.ts';
import { earlyEnd, earlyEndText, mustLive } from '../asking/start-look.ts';
import { clean } from '../../terminal/print.ts';

export interface StopOptions {
  readonly force?: boolean;
  readonly wait: boolean;
}

export interface RestartOptions extends StopOptions {
  readonly fresh?: boolean;
}

/** What the town says of the session when it has the order on record. */
interface StopAccepted {
  readonly name: string;
  readonly state: string;
  readonly uuid: string | null;
  /** Absent where nothing had to end. */
  readonly warrant?: string | null;
  /** Where it stood, if it had no life to be ended. */
  readonly was?: string;
}

interface Wanted {
  readonly then: 'end' | 'restart';
  readonly force: boolean;
  readonly fresh?: true | undefined;
}

async function requestStop(context: Context, name: string, wanted: Wanted): Promise<StopAccepted> {
  unlessDenied(stopDenied(await whoCalls(context), name));
  await knownSession(context, name);
  const taken = (await context.request({ verb: 'stopSession', name, ...wanted })) as StopAccepted;
  return { ...taken, warrant: taken.warrant ?? null };
}

/** The hearing by which this life was stopped; null = there is none yet. */
async function hearingOf(context: Context, uuid: string | null): Promise<Dance | null> {
  if (uuid === null) return null;
  const { open, closed } = await readDances(await context.disk());
  const all = [...closed, ...open].map(({ value }) => value);
  return all.findLast(({ target, warrants }) => target.uuid === uuid && warrants.some(isStop)) ?? null;
}

const ENDED: ReadonlySet<string | null> = new Set(['executed', 'already_dead']);

/** Throws Failure where it will not come to an end: its work could not be saved, or no town is there to go on. */
async function stillUnderWay(context: Context, name: string, dance: Dance | null): Promise<void> {
  if (dance !== null && dance.closedAt !== null && !ENDED.has(dance.verdict)) {
    const text = `${name} was not ended: ${dance.reason}; see \`town dog show ${dance.id}\`, then type it again`;
    throw new Failure(EXIT.failed, 'not_stopped', text);
  }
  if ((await context.askIfUp(async (town) => town.status())) !== null) return;
  const text = `the town is down; that ${name} is to be ended is on record, and the town goes on with it when it starts`;
  throw new Failure(EXIT.notRunning, 'not_running', text);
}

/** Asks the record again and again, and now and then whether it still can come to that. */
async function until(
  context: Context,
  name: string,
  isSo: (record: SessionRecord | null) => Promise<boolean> | boolean,
  look: () => Promise<void>,
): Promise<SessionRecord | null> {
  const disk = await context.disk();
  for (let lookAt = performance.now() + PROCESS.watchEveryMs; ;) {
    const record = await readSession(disk, name);
    if (await isSo(record)) return record;
    if (performance.now() >= lookAt) {
      await look();
      lookAt = performance.now() + PROCESS.watchEveryMs;
    }
    await pause(PROCESS.pollEveryMs);
  }
}

/** Resolves when this life has ended and its hearing is closed. */
async function untilEnded(context: Context, { name, uuid: known }: StopAccepted): Promise<Dance | null> {
  let uuid = known;
  let dance: Dance | null = null;
  await until(
    context,
    name,
    async (record) => {
      // A session that was starting has its life only now.
      if (record?.state === 'running' && record.asked?.uuid === record.incarnation?.uuid)
        uuid = record.incarnation?.uuid ?? uuid;
      if (record !== null && (record.state === 'starting' || record.state === 'running') && isSame(record, uuid))
        return false;
      dance = await hearingOf(context, uuid);
      return dance === null || dance.closedAt !== null;
    },
    async () => stillUnderWay(context, name, await hearingOf(context, uuid)),
  );
  return dance;
}

/** The record is still about the life that is to end. */
const isSame = ({ state, incarnation }: SessionRecord, uuid: string | null): boolean =>
  state === 'starting' || incarnation?.uuid === uuid;

const dataOf = ({ name, warrant }: StopAccepted, dance: Dance | null): object => ({
  name,
  warrant,
  dance: dance?.id ?? null,
  verdict: dance && shownVerdict(dance),
  rescue: dance?.rescue ?? null,
  survivors: dance?.survivors ?? [],
});

/** What was saved and what lives on, as the end of a sentence. */
function savedOf(dance: Dance | null): string {
  if (dance === null) return '';
  const saved = dance.rescue === null ? '' : `; ${savedText(dance.rescue)}`;
  const left = dance.survivors.map(({ pid }) => pid).join(', ');
  return clean(`${saved}${left === '' ? '' : `; pids ${left} live on`}`);
}

const HAD_NO_LIFE: Readonly<Record<string, string>> = {
  backing_off: 'it waited for its next start, and gets none',
  ended: 'it did not run, and stays so',
};

/** What becomes of a polecat's work, as a sentence of its own. */
async function workLeft(context: Context, name: string): Promise<string> {
  const records = new RigRecords({ disk: await context.disk() });
  const record = (await records.polecats()).found.find((one) => sessionOf(one) === name);
  if (record === undefined) return '';
  const { bead, rig, name: polecat } = record;
  const tree = `its worktree stays until all of its work is saved or pushed (town polecat git-state ${rig}/${polecat})`;
  return bead === null
    ? ` The patrol of ${rig} then clears it: ${tree}.`
    : ` The patrol of ${rig} gives ${bead} to another polecat, unless ${bead} is done or has failed too often; ${tree}.`;
}

/** Ends it, its work saved first; resolves when that is done. */
export async function stop(context: Context, word: string, { force = false, wait }: StopOptions): Promise<void> {
  const name = await sessionToAct(context, word, true);
  const taken = await requestStop(context, name, { then: 'end', force });
  const had = taken.was === undefined ? undefined : HAD_NO_LIFE[taken.was];
  const work = await workLeft(context, name);
  if (had !== undefined) {
    const text = `${name} is stopped: ${had}${work === '' ? '' : `.${work}`}`;
    context.answer('session-stopped', { ...dataOf(taken, null), ended: true }, text);
    return;
  }
  if (!wait) {
    const text = `${name} is being stopped; see \`town session status ${name}\`${work === '' ? '' : `.${work}`}`;
    context.answer('session-stopped', { ...dataOf(taken, null), ended: false }, text);
    return;
  }
  const dance = await untilEnded(context, taken);
  const next = work === '' ? ` To start it again as it was: town session start ${name}` : work;
  const text = `${name} is stopped${savedOf(dance)}.${next}`;
  context.answer('session-stopped', { ...dataOf(taken, dance), ended: true }, text);
}

/** Ends it, if it runs, and starts it again as it was; `fresh`: with another conversation. */
export async function restart(context: Context, word: string, options: RestartOptions): Promise<void> {
  const name = await sessionToAct(context, word, true);
  const { force = false, fresh = false, wait } = options;
  await freshValues(context, name);
  const taken = await requestStop(context, name, { then: 'restart', force, ...(fresh && { fresh }) });
  const isEnding = typeof taken.warrant === 'string';
  if (!wait) {
    const text = `${name} is being restarted; see \`town session status ${name}\``;
    context.answer('session-restarted', { ...dataOf(taken, null), pid: null }, text);
    return;
  }
  const dance = isEnding ? await untilEnded(context, taken) : null;
  const now = await untilBack(context, taken, isEnding);
  const uuid = now?.incarnation?.uuid ?? null;
  const end = uuid === null ? null : mustLive(await earlyEnd(context, name, uuid));
  const pid = end === null ? (now?.incarnation?.agent.pid ?? null) : null;
  const text = `${name} ${isEnding ? 'runs again' : 'is started'} (pid ${pid ?? 'unknown'})${savedOf(dance)}`;
  const data = { ...dataOf(taken, dance), pid, ended: end };
  context.answer('session-restarted', data, end === null ? text : earlyEndText(end));
}

/** What is exported by now reaches the new life. */
async function freshValues(context: Context, name: string): Promise<void> {
  const record = await readSession(await context.disk(), name);
  if (record === null || (await whoCalls(context)).is !== 'operator') return;
  const unset = await keepValues(context, record.spec);
  if (unset !== null) throw new Failure(EXIT.usage, 'no_variable', unset);
}

async function untilBack(
  context: Context,
  { name, uuid }: StopAccepted,
  isEnding: boolean,
): Promise<SessionRecord | null> {
  const isBack = (record: SessionRecord | null): boolean => {
    if (record?.state === 'running') return !isEnding || record.incarnation?.uuid !== uuid;
    const isHeld = record?.state === 'backing_off' && record.startBlocked === true && record.bar?.by === 'logged_out';
    const isFailed =
      isHeld ||
      record === null ||
      record.state === 'ended' ||
      (record.failedStarts ?? 0) > 0 ||
      record.nameTaken === true;
    if (!isFailed) return false;
    const why = record === null ? 'it was removed meanwhile' : clean(record.note);
    throw new Failure(EXIT.failed, 'not_started', `${name} ended, and is not back: ${why}; see \`town why ${name}\``);
  };
  return until(context, name, isBack, () => stillUnderWay(context, name, null));
}

/** Forgets one that does not run. */
export async function remove(context: Context, word: string): Promise<void> {
  const name = await sessionToAct(context, word, true);
  await mustBeOperator(context, 'session remove');
  await knownSession(context, name);
  const text = await starterOf(context, name);
  if (text !== null) throw new Failure(EXIT.refused, 'configured', text);
  const value = await context.request({ verb: 'removeSession', name });
  await forgetEnvironment(await context.disk(), name);
  const done = `${name} is removed; its journal (town why ${name}), its rescues and its kept output stay`;
  context.answer('session-removed', value ?? { name }, done);
}
