/**
 * Work that a real agent takes without a key: by its own word it has it once, its turn runs, and a draft of a person's in its composer
 * is left as it is. The same request once more gives it no second time.
 */
import { actorOn } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import { playOne } from './play-one.ts';
import { PROGRAMS } from './programs.ts';
import { KEPT, type Kept } from './kept.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const SESSION = 'shop';
const WORK = 'Prune the quince tree. MODE:prose';
const DRAFT = 'half a thought';
const GIVERS = ['codex', 'opencode'];
const THINK_SECS = 20;

interface View {
  readonly screen: { readonly state: string } | null;
  readonly conversation: { readonly id: string } | null;
}
interface Sent {
  readonly id: string;
  readonly end: string | null;
}

async function play(stage: Stage, { said }: Kept, say: (line: string) => void): Promise<string | null> {
  const town = await openTown(stage, '');
  await town.start(SESSION, stage.program.argv('ready'), { restart: 'permanent' });
  const actor = actorOn(stage, SESSION);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  const view = (): Promise<View> => town.told<View>('session', 'status', SESSION);
  const works = async (): Promise<boolean> => (await view()).screen?.state === 'working';
  const rests = async (): Promise<boolean> => {
    const { screen, conversation } = await view();
    return screen?.state === 'idle' && conversation !== null;
  };
  // Long enough that the town sees which conversation works.
  await actor.say(`Begin with the plum tree. MODE:think:${String(THINK_SECS)}`);
  if ((await until(works)) === null) return `it never worked:\n${actor.screen()}`;
  await actor.settles(WITHIN_MS);
  if ((await until(rests)) === null) return `it never came to rest:\n${actor.screen()}`;
  await actor.type(DRAFT);
  const began = Date.now();
  const sent = await town.told<Sent>('send', SESSION, WORK, '--request', 'one', '--wait');
  const ms = Date.now() - began;
  if (sent.end !== 'begun') return `it was ${sent.end ?? 'not sent'}:\n${actor.screen()}`;
  await actor.settles(WITHIN_MS);
  const times = (): number => said(stage.home).filter((line) => line.includes('quince tree')).length;
  if (times() !== 1) return `it was given ${String(times())} times`;
  if (!actor.screen().includes(DRAFT)) return `the draft is gone:\n${actor.screen()}`;
  say(`  taken and begun, by its own word, ${(ms / 1_000).toFixed(1)} s after it was sent; the draft stands`);
  await town.told<Sent>('send', SESSION, WORK, '--request', 'one', '--wait');
  await actor.settles(WITHIN_MS);
  return times() === 1 ? null : `the same request gave it ${String(times())} times`;
}

/** How many programs did not take it. */
export async function playSends(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let failed = 0;
  const right = 'it takes work without a key, once';
  for (const program of PROGRAMS.filter(({ id }) => agents?.includes(id) ?? GIVERS.includes(id))) {
    const kept = KEPT[program.id];
    if (kept === undefined) continue;
    const part = { as: 'sent work', right, say, play: (stage: Stage) => play(stage, kept, say) };
    failed += await playOne(program, [part]);
  }
  return failed;
}
