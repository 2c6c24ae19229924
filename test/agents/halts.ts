/**
 * What a town says of a real Claude Code whose turn halted, by the word of its hooks (M-2, M-9): at a limit, with a key that is refused,
 * and after a step that was denied. The last is an alert within a minute, which ends once the agent goes on. One that a person started
 * and the town adopted is heard by installed hooks.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { actorOn, type Actor } from './actor.ts';
import { until, WITHIN_MS } from './ears.ts';
import { greeted } from './greeted.ts';
import { playOne, type Part } from './play-one.ts';
import type { Variant } from './program.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';

const SESSION = 'shop';
const MINUTE_MS = 60_000;

interface Halt {
  readonly as: string;
  readonly variant?: Variant;
  readonly words: readonly string[];
  readonly mode: string;
  readonly state: string;
  readonly source: string;
  /** The kind of its alert; null = none, since no account is known. */
  readonly alert: string | null;
  readonly text: RegExp;
  /** A person started it. */
  readonly isAdopted?: true;
}

const FAILURE = 'claude hook StopFailure';
const HALTS: readonly Halt[] = [
  {
    as: 'at a limit',
    variant: 'subscribed',
    words: [],
    mode: 'limit',
    state: 'limited',
    source: FAILURE,
    alert: 'account-limited',
    text: /at its usage limit; the first names its end: \d/,
  },
  {
    as: 'with a refused key',
    words: [],
    mode: 'error',
    state: 'logged_out',
    source: FAILURE,
    alert: 'account-logged-out',
    text: /is logged out/,
  },
  {
    as: 'denied a step',
    words: ['--permission-mode', 'auto'],
    mode: 'risky',
    state: 'denied',
    source: 'claude hook PermissionDenied',
    alert: 'denied',
    text: /was denied a step.*curl/,
  },
];
const ADOPTED: readonly Halt[] = HALTS.map((halt) => ({ ...halt, as: `adopted, ${halt.as}`, isAdopted: true }));

interface View {
  readonly name: string;
  readonly screen: { readonly state: string; readonly source: string | null } | null;
}

/** Auto mode may explain itself once, over the whole screen; keys right after it count for nothing. */
async function passNotice(actor: Actor): Promise<void> {
  const notice = /Enter to continue/;
  const isThere = await actor.sees(notice, MINUTE_MS / 6);
  if (isThere) await until(async () => (await actor.keys('Enter'), !notice.test(actor.screen())));
}

/** A person types its command in a shell of theirs. */
async function begin(stage: Stage, town: BenchTown, { words, isAdopted }: Halt): Promise<Actor> {
  const command = [...stage.program.argv('ready'), ...words];
  if (isAdopted !== true) await town.start(SESSION, command);
  else {
    await town.told('hooks', 'install', 'claude');
    const shell = ['env', 'TERM=screen-256color', 'bash', '--norc', '--noprofile'];
    stage.tmux('new-session', '-d', '-s', SESSION, '-x', '120', '-y', '40', '-c', stage.dir, ...shell);
    await actorOn(stage, SESSION).say(command.join(' '));
  }
  return actorOn(stage, SESSION);
}

/** What the town says of the hooks of one that it adopted; null = it hears them. */
async function heardOf(town: BenchTown, actor: Actor): Promise<string | null> {
  const { sessions } = await town.told<{ sessions: { session: string; events: number; hooks: string }[] }>(
    'hooks',
    'status',
  );
  const own = sessions.find(({ session }) => session === SESSION);
  if ((own?.events ?? 0) === 0) return `its hooks are ${JSON.stringify(own)}`;
  return /hook.*(?:error|failed)/i.test(actor.screen()) ? `its screen speaks of the hook\n${actor.screen()}` : null;
}

/** Its person's settings are as they were before. */
async function isGivenBack(stage: Stage, town: BenchTown, before: string): Promise<string | null> {
  await town.told('hooks', 'uninstall', 'claude');
  const after = settingsOf(stage);
  return after === before ? null : `its settings were ${before}, and are ${after}`;
}

const settingsOf = ({ home }: Stage): string => {
  const file = join(home, '.claude', 'settings.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

async function play(stage: Stage, halt: Halt, say: (line: string) => void): Promise<string | null> {
  const town = await openTown(stage, '');
  const before = settingsOf(stage);
  const actor = await begin(stage, town, halt);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  if (halt.isAdopted) await town.told('session', 'adopt', SESSION);
  const view = async () => (await town.told<View[]>('session', 'list')).find(({ name }) => name === SESSION)?.screen;
  const alerts = async () => {
    const all = await town.told<{ episode: string; text: string }[]>('alerts', 'list');
    return all.filter(({ episode }) => halt.alert !== null && episode.startsWith(halt.alert)).map(({ text }) => text);
  };
  await actor.say(`MODE:${halt.mode}`);
  if (halt.mode === 'risky') await passNotice(actor);
  const isSaid = async () => {
    const now = await view();
    return now?.state === halt.state && now.source === halt.source;
  };
  const saidMs = await until(isSaid);
  if (saidMs === null) return `it is ${JSON.stringify(await view())}\n${actor.screen()}`;
  const toldMs = await until(async () => (await alerts()).some((text) => halt.text.test(text)));
  if (toldMs === null) return `alerted: ${JSON.stringify(await alerts())}`;
  say(
    `  ${halt.state} said after ${(saidMs / 1_000).toFixed(1)} s, alerted after ${(toldMs / 1_000).toFixed(1)} s more`,
  );
  if (toldMs > MINUTE_MS) return 'no alert within a minute';
  if (!(await isSaid())) return `a moment later it is ${JSON.stringify(await view())}`;
  await actor.say('MODE:hello');
  const isOver = async () => (await view())?.state === 'idle' && (await alerts()).length === 0;
  const overMs = await until(isOver);
  if (overMs === null) return `it went on, and is ${JSON.stringify(await view())}: ${(await alerts()).join(' ')}`;
  if (halt.isAdopted !== true) return null;
  return (await heardOf(town, actor)) ?? isGivenBack(stage, town, before);
}

/** How many were told of wrongly. */
export function playHalts(say: (line: string) => void): Promise<number> {
  const parts = [...HALTS, ...ADOPTED].map((halt): Part => {
    const { as, variant = 'ready' } = halt;
    return { variant, as, right: 'said by its hook, alerted, and over', say, play: (stage) => play(stage, halt, say) };
  });
  return playOne(programOf('claude'), [...parts, greeted(say)]);
}
