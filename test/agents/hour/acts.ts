/** What scenes are made of: a prompt with a mark of its own, the model's word that it came, the end of a turn, a life that ends. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Town } from '../../../src/client/connect.ts';
import type { Chance } from '../../world/chance.ts';
import type { BenchTown } from '../town.ts';
import type { Resident } from './house.ts';
import type { Oracle } from './oracle.ts';
import { WITHIN } from './policy.ts';

export interface Play {
  readonly scene: string;
  readonly resident: Resident;
  readonly oracle: Oracle;
  /** In the bench's own process, which hears no server of the namespace. */
  readonly town: Town;
  /** By commands in the namespace. */
  readonly bench: BenchTown;
  readonly chance: Chance;
  /** Marks of prompts that this resident was given, each to be read once. */
  readonly marks: string[];
}

/** The bench cannot bring the agent where the scene begins: no word about the town. */
export class Unplayable extends Error {}

const LOOK_MS = 500;
const LINE_TIME = /^(\S+) /;
let count = 0;

export function markOf({ resident, marks }: Play): string {
  count += 1;
  const mark = `${resident.name}-no${String(count)}x`;
  marks.push(mark);
  return mark;
}

/** Throws Unplayable when it does not come about. */
export async function comes<T>(what: string, withinMs: number, look: () => T | null): Promise<T> {
  for (const end = Date.now() + withinMs; ;) {
    const found = look();
    if (found !== null) return found;
    if (Date.now() > end) throw new Unplayable(what);
    await pause(LOOK_MS);
  }
}

/** When the model was first asked with this mark; null = it was not. */
export function askedAt({ resident }: Play, mark: string): number | null {
  const line = resident.stage
    .log()
    .split('\n')
    .find((one) => one.includes(mark));
  const time = LINE_TIME.exec(line ?? '')?.[1];
  return time === undefined ? null : Date.parse(time);
}

/** Gives it a prompt at its keys. When the model was asked. */
export async function prompt(play: Play, mode: string): Promise<number> {
  const mark = markOf(play);
  const { oracle, resident } = play;
  // A busy machine is at work for a while before its model is asked.
  oracle.truth(resident.name, 'working', 'idle');
  await resident.actor.say(`${mark} ${mode}`);
  return comes(`the model was never asked ${mark}`, WITHIN.turnMs, () => askedAt(play, mark));
}

type Shown = 'busy' | 'blocked' | 'limit' | 'error' | 'login';

/** The words of its screen. */
const shows = ({ resident: { actor, stage } }: Play, of: Shown): boolean => {
  try {
    return stage.program[of]?.test(actor.screen()) ?? false;
  } catch {
    return false; // Its pane is gone.
  }
};
export const seen = (play: Play, of: Shown): Promise<true> =>
  comes(`its screen never showed what is ${of}`, WITHIN.turnMs, () => (shows(play, of) ? true : null));

const isAnswering = ({ resident: { stage } }: Play): boolean => {
  const file = join(stage.home, '.bench', 'under-way');
  return existsSync(file) && readFileSync(file, 'utf8') !== '0';
};

/** To be asked again and again: since when its turn is over, by its model and its screen, for a while; null = it is not. */
function restOf(play: Play): () => number | null {
  let from = 0;
  return () => {
    if (isAnswering(play) || shows(play, 'busy') || shows(play, 'blocked')) from = 0;
    else if (from === 0) from = Date.now();
    return from !== 0 && Date.now() - from > 2 * LOOK_MS ? from : null;
  };
}

/** Waits until its turn is over, and has the town say so. */
export async function rests(play: Play): Promise<void> {
  const { scene, resident, oracle } = play;
  const agent = resident.name;
  const from = await comes('its turn never ended', WITHIN.turnMs, restOf(play));
  oracle.truth(agent, 'idle');
  await oracle.notices({ scene, agent, what: 'rest', from, limitMs: WITHIN.stateMs }, isIn('idle'));
}

export const isIn =
  (...states: readonly string[]) =>
  ({ screen }: { readonly screen?: { readonly state: string } | null }): boolean =>
    screen !== null && screen !== undefined && states.includes(screen.state);

