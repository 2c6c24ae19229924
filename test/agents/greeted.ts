/** A real Claude Code is given its unread mail as its next life starts, by the hook of its start: its conversation has it then. */
import { actorOn } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import type { Part } from './play-one.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const SESSION = 'shop';
const WORDS = 'The database is to be sqlite.';

async function play(stage: Stage): Promise<string | null> {
  const town = await openTown(stage, '');
  await town.start(SESSION, stage.program.argv('ready'));
  const actor = actorOn(stage, SESSION);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  await town.told('mail', 'send', SESSION, '-s', 'the database', '-m', WORDS);
  await town.told('session', 'restart', SESSION);
  const isAgain = async () => (await town.told<{ restarts: number }>('session', 'status', SESSION)).restarts > 0;
  if ((await until(isAgain)) === null) return 'it was not restarted';
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its second screen never came';
  if (/hook.*(?:error|failed)/i.test(actor.screen())) return `its screen speaks of the hook\n${actor.screen()}`;
  await actor.say('MODE:hello');
  const kept = () =>
    stage.run('sh', '-c', `grep -h '"hook_additional_context"' "$HOME"/.claude/projects/*/*.jsonl || :`);
  const isTold = () => Promise.resolve(kept().includes(WORDS));
  return (await until(isTold)) === null ? `its conversation has no word of it: ${kept()}` : null;
}

export const greeted = (say: (line: string) => void): Part => {
  return { as: 'started with unread mail', right: 'its conversation has it', say, play };
};
