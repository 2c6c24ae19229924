/**
 * The acts of a demo, in order: the town starts, seven agents start and six of them get a warrant, the town is killed within
 * two hearings, everything ends. Only watches and calls the town's command; judges nothing. An act that never comes is left
 * out, and the report says so.
 */
import { POLICY } from '../../machines/policy.ts';
import type { Dance } from '../../machines/protocol.ts';
import { systemClock } from '../ports/clock.ts';
import { CAST, LONGEST_HEARD } from './cast.ts';
import { isRigOver, RIG, WORKS } from './rig.ts';
import { condemnedProcs, isAllTold, type Fall, type Played } from './report.ts';
import type { Stage } from './stage.ts';
import { LOOK_EVERY_MS } from './times.ts';
import { look, type Moment } from './watch.ts';
import type { Line } from '../journal/lines.ts';

/** Where the acts are shown. */
export interface Show {
  /** What the demo does now. */
  say(text: string): void;
  moment(moment: Moment): void;
}

export interface ActNeeds {
  readonly stage: Stage;
  readonly show: Show;
  /** Aborted = the demo ends at once: the acts reject with its reason. */
  readonly signal: AbortSignal;
  /** The acts end after this, played or not. */
  readonly longestMs: number;
}

/** Plays all acts on a town that is up. */
export async function play(needs: ActNeeds): Promise<Played> {
  const { stage, show } = needs;
  const { until, during } = watcher(needs);
  const filed = CAST.filter(({ reason }) => reason !== null).length;
  show.say(`starts ${CAST.length} agents: town session start <name> -- <command>`);
  show.say(`files ${filed} warrants, each when its agent runs: town warrant file <name> --reason <why>`);
  const { withWork, warrants } = await during(enterAll(stage));
  show.say(`opens a rig with ${WORKS.length} beads: town rig add ${RIG} <path>, town bead create <title>`);
  const opening = stage.openRig();
  let isOpening = true;
  const opened = (): boolean => (isOpening = false);
  // Its error is reported where it is awaited.
  opening.then(opened, opened);
  // A command that a kill cuts off has no answer: the kill waits for the last one.
  const fall = await killTown(needs, (wish) => until((now) => !isOpening && wish(now)));
  const rig = await during(opening);
  const isDone = isOver(warrants);
  const last = await until((now) => isDone(now) && isRigOver(rig, now.lines));
  const survivors = condemnedProcs(last.lines).filter((proc) => stage.processes.alive(proc));
  const after = questions(
    [...last.open, ...last.closed].map(({ value }) => value),
    fall?.attempts ?? {},
  );
  return {
    cast: CAST,
    lines: last.lines,
    warrants,
    survivors,
    withWork,
    rig: rig && (await stage.rigEnd(rig)),
    fall: fall && { ...fall, newGuardPid: last.guard?.pid ?? null, after },
  };
}

type Until = (wish: (moment: Moment) => boolean) => Promise<Moment>;

interface Watcher {
  /** Looks and shows until a wish is fulfilled or the time is over; resolves with the last look. */
  readonly until: Until;
  /** Looks and shows while something else is done. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** What acts are played with: each look is shown, and none comes after the end. */
export function watcher({ stage, show, signal, longestMs }: ActNeeds): Watcher {
  const end = systemClock.now() + longestMs;
  const once = async (): Promise<Moment> => {
    signal.throwIfAborted();
    const moment = await look(stage.disk, stage.processes);
    show.moment(moment);
    return moment;
  };
  const until: Until = async (wish) => {
    for (;;) {
      const moment = await once();
      if (wish(moment) || systemClock.now() >= end) return moment;
      await systemClock.sleep(LOOK_EVERY_MS, signal);
    }
  };
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const done = new AbortController();
    const result = work.finally(() => done.abort());
    // Its error is reported where it is awaited.
    result.catch(() => undefined);
    while (!done.signal.aborted) {
      await once();
      await systemClock.sleep(LOOK_EVERY_MS, done.signal);
    }
    return result;
  };
  return { until, during };
}

/** So many players enter at once: the first to be judged beside those that are heard longest, whose hearings have to overlap. */
const LANES = 1 + LONGEST_HEARD.length;

