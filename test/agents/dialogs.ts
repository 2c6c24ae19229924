/**
 * How soon `status` names a dialog that stands on the screen of a real program, and how soon an answer to it from elsewhere is proved,
 * several times in a row. What the program does with an answer is read from the folder that it works in.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { connect, type Ask, type Town } from '../../src/client/connect.ts';
import { actorOn, type Actor } from './actor.ts';
import { WITHIN_MS } from './ears.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';

const SESSION = 'shop';
const TIMES = 10;
/** A dialog is told at once, as if no person could be at the pane. */
const SOON = '[hands]\nasks_after = "1s"';
const LOOK_MS = 30;
/** ms: a dialog is in the status; a question has its options; an answer is proved or refused. */
const LIMIT = { named: 2_000, asked: 10_000, answered: 10_000 } as const;

interface Kind {
  readonly mode: string;
  /** In the folder of the agent, once the answer was taken; null = the answer leaves nothing there. */
  readonly leaves: string | null;
  /** Words of options, the first that is offered is chosen. */
  readonly options: readonly string[];
}
const PERMISSION: Kind = { mode: 'permission', leaves: 'APPROVED-BY-NOBODY', options: ['yes'] };
const QUESTION: Kind = { mode: 'ask', leaves: null, options: ['1'] };
const EDIT: Kind = { mode: 'edit', leaves: 'parser.py', options: ['yes'] };

const PLAYED: Readonly<Record<string, { readonly first?: string; readonly kinds: readonly Kind[] }>> = {
  claude: { kinds: [PERMISSION, EDIT, QUESTION] },
  codex: { first: 'MODE:prose', kinds: [PERMISSION] },
  opencode: { kinds: [PERMISSION, EDIT, QUESTION] },
  gemini: { kinds: [PERMISSION] },
};

interface Round {
  readonly namedMs: number;
  readonly askedMs: number;
  readonly answeredMs: number;
  /** Why its answer was not taken; null = it was. */
  readonly refused: string | null;
}

async function when<T>(isSo: () => Promise<T | null>): Promise<{ readonly found: T; readonly at: number }> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end;) {
    const found = await isSo();
    if (found !== null) return { found, at: Date.now() };
    await pause(LOOK_MS);
  }
  throw new Error('it did not come about');
}

const screenOf = async ({ socket, env }: Stage): Promise<string> =>
  (await execa('tmux', ['-S', socket, 'capture-pane', '-p', '-t', `=${SESSION}:`], { env, extendEnv: false })).stdout;

/** The status, by the bench; questions and answers, by commands in the namespace. */
interface Doors {
  readonly town: Town;
  readonly bench: BenchTown;
}

async function playRound(actor: Actor, { town, bench }: Doors, { mode, leaves, options }: Kind): Promise<Round> {
  const { stage } = actor;
  const left = leaves === null ? null : join(stage.dir, leaves);
  if (left !== null) rmSync(left, { force: true });
  await actor.keys('C-u');
  await actor.say(`MODE:${mode}`);
  const shows = when(async () => (stage.program.blocked.test(await screenOf(stage)) ? true : null));
  const names = when(async () => {
    const { sessions } = await town.status();
    const view = sessions?.find(({ name }) => name === SESSION);
    return view?.screen?.state === 'asks' && view.asks !== null ? true : null;
  });
  const [shown, named] = await Promise.all([shows, names]);
  const asked = await when(async () => {
    const all = await bench.told<readonly Ask[]>('ask', 'list');
    const ask = all.find(({ session, kind }) => session === SESSION && kind === 'dialog');
    return ask ?? null;
  });
  const option = options.find((word) => asked.found.options.some(({ key }) => key === word)) ?? '';
  const began = Date.now();
  const refused = await answered(bench, asked.found, option);
  const answeredMs = Date.now() - began;
  if (refused === null && left !== null) await when(async () => (existsSync(left) ? true : null));
  if (refused !== null) await actor.press(stage.program.interrupt ?? ['Escape']);
  await when(async () => (stage.program.blocked.test(await screenOf(stage)) ? null : true));
  await actor.settles(WITHIN_MS);
  return { namedMs: named.at - shown.at, askedMs: asked.at - shown.at, answeredMs, refused };
}

async function answered(bench: BenchTown, { id }: Ask, option: string): Promise<string | null> {
  try {
    await bench.told('ask', 'answer', id, option);
    return null;
  } catch (error) {
    return (error as { stderr?: string }).stderr?.trim() ?? String(error);
  }
}

const figures = (all: readonly number[]): string => {
  const sorted = [...all].sort((one, other) => one - other);
  return `${String(sorted[Math.floor(sorted.length / 2)])} ms, at most ${String(sorted.at(-1))} ms`;
};

async function play(stage: Stage, kind: Kind, first: string | undefined, say: (line: string) => void) {
  stage.health('prose');
  const bench = await openTown(stage, SOON);
  await bench.start(SESSION, stage.program.argv('ready'));
  const actor = actorOn(stage, SESSION);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  if (first !== undefined) await actor.say(first);
  await actor.settles(WITHIN_MS);
  const town = await connect({ root: bench.root });
  const rounds: Round[] = [];
  for (let nth = 0; nth < TIMES; nth += 1) rounds.push(await playRound(actor, { town, bench }, kind));
  say(`  named in the status after ${figures(rounds.map(({ namedMs }) => namedMs))}`);
  say(`  a question with options after ${figures(rounds.map(({ askedMs }) => askedMs))}`);
  say(`  an answer proved after ${figures(rounds.map(({ answeredMs }) => answeredMs))}`);
  const refused = rounds.flatMap((one) => one.refused ?? []);
  if (refused.length > 0)
    return `${String(refused.length)} answers of ${String(TIMES)} were not taken: ${refused.join('; ')}`;
  const isLate = rounds.some(
    ({ namedMs, askedMs, answeredMs }) => namedMs > LIMIT.named || askedMs > LIMIT.asked || answeredMs > LIMIT.answered,
  );
  return isLate ? 'it took too long' : null;
}

/** How many programs and kinds went wrong. */
export async function playDialogs(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let wrong = 0;
  for (const [id, { first, kinds }] of Object.entries(PLAYED).filter(([one]) => agents?.includes(one) ?? true))
    wrong += await playOne(
      programOf(id),
      kinds.map((kind) => ({
        as: `${kind.mode}, ${String(TIMES)} times`,
        right: 'named, asked and answered in time',
        say,
        play: (stage) => play(stage, kind, first, say),
      })),
    );
  return wrong;
}
