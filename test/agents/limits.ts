/**
 * What a town does once the usage limit of an account is over (M-9): of three real Claude Codes that share a login it tells those that the
 * limit cut off to go on, one first, and the other once that one works. The third was at rest, and stays so.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn, type Actor } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown } from './town.ts';

const [ADA, BOB, CAY] = ['ada', 'bob', 'cay'] as const;
const CUT = [ADA, BOB] as const;
const LIMIT_S = 60;
/** The town waits for minutes after the end of a limit, and looks then and now. */
const MINUTES = 8;
const LOOK_MS = 1_000;
const TOLD = 'usage limit that stopped your work';

interface View {
  readonly name: string;
  readonly account: { readonly barred: string | null; readonly resets_at: string | null } | null;
}

/** When the model was asked with the town's words as the last ones; a turn may ask more than once. */
const toldAt = ({ home }: Stage): number[] =>
  readFileSync(join(home, '.bench', 'log'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.includes(TOLD) ? [Date.parse(line.split(' ')[0] ?? '')] : []));

/** How often each was told, by what stands on its screen. */
const timesTold = (stage: Stage): string =>
  [ADA, BOB, CAY].map((name) => actorOn(stage, name).screen().split(TOLD).length - 1).join(' ');

/** It would go on by itself otherwise. */
async function cancel(actor: Actor): Promise<void> {
  if (await actor.sees(/set to continue automatically/, LOOK_MS * 10)) await actor.keys('Escape');
}

async function play(stage: Stage, goesOnItself: boolean, say: (line: string) => void): Promise<string | null> {
  const town = await openTown(stage, '');
  const actors = [ADA, BOB, CAY].map((name) => actorOn(stage, name));
  for (const name of [ADA, BOB, CAY]) {
    await town.start(name, stage.program.argv('subscribed'));
    if (!(await actorOn(stage, name).sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  }
  await actorOn(stage, CAY).say('MODE:hello');
  for (const name of CUT) await actorOn(stage, name).say(`MODE:limit:${LIMIT_S}`);
  if (!goesOnItself) for (const name of CUT) await cancel(actorOn(stage, name));
  const shown = (): string => actors.map((actor) => actor.screen()).join('\n');
  const barred = async () => {
    const all = await town.told<View[]>('session', 'list');
    return all.filter(({ account }) => account?.barred === 'limited');
  };
  if ((await until(async () => (await barred()).length === CUT.length)) === null)
    return `at the limit: ${JSON.stringify(await barred())}\n${shown()}`;
  const [one] = await barred();
  const endsAt = Date.parse(one?.account?.resets_at ?? '');
  say(`  both at the limit, whose end is ${new Date(endsAt).toISOString()}`);
  const isOver = async () => (await barred()).length === 0;
  const giveUpAt = Date.now() + MINUTES * 60_000;
  while (!(await isOver())) {
    if (Date.now() > giveUpAt) return `they do not go on: ${JSON.stringify(await barred())}\n${shown()}`;
    await pause(LOOK_MS);
  }
  const alerts = await town.told<{ episode: string }[]>('alerts', 'list');
  const told = toldAt(stage);
  for (const s of new Set(told.map((at) => Math.round((at - endsAt) / 1_000)))) say(`  told ${s} s after that end`);
  say(`  both work ${((Date.now() - endsAt) / 1_000).toFixed(0)} s after it`);
  if (told.some((at) => at < endsAt)) return 'it was told too early';
  const times = timesTold(stage);
  if (times !== (goesOnItself ? '0 0 0' : '1 1 0')) return `told ${times} times\n${shown()}`;
  return alerts.some(({ episode }) => episode.startsWith('account-limited')) ? 'its alert goes on' : null;
}

/** How many did not go on so. */
export function playLimits(say: (line: string) => void): Promise<number> {
  const part = (as: string, right: string, goesOnItself: boolean) =>
    ({ variant: 'subscribed', as, right, say, play: (stage: Stage) => play(stage, goesOnItself, say) }) as const;
  return playOne(programOf('claude'), [
    part('after a limit', 'told to go on, one first, each once', false),
    part('after a limit, by itself', 'told nothing', true),
  ]);
}
