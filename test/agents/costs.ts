/**
 * What a town says that a real agent took (M-12): by the program's own count, growing with its turns, and that it makes one call again
 * and again. The model answers by rote, each time for the same tokens.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { CostRow } from '../../src/costs/view.ts';
import { meterOf } from '../../src/costs/meters.ts';
import { COSTS } from '../../src/costs/policy.ts';
import type { Books } from '../../src/sources/port.ts';
import { actorOn } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import { LOOPS } from './model/plan.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const SESSION = 'shop';

/** The files that a program keeps; null = only its server tells. */
const BOOKS: Readonly<Record<string, ((home: string) => Books) | null>> = {
  claude: (home) => ({ program: 'claude', file: foundIn(home, '.claude/projects/*/*.jsonl')[0] ?? '' }),
  codex: (home) => ({ program: 'codex', files: foundIn(home, '.codex/sessions/*/*/*/*.jsonl') }),
  opencode: null,
};
const foundIn = (home: string, pattern: string): string[] => globSync(join(home, pattern));

async function play(stage: Stage, say: (line: string) => void): Promise<string | null> {
  const town = await openTown(stage, '');
  await town.start(SESSION, stage.program.argv('trusting'));
  const actor = actorOn(stage, SESSION);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return `its first screen never came:\n${actor.screen()}`;
  const rows = async () => (await town.told<{ conversations: CostRow[] }>('costs')).conversations;
  const output = async (): Promise<number> => (await rows())[0]?.tokens?.output ?? 0;
  await actor.say('MODE:prose');
  if ((await until(async () => (await output()) > 0)) === null)
    return `it takes nothing: ${JSON.stringify(await rows())}\n${actor.screen()}`;
  const before = await output();
  await actor.settles(WITHIN_MS);
  await actor.say('MODE:loop');
  const isGrown = async () => (await output()) >= before + LOOPS;
  if ((await until(isGrown)) === null) return `it does not grow: ${JSON.stringify(await rows())}\n${actor.screen()}`;
  const { tokens, ...view } = await town.told<{ tokens: unknown; conversation: { id: string } | null }>(
    'session',
    'status',
    SESSION,
  );
  const [row] = await rows();
  say(`  ${JSON.stringify(row)}`);
  if (row?.program !== stage.program.id || row.conversation !== view.conversation?.id || tokens === null)
    return `it is another conversation: ${JSON.stringify({ row, tokens, conversation: view.conversation })}`;
  const books = BOOKS[stage.program.id] ?? null;
  return books === null ? null : repeats(books(stage.home), say);
}

async function repeats(books: Books, say: (line: string) => void): Promise<string | null> {
  const isRepeated = async (): Promise<boolean> => {
    const meter = meterOf(books);
    await meter.look(books, { bytes: COSTS.lookBytes, until: 1, now: () => 0 });
    const { repeated = null, sums = null } = meter.counted ?? {};
    if (repeated?.count !== LOOPS) return false;
    say(`  ${JSON.stringify({ repeated, sums })}`);
    return true;
  };
  return (await until(isRepeated)) === null ? `no call is seen ${LOOPS} times in a row` : null;
}

/** How many programs were not counted right. */
export async function playCosts(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let wrong = 0;
  const right = 'its tokens are counted, and its repeated call is seen';
  for (const id of Object.keys(BOOKS).filter((one) => agents?.includes(one) ?? true))
    wrong += await playOne(programOf(id), [
      { variant: 'trusting', as: 'in a loop', right, say, play: (stage) => play(stage, say) },
    ]);
  return wrong;
}
