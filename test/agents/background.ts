/**
 * A real agent without a pane (`claude --bg`): the town finds it, and once it is adopted says how it is by its own word, alerts a
 * person of its question, and knows how it ended. Its program alone answers and ends it.
 */
import { until, WITHIN_MS } from './ears.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const NAME = 'fixer';

interface View {
  readonly state: string;
  readonly note: string;
  readonly asks: string | null;
  readonly screen: { readonly state: string; readonly source: string | null } | null;
}

async function play(stage: Stage, say: (line: string) => void): Promise<string | null> {
  stage.health('prose');
  const town = await openTown(stage, '');
  const claude = (...words: string[]) => stage.run('env', '-C', stage.dir, 'claude', ...words);
  const id = /backgrounded · ([0-9a-f]{8})/.exec(claude('--bg', 'MODE:permission'))?.[1] ?? '';
  const began = Date.now();
  const isAdopted = () =>
    town.told('session', 'adopt', `claude:${id}`, '--as', NAME).then(
      () => true,
      () => false,
    );
  if ((await until(isAdopted)) === null) return `claude:${id} cannot be adopted`;
  say(`  adopted ${((Date.now() - began) / 1_000).toFixed(1)} s after its start`);
  const view = () => town.told<View>('session', 'status', NAME);
  const isAsking = async () => {
    const { screen, asks } = await view();
    return screen?.state === 'asks' && screen.source === 'claude session file' && asks !== null;
  };
  if ((await until(isAsking)) === null) return `it does not ask: ${JSON.stringify(await view())}`;
  say(`  it asks: ${(await view()).asks ?? ''}`);
  const alerts = () => town.told<{ episode: string; text: string }[]>('alerts', 'list');
  const isAlerted = async () => (await alerts()).some(({ episode }) => episode === `needs-input/${NAME}`);
  const ms = await until(isAlerted);
  if (ms === null || ms > WITHIN_MS / 2) return `no alert within a minute: ${JSON.stringify(await alerts())}`;
  const { line } = await town.told<{ line: string }>('session', 'attach', NAME);
  if (line !== `claude attach ${id}`) return `its line is ${line}`;
  claude('stop', id);
  const isOver = async () => (await view()).state === 'ended' && !(await isAlerted());
  return (await until(isOver)) === null ? `it did not end: ${JSON.stringify(await view())}` : null;
}

/** How many went wrong. */
export const playBackground = (say: (line: string) => void): Promise<number> =>
  playOne(programOf('claude'), [
    { as: 'in the background', right: 'found, heard and told of', say, play: (stage) => play(stage, say) },
  ]);