/** It works since then. A turn that ended while no town was there to see it is no miss. */
export async function works(play: Play, from: number): Promise<void> {
  const { scene, resident, oracle } = play;
  const rest = restOf(play);
  oracle.truth(resident.name, 'working');
  const work = { scene, agent: resident.name, what: 'work', from, limitMs: WITHIN.stateMs };
  await oracle.notices(work, isIn('working'), () => rest() !== null);
}

/** Presses what ends a turn or a dialog of its program. */
export const interrupt = ({ resident: { actor, stage } }: Play): Promise<void> =>
  actor.press(stage.program.interrupt ?? ['Escape']);

/** Takes out what the program put back into its composer. */
export const empty = ({ resident: { actor } }: Play): Promise<void> => actor.keys('C-u');

/** Out of a state in which a scene broke off. */
export async function recover(play: Play): Promise<void> {
  play.oracle.truth(play.resident.name);
  await interrupt(play);
  await empty(play);
  await settle(play);
}

/** Its process is killed, and its next life begins at rest. */
export const revive = (play: Play): Promise<void> => {
  const pid = play.oracle.view(play.resident.name)?.pid;
  return dies(play, async () => {
    if (pid !== undefined && pid !== null) process.kill(pid, 'SIGKILL');
  });
};

/** Something short, so that nothing half done is left of the scene. */
export async function settle(play: Play): Promise<void> {
  await prompt(play, 'MODE:prose');
  await rests(play);
}

const STARTED_AGAIN = 'Townwatch started you again';
const timesIn = (text: string, words: string): number => text.split(words).length - 1;

/** Its process ends by this; the town starts it again with its conversation, and tells it once. */
export async function dies(play: Play, kill: () => Promise<void>): Promise<void> {
  const { scene, resident, oracle } = play;
  const agent = resident.name;
  const before = oracle.view(agent);
  const saidBefore = timesIn(resident.kept.said(resident.stage.home).join('\n'), STARTED_AGAIN);
  oracle.ends(agent);
  await kill();
  await comes('its process never ended', WITHIN.turnMs, () => (isGone(before?.pid ?? null) ? true : null));
  const from = await dueAt(play, Date.now());
  const isAgain = await oracle.notices(
    { scene, agent, what: 'a new life', from, limitMs: WITHIN.restartMs },
    (view) => {
      return view.uuid !== before?.uuid && view.state === 'running';
    },
  );
  if (!isAgain) return;
  await comes('its first screen never came', WITHIN.startMs, () =>
    resident.stage.program.ready.test(resident.actor.screen()) ? true : null,
  );
  const old = before?.conversation?.id;
  await oracle.notices(
    { scene, agent, what: 'its conversation', from: Date.now(), limitMs: WITHIN.stateMs },
    ({ conversation }) => {
      return old === undefined || (conversation?.id === old && conversation.resumed === true);
    },
  );
  await comes('it was not told why it was started again', WITHIN.turnMs, () =>
    timesIn(resident.kept.said(resident.stage.home).join('\n'), STARTED_AGAIN) > saidBefore ? true : null,
  );
  await rests(play);
  const times = timesIn(resident.kept.said(resident.stage.home).join('\n'), STARTED_AGAIN) - saidBefore;
  if (times !== 1) oracle.fault('twice', agent, `it was told ${String(times)} times why it was started again`);
}

/** When its next life is due: the town waits longer before each restart in a row, and says until when. */
async function dueAt({ oracle, resident }: Play, diedAt: number): Promise<number> {
  const before = oracle.view(resident.name)?.uuid;
  while (Date.now() < diedAt + WITHIN.restartMs + WITHIN.upAgainMs) {
    const { next_start_at: next, uuid } = oracle.view(resident.name) ?? {};
    if (typeof next === 'string') return Math.max(diedAt, Date.parse(next));
    if (uuid !== before && uuid !== null) break;
    await pause(LOOK_MS);
  }
  return diedAt;
}

function isGone(pid: number | null): boolean {
  try {
    if (pid !== null) process.kill(pid, 0);
    return pid === null;
  } catch {
    return true;
  }
}
