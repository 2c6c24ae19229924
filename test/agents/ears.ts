/**
 * What a town says of a real agent by the program's own word, while it reads no screen of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { actorOn, type Actor } from './actor.ts';
import { capturesOn } from './captures.ts';
import { NOTE } from './model/plan.ts';
import { playOne } from './play-one.ts';
import { programOf } from './programs.ts';
import type { Stage } from './stage.ts';
import { openTown, type BenchTown } from './town.ts';

const SESSION = 'shop';
export const WITHIN_MS = 120_000;
const LOOK_MS = 250;
/** The town looks every five seconds, and at a moving screen every twenty-five: several of both. */
const WATCH_MS = 60_000;

interface View {
  readonly name: string;
  readonly asks: string | null;
  readonly screen: { readonly state: string; readonly source: string | null } | null;
  readonly conversation: { readonly id: string } | null;
}

interface Ears {
  readonly actor: Actor;
  readonly town: BenchTown;
  /** How often the town captured the screen of a pane so far. */
  readonly captures: () => number;
  readonly view: () => Promise<View | undefined>;
  readonly isAlerted: () => Promise<boolean>;
}

const said = (view: View | undefined): string =>
  `${view?.screen?.state ?? 'nothing'} by ${view?.screen?.source ?? 'no source'}, asks ${view?.asks ?? 'nothing'}`;

/** Milliseconds until it is so; null = it did not come about in time. */
export async function until(isSo: () => Promise<boolean>): Promise<number | null> {
  const began = Date.now();
  while (Date.now() < began + WITHIN_MS) {
    if (await isSo()) return Date.now() - began;
    await pause(LOOK_MS);
  }
  return null;
}

async function earsOn(stage: Stage): Promise<Ears> {
  const captures = capturesOn(stage);
  const town = await openTown(stage, '', captures.path);
  await town.start(SESSION, stage.program.argv('ready'));
  return {
    actor: actorOn(stage, SESSION),
    town,
    captures: () => captures.all().length,
    view: async () => (await town.told<View[]>('session', 'list')).find(({ name }) => name === SESSION),
    isAlerted: async () =>
      (await town.told<{ episode: string }[]>('alerts', 'list')).some(
        ({ episode }) => episode === `needs-input/${SESSION}`,
      ),
  };
}

/** A program that is heard by its own word. */
interface Speaker {
  readonly id: string;
  readonly source: string;
  /** What it says of its dialog. */
  readonly asks: RegExp;
  /** How an answer reaches it. */
  readonly way: 'request' | 'keys';
  /** What it has to be told before it says anything of itself. */
  readonly first?: string;
}

export const SPEAKERS: readonly Speaker[] = [
  { id: 'claude', source: 'claude session file', asks: /^permission prompt: Bash: ./, way: 'request' },
  { id: 'codex', source: 'codex server', asks: /^an approval: command: ./, way: 'request', first: 'MODE:prose' },
  { id: 'opencode', source: 'opencode server', asks: /^permission: bash: ./, way: 'request' },
];

/** What one state needs, and what to do about it afterwards. */
interface Step {
  readonly state: string;
  readonly begin: (ears: Ears) => Promise<unknown>;
  /** What it asks meanwhile; absent = nothing. */
  readonly asks?: RegExp;
}

const stepsOf = ({ asks, first }: Speaker): readonly Step[] => [
  { state: 'idle', begin: async ({ actor }) => first !== undefined && actor.say(first) },
  { state: 'working', begin: ({ actor }) => actor.say('MODE:think:90') },
  {
    state: 'asks',
    asks,
    begin: async ({ actor }) => {
      await actor.press(actor.stage.program.interrupt ?? ['Escape']);
      await actor.sees(actor.stage.program.ready, WITHIN_MS);
      await actor.keys('C-u');
      await actor.say('MODE:permission');
      await actor.sees(actor.stage.program.blocked, WITHIN_MS);
    },
  },
];

