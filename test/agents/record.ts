/** Plays takes and writes what they keep, one file per screen; what a take did not come to see is told, not written. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startActor, type Actor } from './actor.ts';
import { install } from './install.ts';
import type { Program } from './program.ts';
import { labelOf, plain, shoot, written, type Label } from './screen.ts';
import { openStage } from './stage.ts';
import { TAKES } from './takes.ts';
import type { Keep, Take } from './views.ts';

const START_MS = 90_000;
const WORDS_MS = 30_000;
const LOOK_MS = 300;
/** States in which nothing on the screen says that the agent works. */
const AT_REST: readonly Label[] = ['idle', 'draft', 'error', 'gone'];

export interface Wish {
  readonly programs: readonly Program[];
  readonly sizes: readonly string[];
  readonly takes: readonly string[];
  readonly out: string;
  readonly say: (line: string) => void;
}

export async function record(wish: Wish): Promise<number> {
  let missed = 0;
  for (const program of wish.programs) {
    const why = await install(program);
    if (why !== null) {
      wish.say(why);
      continue;
    }
    for (const [name, take] of Object.entries(TAKES))
      if (wish.takes.includes(name) && isPlayed(program, name, take))
        for (const size of wish.sizes) missed += await playOnce(program, name, take, size, wish);
  }
  return missed;
}

const isPlayed = ({ id, only }: Program, name: string, take: Take): boolean =>
  (only?.takes.includes(name) ?? true) && (take.agents?.includes(id) ?? true) && take.without?.includes(id) !== true;

async function playOnce(program: Program, name: string, take: Take, size: string, wish: Wish): Promise<number> {
  const stage = await openStage(program, take.variant);
  let missed = 0;
  try {
    const actor = startActor(stage, size);
    const keep: Keep = async (scene, usual, words) => {
      const state = labelOf(scene, program.id, usual);
      const wanted = state === usual ? words : undefined;
      const isAsSaid = (rows: string) =>
        (wanted?.test(rows) ?? true) && !(AT_REST.includes(state) && program.busy.test(rows));
      for (const end = Date.now() + WORDS_MS; !isAsSaid(actor.screen()) && Date.now() < end;) await pause(LOOK_MS);
      const shot = shoot(stage, actor.target);
      const isSeen = isAsSaid(plain(shot.rows));
      if (!isSeen) missed += 1;
      const folder = join(wish.out, isSeen ? program.id : `missed/${program.id}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${scene}-${size}.txt`), written(shot, stage, state, scene));
      wish.say(`${isSeen ? ' ' : '!'} ${program.id} ${size} ${scene} ${state}`);
    };
    await begin(actor, take);
    await take.play(actor, keep);
  } catch (error) {
    missed += 1;
    wish.say(`! ${program.id} ${size} ${name}: ${String(error).split('\n')[0] ?? ''}`);
  } finally {
    await stage.close();
  }
  return missed;
}

async function begin(actor: Actor, take: Take): Promise<void> {
  const { program } = actor.stage;
  await actor.sees(/dev@box/, START_MS);
  await actor.say(program.argv(take.variant ?? 'ready').join(' '));
  if (
    take.variant === 'untrusted' ||
    take.variant === 'keyless' ||
    take.variant === 'served' ||
    (take.variant === 'unasked' && program.id !== 'qwen')
  )
    return;
  if (!(await actor.sees(program.ready, START_MS))) throw new Error('no composer was seen at its start');
  await actor.settles(10_000);
}