/** Starts each player and files its warrant once it lives, in the order of the cast. */
async function enterAll(stage: Stage): Promise<Pick<Played, 'withWork' | 'warrants'>> {
  const withWork = new Set<string>();
  const warrants: string[] = [];
  const queue = [...CAST];
  const lane = async (): Promise<void> => {
    for (let player = queue.shift(); player !== undefined; player = queue.shift()) {
      const { name, reason } = player;
      if (await stage.enter(player)) withWork.add(name);
      if (reason === null) continue;
      const filed = await stage.town(['warrant', 'file', name, '--reason', reason, '--by', 'demo']);
      warrants.push((filed as { readonly id: string }).id);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  // The first error once none of them runs any more.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return { withWork: CAST.map(({ name }) => name).filter((name) => withWork.has(name)), warrants };
}

/** By dance id: the attempt that was open. */
type Attempts = Readonly<Record<string, number>>;
type HalfFall = Omit<Fall, 'after' | 'newGuardPid'> & { readonly attempts: Attempts };

/** Kills the town when its two longest hearings are in their second question; null = they never came so far. */
async function killTown({ stage, show }: ActNeeds, until: Until): Promise<HalfFall | null> {
  const before = await until((now) => isWithin(now) || isTooLate(now));
  const { town, guard } = before;
  if (!isWithin(before) || town === null) return null;
  const open = before.open.map(({ value }) => value);
  const attempts = Object.fromEntries(open.map(({ id, attempt }) => [id, attempt]));
  show.say(`kill -9 ${town.pid}: the town is gone, within ${open.length} hearings`);
  const at = Date.now();
  stage.processes.signal(town, 'KILL');
  const back = await until((now) => {
    const isNew = now.town !== null && now.town.pid !== town.pid;
    return isNew && now.lines.some((line) => Date.parse(line.at) > at);
  });
  if (back.town !== null) show.say(`the guard brought the town back: pid ${back.town.pid}`);
  return {
    at,
    pid: town.pid,
    guardPid: guard?.pid ?? null,
    newPid: back.town?.pid ?? null,
    before: questions(open, attempts),
    attempts,
  };
}

/** The code of that attempt of each dance. */
function questions(dances: readonly Dance[], attempts: Attempts): Record<string, string> {
  return Object.fromEntries(
    dances.flatMap(({ id, attempts: asked }) => {
      const code = asked[(attempts[id] ?? 0) - 1]?.code;
      return code === undefined ? [] : [[id, code]];
    }),
  );
}

const OTHERS = CAST.filter(({ name }) => !LONGEST_HEARD.includes(name));
/** Their last question: the others are not waited for any more. */
const LAST = POLICY.dance.windowsMs.length;

function isWithin({ open, guard, town, lines }: Moment): boolean {
  // Not the first question: what is lost by the fall must be more than nothing. And told: a town that is killed between the
  // two never tells what it saved.
  const asked = open.filter(({ value }) => value.attempt > 1 && isTold(value, lines));
  const heard = LONGEST_HEARD.map(
    (name) => asked.find(({ value }) => value.target.session === name)?.value.attempt ?? 0,
  );
  const isQuiet = isAllTold(OTHERS, [], lines);
  return guard !== null && town !== null && heard.every((attempt) => attempt > (isQuiet ? 1 : LAST - 1));
}

/** Whether the journal has this question, too. */
function isTold({ id, stage, attempt }: Dance, lines: Moment['lines']): boolean {
  const isThis = (line: Line): boolean => line.dance === id && 'attempt' in line && line.attempt === attempt;
  return (
    stage.startsWith('interrogating.') &&
    lines.some((line) => line.kind?.startsWith('dance.interrogating.') === true && isThis(line))
  );
}

/** One of them has its verdict already. */
function isTooLate({ warrants }: Moment): boolean {
  return warrants.some(({ target, state }) => state === 'closed' && LONGEST_HEARD.includes(target));
}

const isOver =
  (ids: readonly string[]) =>
  ({ warrants, sessions, town, lines }: Moment): boolean => {
    const closed = new Set(warrants.filter(({ state }) => state === 'closed').map(({ id }) => id));
    const reborn = CAST.filter(({ expected }) => expected.kind === 'restarted').map(({ name }) => sessions.get(name));
    const live = reborn.every((record) => record?.state === 'running' && record.restarts > 0);
    // The journal comes a moment after the records, and the report is drawn from it.
    return town !== null && live && ids.every((id) => closed.has(id)) && isAllTold(CAST, ids, lines);
  };
