/**
 * A permission of a real program is asked and answered far from its pane, by each way in turn: the tool runs once, the same answer
 * once more is refused, and one behind a person at the pane changes nothing. At last it is answered with "always", which the
 * configuration names: its program says what for, and runs the same once more without a question.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn, type Actor } from './actor.ts';
import { SPEAKERS, until, WITHIN_MS } from './ears.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';
import { desk, mcp, openServers, popup, type Way } from './ways.ts';

const SESSION = 'shop';
const OFFERS = '[asks]\noffer = ["always"]';
/** What would still run after a refused answer has begun by then. */
const CALM_MS = 2_000;
/** A dialog is told at once, as if no person could be at the pane. */
const SOON = '[hands]\nasking_look = "1s"\nasking_read = "4s"\nasks_after = "4s"\nlogged_out_after = "1s"';

interface Asked {
  readonly id: string;
  readonly options: readonly { readonly key: string; readonly gives: string }[];
}
const isAlways = ({ key }: Asked['options'][number]): boolean => key === 'always';

/** When the tool began, each time that it ran. */
const runs = (stage: Stage): number[] => {
  const file = join(stage.dir, 'RAN');
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  return rows.filter((row) => row !== '').map((row) => Number(row) / 1e6);
};

async function ask({ stage, sees, say, keys }: Actor): Promise<void> {
  await keys('C-u');
  await say('MODE:stamp');
  if (!(await sees(stage.program.blocked, WITHIN_MS))) throw new Error('it shows no dialog');
}

/** What came of an earlier answer may stand behind "over". */
const TAKEN = new RegExp(`(?:${SESSION} was|\\(${SESSION}\\):) answered with "`);
const isRefused = (words: string): boolean => !TAKEN.test(words);

/** Why it went wrong by this way; null = it did not. Says the figures. */
async function playWay(actor: Actor, way: Way, say: (line: string) => void): Promise<string | null> {
  const { stage } = actor;
  const before = runs(stage).length;
  const ran = (): number => runs(stage).length - before;
  let began = 0;
  const answer = await way.asked(async () => {
    await ask(actor);
    began = Date.now();
  });
  const askedMs = (answer.askedAt ?? Date.now()) - began;
  const { at, read } = await answer.give();
  if ((await until(() => Promise.resolve(ran() === 1))) === null)
    return `${way.name}: what it asked for ran ${String(ran())} times: ${read.text}`;
  const begunMs = (runs(stage).at(-1) ?? 0) - at;
  say(
    `  ${way.name}: asked there ${(askedMs / 1_000).toFixed(1)} s after its dialog; tool begun ${begunMs.toFixed(0)} ms, proved ${String(read.at - at)} ms after the answer: ${read.text}`,
  );
  if (isRefused(read.text)) return `${way.name}: the first answer was refused: ${read.text}`;
  const again = await answer.give();
  say(`    the same once more: ${again.read.text}`);
  await actor.settles(WITHIN_MS);
  if (!isRefused(again.read.text) || ran() !== 1) return `${way.name}: the same once more counted: ${again.read.text}`;
  const late = await way.asked(() => ask(actor));
  await actor.press(stage.program.interrupt ?? ['Escape']);
  const isGone = () => Promise.resolve(!stage.program.blocked.test(actor.screen()));
  if ((await until(isGone)) === null) return `${way.name}: its dialog stands after Esc`;
  const refused = await late.give();
  say(`    behind Esc in its pane: ${refused.read.text}`);
  await pause(CALM_MS);
  await actor.settles(WITHIN_MS);
  if (!isRefused(refused.read.text) || ran() !== 1)
    return `${way.name}: an answer behind Esc counted: ${refused.read.text}`;
  return null;
}

/** Programs ask of one command in turn: whether it may run, and where. */
const MOST_ALWAYS = 3;

/** Why "always" went wrong; null = it did not. Says what each gives, until the command runs without a question. */
async function playAlways(actor: Actor, town: BenchTown, say: (line: string) => void): Promise<string | null> {
  const { stage } = actor;
  for (let given = 0; given < MOST_ALWAYS; given += 1) {
    const before = runs(stage).length;
    const hasRun = (): boolean => runs(stage).length > before;
    await actor.keys('C-u');
    await actor.say('MODE:always');
    const isNext = () => Promise.resolve(hasRun() || stage.program.blocked.test(actor.screen()));
    if ((await until(isNext)) === null) return 'always: it neither asks nor runs';
    if (hasRun()) {
      if (given > 0) say('    the same once more ran without a question');
      return given > 0 ? null : 'always: it did not ask';
    }
    let asked: Asked | undefined;
    const isOffered = async (): Promise<boolean> => {
      asked = (await town.told<Asked[]>('ask', 'list')).find(({ options }) => options.some(isAlways));
      return asked !== undefined;
    };
    if ((await until(isOffered)) === null || asked === undefined) return 'always: it is not offered';
    say(`  always: ${asked.options.find(isAlways)?.gives ?? ''}`);
    await town.told('ask', 'answer', asked.id, 'always');
    if ((await until(() => Promise.resolve(hasRun()))) === null) return 'always: what it asked for never ran';
    await actor.settles(WITHIN_MS);
  }
  return `always: it still asks:\n${actor.screen()}`;
}

async function play(stage: Stage, first: string | undefined, say: (line: string) => void): Promise<string | null> {
  stage.health('prose');
  const { settings, ways } = await openServers(stage);
  const town = await openTown(stage, `${settings}\n${SOON}\n${OFFERS}`, undefined, true);
  await town.start(SESSION, stage.program.argv('ready'));
  const actor = actorOn(stage, SESSION);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  if (first !== undefined) await actor.say(first);
  await actor.settles(WITHIN_MS);
  const wrong: string[] = [];
  for (const way of [popup(stage), desk(stage, town.root), ...ways, await mcp(stage, town.root)]) {
    const why = await playWay(actor, way, say).catch(
      (error: unknown) => `${way.name}: ${String(error)}\n${actor.screen()}`,
    );
    if (why !== null) wrong.push(why);
  }
  const why = await playAlways(actor, town, say).catch(
    (error: unknown) => `always: ${String(error)}\n${actor.screen()}`,
  );
  if (why !== null) wrong.push(why);
  return wrong.length === 0 ? null : wrong.join('\n');
}

/** How many programs were not answered right. */
export async function playAnswers(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let wrong = 0;
  for (const { id, first } of SPEAKERS.filter((one) => agents?.includes(one.id) ?? true))
    wrong += await playOne(programOf(id), [
      {
        as: 'answered from afar',
        right: 'asked and answered by each way, once',
        say,
        play: (stage) => play(stage, first, say),
      },
    ]);
  return wrong;
}
