/**
 * A real agent whose process is killed goes on with its conversation (M-11): the same one by the program's own word, with what was
 * said before on its screen, without a key of the town's, and with its first prompt given once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actorOn } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import { KEPT, type Kept } from './kept.ts';
import { playOne } from './play-one.ts';
import { PROGRAMS } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const SESSION = 'shop';
const FIRST = 'Begin with the plum tree. MODE:prose';

interface View {
  readonly pid: number;
  readonly restarts: number;
  readonly note: string;
  readonly conversation: { readonly id: string; readonly resumed: boolean | null; readonly left?: string } | null;
}

/** The command of an agent that begins with these words. */
type Form = (words: readonly string[], stage: Stage) => readonly string[];

/** As a line of town.toml gives it, whose first prompt stands in a file. */
const asLine: Form = (words, { home }) => {
  const file = join(home, '.bench', 'prompt');
  writeFileSync(file, words.at(-1) ?? '');
  const own = words.slice(0, -1).map((word) => `'${word}'`);
  return ['/bin/sh', '-c', `${own.join(' ')} "$(cat ${file})"`];
};

const FORMS: Readonly<Record<string, Form>> = {
  'after a kill -9': (words) => words,
  'as a line, after a kill -9': asLine,
};

async function play(
  stage: Stage,
  { said, prompt }: Kept,
  form: Form,
  say: (line: string) => void,
): Promise<string | null> {
  const saidNow = () => said(stage.home);
  const town = await openTown(stage, '[sessions]\nbackoff = "1s"\n');
  const command = form([...stage.program.argv('ready'), ...prompt(FIRST)], stage);
  await town.start(SESSION, command, { restart: 'permanent' });
  const actor = actorOn(stage, SESSION);
  const view = () => town.told<View>('session', 'status', SESSION);
  // `resumed` is null until the record has it.
  const isAnswered = async () => saidNow().length > 0 && (await view()).conversation?.resumed === false;
  if ((await until(isAnswered)) === null) return `its first prompt was not taken:\n${actor.screen()}`;
  await actor.settles(WITHIN_MS);
  const { pid, conversation: before } = await view();
  process.kill(pid, 'SIGKILL');
  const isBack = async () => {
    const { restarts, conversation } = await view();
    return restarts === 1 && conversation?.resumed === true && conversation.id === before?.id;
  };
  const ms = await until(isBack);
  const { note, conversation } = await view();
  if (ms === null) return `${JSON.stringify({ before, conversation, note })}\n${actor.screen()}`;
  say(`  resumed, by its own word, ${(ms / 1_000).toFixed(1)} s after its death: ${note}`);
  const isTold = () => Promise.resolve(saidNow().some((line) => line.includes('Townwatch started you again')));
  if ((await until(isTold)) === null) return `it was not told why it was started again:\n${actor.screen()}`;
  const times = saidNow().filter((line) => line.includes('plum tree')).length;
  if (times !== 1) return `its first prompt was given ${times} times`;
  await town.told('session', 'restart', SESSION, '--fresh');
  const isAnew = async () => {
    const { conversation: now } = await view();
    return now?.resumed === false && now.id !== before?.id && now.left === before?.id;
  };
  return (await until(isAnew)) === null ? `it did not begin anew: ${JSON.stringify(await view())}` : null;
}

/** How many programs did not go on. */
export async function playResume(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let failed = 0;
  const right = 'it goes on with its conversation';
  for (const program of PROGRAMS.filter(({ id }) => agents?.includes(id) ?? true)) {
    const kept = KEPT[program.id];
    if (kept === undefined) continue;
    const parts = Object.entries(FORMS).map(([as, form]) => {
      return { as, right, say, play: (stage: Stage) => play(stage, kept, form, say) };
    });
    failed += await playOne(program, parts);
  }
  return failed;
}