const HEAD = [
  '| agent | state | by | known after | alert after | screens read in a minute |',
  '| --- | --- | --- | --- | --- | --- |',
];
const secondsOf = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`);

/** What is not as it should be; null = nothing. Says the figures, as a row of docs/agents.md. */
async function playStep(
  ears: Ears,
  { state, begin, asks }: Step,
  { id, source }: Speaker,
  say: (line: string) => void,
): Promise<string | null> {
  await begin(ears);
  const isSaid = async (): Promise<boolean> => {
    const view = await ears.view();
    return (
      view?.screen?.state === state &&
      view.screen.source === source &&
      (asks?.test(view.asks ?? '') ?? view.asks === null)
    );
  };
  const ms = await until(isSaid);
  if (ms === null) return `${state}: it is ${said(await ears.view())}`;
  const row = (alerted: number | null, captures: string): void =>
    say(`| ${[id, state, source, secondsOf(ms), secondsOf(alerted), captures].join(' | ')} |`);
  // Its program at rest does not tell why, so its screen is read once.
  if (state === 'idle') {
    row(null, 'once');
    return (await until(async () => ears.captures() > 0)) === null ? 'its screen was never read' : null;
  }
  const before = ears.captures();
  const alerted = asks ? await until(ears.isAlerted) : null;
  await pause(WATCH_MS - (alerted ?? 0));
  const captures = ears.captures() - before;
  row(alerted, String(captures));
  if (captures > 0) return `${state}: the town captured ${captures} screens`;
  if (!(await isSaid())) return `${state}: a minute later it is ${said(await ears.view())}`;
  return asks && (alerted ?? WITHIN_MS) > WATCH_MS ? 'no alert within a minute' : null;
}

async function play(stage: Stage, speaker: Speaker, say: (line: string) => void): Promise<string | null> {
  stage.health('prose');
  const ears = await earsOn(stage);
  if (!(await ears.actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  for (const step of stepsOf(speaker)) {
    const wrong = await playStep(ears, step, speaker, say);
    if (wrong !== null) return wrong;
  }
  return (
    (await playAnswer(ears, speaker)) ??
    ((await until(async () => !(await ears.isAlerted()))) === null ? 'the alert outlives its dialog' : null)
  );
}

interface Shown {
  readonly text: string;
  readonly shows: readonly string[];
  readonly way: string;
}

interface Question {
  readonly id: string;
  readonly kind: string;
  readonly number: string;
  readonly options: readonly { readonly word: string }[];
}

/** The dialog is answered by its number, from elsewhere: its tool runs. */
async function playAnswer({ actor, town }: Ears, { way }: Speaker): Promise<string | null> {
  const asked = (await town.told<Question[]>('questions')).find(({ kind }) => kind === 'dialog');
  if (asked?.options.some(({ word }) => word === 'yes') !== true) return `asked: ${JSON.stringify(asked)}`;
  const [ask] = await town.told<{ way: string }[]>('ask', 'list');
  if (ask?.way !== way) return `it would be answered by ${ask?.way ?? 'nothing'}, not by ${way}`;
  await town.told('answer', asked.number, 'yes');
  const didRun = () => Promise.resolve(existsSync(join(actor.stage.dir, 'APPROVED-BY-NOBODY')));
  if ((await until(didRun)) === null) return 'what it asked for did not run';
  const left = (await town.told<Question[]>('questions')).filter(({ kind }) => kind === 'dialog');
  return left.length === 0 ? null : 'the question outlives its dialog';
}

/** What a tool of an MCP server is given is shown whole, so that it may be answered from elsewhere; the tool then runs, once. */
async function playTool(stage: Stage): Promise<string | null> {
  stage.health('prose');
  const { actor, town } = await earsOn(stage);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  await actor.say('MODE:note');
  const dialogs = async () => (await town.told<Question[]>('questions')).filter(({ kind }) => kind === 'dialog');
  if ((await until(async () => (await dialogs()).length === 1)) === null) return 'it asks nothing';
  const [question] = await dialogs();
  const { text, shows, way } = await town.told<Shown>('ask', 'show', question?.id ?? '');
  const rows = [
    'tool: notes_keep_note',
    ...JSON.stringify(NOTE, null, 2)
      .split('\n')
      .map((row) => row.trim()),
  ];
  const isShown = shows.map((row) => row.trim()).join('\n') === rows.join('\n');
  if (!isShown || way !== 'request' || text !== `${SESSION} asks: notes_keep_note?`)
    return `asked: ${JSON.stringify({ text, shows, way })}`;
  await town.told('answer', question?.number ?? '', 'yes');
  const kept = (): string => {
    const file = join(stage.dir, 'NOTES');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  if ((await until(() => Promise.resolve(kept() !== ''))) === null) return 'its tool did not run';
  return kept() === `${JSON.stringify(NOTE)}\n` ? null : `its tool was given ${kept()}`;
}

/** A question with options is answered in words that none of them has: its program shows them as the answer. */
async function playOwnWords(stage: Stage): Promise<string | null> {
  stage.health('prose');
  const { actor, town } = await earsOn(stage);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  await actor.say('MODE:ask');
  const dialogs = async () => (await town.told<Question[]>('questions')).filter(({ kind }) => kind === 'dialog');
  const isOffered = async () => (await dialogs())[0]?.options.some(({ word }) => word === 'other') === true;
  if ((await until(isOffered)) === null) return `asked: ${JSON.stringify(await dialogs())}`;
  const [question] = await dialogs();
  await town.told('answer', question?.number ?? '', 'other', 'a plum tree');
  if (!(await actor.sees(/a plum tree/, WITHIN_MS))) return `it shows no such answer:\n${actor.screen()}`;
  return (await until(async () => (await dialogs()).length === 0)) === null ? 'the question outlives its answer' : null;
}

/** Two questions at once, one of which takes several options, are answered in one text; one that is no answer to both answers none. */
async function playSeveral(stage: Stage): Promise<string | null> {
  stage.health('prose');
  const { actor, town } = await earsOn(stage);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  await actor.say('MODE:asks');
  const dialogs = async () => (await town.told<Question[]>('questions')).filter(({ kind }) => kind === 'dialog');
  const isOffered = async () => (await dialogs())[0]?.options.some(({ word }) => word === 'answers') === true;
  if ((await until(isOffered)) === null) return `asked: ${JSON.stringify(await dialogs())}`;
  const [question] = await dialogs();
  const give = (text: string) => town.told('answer', question?.number ?? '', 'answers', text).catch(() => 'refused');
  if ((await give('2')) !== 'refused') return 'one answer to two questions was taken';
  if ((await dialogs()).length !== 1) return 'the question is gone behind a text that answers it not';
  if ((await give('2; 1,2')) === 'refused') return 'both answers were refused';
  if (!(await actor.sees(/SQLite[^]*Plum, Quince/, WITHIN_MS))) return `it shows no such answers:\n${actor.screen()}`;
  return (await until(async () => (await dialogs()).length === 0)) === null ? 'the question outlives its answer' : null;
}

/** A plan, made after a mode that edits without asking, is refused in own words and then approved: edits ask again. */
async function playPlan(stage: Stage): Promise<string | null> {
  stage.health('prose');
  const { actor, town } = await earsOn(stage);
  if (!(await actor.sees(stage.program.ready, WITHIN_MS))) return 'its first screen never came';
  await actor.keys('BTab', 'BTab');
  if (!(await actor.sees(/plan mode on/, WITHIN_MS))) return 'it has no mode for plans';
  const dialogs = async () => (await town.told<Question[]>('questions')).filter(({ kind }) => kind === 'dialog');
  const decide = async (...words: string[]): Promise<string | null> => {
    await actor.say('MODE:plan');
    const isOffered = async () => (await dialogs())[0]?.options.some(({ word }) => word === words[0]) === true;
    if ((await until(isOffered)) === null) return `asked: ${JSON.stringify(await dialogs())}\n${actor.screen()}`;
    const [question] = await dialogs();
    const { shows } = await town.told<Shown>('ask', 'show', question?.id ?? '');
    if (shows.at(-1) !== '- Split it in two') return `it shows ${JSON.stringify(shows)}`;
    await town.told('answer', question?.number ?? '', ...words);
    await actor.settles(WITHIN_MS);
    return null;
  };
  const wrong = (await decide('other', 'split it in three')) ?? (await decide('yes'));
  if (wrong !== null) return wrong;
  if (!/split it in three/.test(actor.screen())) return `it has not the words:\n${actor.screen()}`;
  await actor.say('MODE:edit');
  if (!(await actor.sees(stage.program.blocked, WITHIN_MS))) return `it edits without asking:\n${actor.screen()}`;
  return existsSync(join(stage.dir, 'parser.py')) ? 'it edited before it asked' : null;
}

/** How many programs were not heard right. */
export async function playEars(agents: readonly string[] | undefined, say: (line: string) => void): Promise<number> {
  let wrong = 0;
  HEAD.forEach(say);
  for (const speaker of SPEAKERS.filter(({ id }) => agents?.includes(id) ?? true))
    wrong += await playOne(programOf(speaker.id), [
      {
        as: 'by its own word',
        right: 'right, and no screen was read',
        say,
        play: (stage) => play(stage, speaker, say),
      },
      ...(speaker.id === 'codex' ? [] : [{ as: 'in own words', right: 'its answer', say, play: playOwnWords }]),
      ...(speaker.id === 'claude'
        ? [
            { as: 'several at once', right: 'all or none', say, play: playSeveral },
            { as: 'a plan', right: 'refused, approved, and each edit asks', say, play: playPlan },
          ]
        : []),
      ...(speaker.id === 'opencode'
        ? ([
            { variant: 'tooled', as: 'a tool of MCP', right: 'shown whole, and run once', say, play: playTool },
          ] as const)
        : []),
    ]);
  return wrong;
}
