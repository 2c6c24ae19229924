/** The scenes that are recorded: what a person does in a pane, and which screens of it are kept under which label. */
import { setTimeout as pause } from 'node:timers/promises';
import { question } from '../../machines/hearings/question.ts';
import type { Actor } from './actor.ts';
import { labelOf, type Label } from './screen.ts';
import { TURNS } from './turns.ts';
import { draftsOf, RESIZED, showing, viewsOf, type Keep, type Take } from './views.ts';

const FILES = ['src/cart.py', 'src/checkout.py', 'src/parser.py'];
const FIVE_LINES = ['please look at these:', ...FILES, 'and tell me what is missing'];
const SOON_MS = 60_000;
const LONG_MS = 120_000;

const dialog = async (actor: Actor, keep: Keep, mode: string, scene: string) => {
  await asks(actor, mode, actor.stage.program.blocked);
  await actor.settles(4_000);
  await keep(scene, 'blocked', actor.stage.program.blocked);
};

/** A field for words opens below the options. */
async function notes(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'ask', actor.stage.program.blocked);
  await actor.settles(4_000);
  await actor.keys('Down', 'Down', 'Tab');
  await keep('ask-notes', 'blocked', /to clear notes/);
  await actor.type('1. none');
  await keep('ask-notes-typed', 'blocked', /1\. none/);
}

const clear = async (actor: Actor) => {
  await actor.keys('C-c');
  await actor.settles(4_000);
};

const rests = async (actor: Actor) => {
  for (const end = Date.now() + SOON_MS; actor.stage.program.busy.test(actor.screen()) && Date.now() < end;)
    await pause(500);
  await actor.settles(5_000);
};
/** A mode is asked for, and these words are waited for. */
const asks = async (actor: Actor, mode: string, words: RegExp, withinMs = SOON_MS) => {
  await actor.say(`MODE:${mode}`);
  await actor.sees(words, withinMs);
};

/** One turn, until it is over. */
const greet = async (actor: Actor) => {
  await asks(actor, 'hello', /it has one function/);
  await rests(actor);
};

async function talk(actor: Actor, keep: Keep): Promise<void> {
  const { program } = actor.stage;
  await keep('fresh', 'idle', program.ready);
  await actor.type('please refactor the parser');
  await keep('draft', 'draft', /please refactor/);
  await clear(actor);
  actor.stage.paste(actor.target, FIVE_LINES.join('\n'));
  await pause(1_500);
  await keep('draft-five-lines', 'draft');
  await clear(actor);
  await greet(actor);
  await keep('reply', 'idle', /it has one function/);
  await actor.type('now the tests');
  await keep('reply-draft', 'draft', /now the tests/);
  await clear(actor);
  await asks(actor, 'quote', /whole prompt/);
  await actor.settles(5_000);
  await keep('quote', 'idle', /whole prompt/);
}

async function hearing(actor: Actor, keep: Keep): Promise<void> {
  await greet(actor);
  actor.stage.health('answer:6');
  actor.stage.paste(actor.target, asked());
  await pause(1_500);
  await keep('question-unsent', 'draft');
  await actor.keys('Enter');
  await pause(2_000);
  await keep('question-sent', 'busy', actor.stage.program.busy);
  await actor.sees(/ALIVE K73F/, SOON_MS);
  await actor.settles(5_000);
  await keep('question-answered', 'idle', /ALIVE K73F/);
}

function asked(): string {
  const target = { session: 'shop', origin: 'adopted' } as Parameters<typeof question>[0];
  const warrant = { reason: 'no output for an hour', requester: 'deacon' } as Parameters<typeof question>[1];
  const attempt = { number: 1, of: 3, windowMs: 60_000, code: 'K73F' };
  const command = { started: 'town alive', adopted: '/usr/local/bin/town --root /home/dev/town alive' };
  return question(target, warrant, attempt, command).join('\n');
}

async function menus(actor: Actor, keep: Keep): Promise<void> {
  await actor.type('/');
  await actor.settles(5_000);
  await keep('slash', 'picker');
  await actor.keys('BSpace');
  await actor.settles(5_000);
  await actor.say('/model');
  await actor.settles(5_000);
  await keep('model', 'picker');
  await actor.keys('Escape');
  await actor.settles(5_000);
  await keep('model-left', 'idle');
}

async function exits(actor: Actor, keep: Keep): Promise<void> {
  await greet(actor);
  await actor.press(actor.stage.program.quit ?? ['C-c', 'C-c']);
  await actor.sees(/dev@box:\S*\$\s*$/, SOON_MS);
  await actor.settles(5_000);
  await keep('exited', 'gone', /dev@box:\S*\$\s*$/);
}

async function thinking(actor: Actor, keep: Keep): Promise<void> {
  const { program } = actor.stage;
  await asks(actor, 'think', program.busy);
  await pause(3_000);
  await keep('thinking', 'busy', program.busy);
  await pause(9_000);
  await keep('thinking-later', 'busy', program.busy);
  await actor.type('and then the docs');
  await keep('thinking-draft', 'busy_draft', /and then the docs/);
  await actor.keys('Enter');
  await pause(2_000);
  await keep('thinking-queued', 'busy', program.busy);
  await actor.press(actor.stage.program.interrupt ?? ['Escape']);
  await actor.settles(5_000);
  await keep('interrupted-queued', 'idle');
}

async function interrupted(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'think', actor.stage.program.busy);
  await pause(3_000);
  await actor.press(actor.stage.program.interrupt ?? ['Escape']);
  await actor.settles(5_000);
  await keep('interrupted', 'idle');
}

async function streaming(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'stream', /Line 4 of a long/, LONG_MS);
  await keep('streaming', 'busy', /Line 4 of a long/);
  await actor.type('stop after ten');
  await keep('streaming-draft', 'busy_draft', /stop after ten/);
  await actor.sees(/Line 18 of a long/, LONG_MS);
  await keep('streaming-draft-later', 'busy_draft', /stop after ten/);
}

const running = (mode: string, scene: string) => async (actor: Actor, keep: Keep) => {
  const { program } = actor.stage;
  await actor.say(`MODE:${mode}`);
  if (program.asks && (await actor.sees(program.blocked, SOON_MS))) {
    await actor.settles(3_000);
    await keep(`${scene}-permission`, 'blocked', program.blocked);
    await actor.keys(...(program.id === 'aider' ? ['y', 'Enter'] : ['Enter']));
  }
  await pause(program.asks ? 7_000 : 20_000);
  await keep(scene, 'busy', program.id === 'aider' ? undefined : program.busy);
  await actor.type('now the docs please');
  await keep(`${scene}-draft`, 'busy_draft', /now the docs please/);
  await actor.keys('Enter');
  await pause(2_000);
  await keep(`${scene}-queued`, 'busy');
};

async function fails(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'error', actor.stage.program.error, LONG_MS);
  await rests(actor);
  await keep('api-error', 'error', actor.stage.program.error);
  await actor.type('try again');
  await keep('api-error-draft', 'draft', /try again/);
}

async function retries(actor: Actor, keep: Keep): Promise<void> {
  await actor.say('MODE:fault');
  await pause(8_000);
  await keep('retrying', 'busy');
  await pause(12_000);
  await keep('retrying-later', 'busy');
}

async function overloaded(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'overload', /Overloaded|overloaded/, LONG_MS);
  await actor.settles(5_000);
  await keep('overloaded', 'error');
}

async function limits(actor: Actor, keep: Keep): Promise<void> {
  await asks(actor, 'limit', actor.stage.program.limit, LONG_MS);
  if (labelOf('limit', actor.stage.program.id, 'limited') === 'limited') await rests(actor);
  await keep('limit', 'limited', actor.stage.program.limit);
}

const atStart =
  (scene: string, state: Label, words: 'trust' | 'login' | RegExp) => async (actor: Actor, keep: Keep) => {
    const wanted = words instanceof RegExp ? words : actor.stage.program[words];
    if (wanted !== null) await actor.sees(wanted, LONG_MS);
    await actor.settles(8_000);
    if (scene === 'login' && actor.stage.program.id === 'claude') {
      await keep('not-logged-in', 'login', /Not logged in/);
      await actor.say('/login');
    }
    await keep(scene, state, wanted ?? undefined);
  };

const LAST_SPLASH = /Enter to get started/;

/** From its first start on, as far as a program goes that cannot reach its maker's server. */
async function welcome(actor: Actor, keep: Keep): Promise<void> {
  const { program } = actor.stage;
  await actor.sees(/Welcome to Amp/, LONG_MS);
  await pause(2_000);
  await keep('splash', 'blocked', program.blocked);
  for (let n = 0; n < 9 && !LAST_SPLASH.test(actor.screen()); n += 1) await actor.keys('Space');
  await keep('splash-last', 'blocked', LAST_SPLASH);
  await actor.keys('Enter');
  await actor.sees(program.ready, SOON_MS);
  await pause(5_000);
  await keep('fresh', 'idle', program.ready);
  await actor.type('please refactor the parser');
  await keep('draft', 'draft', /please refactor/);
  await actor.press(Array.from({ length: 26 }, () => 'BSpace'));
  await keep('cleared', 'idle');
  await shown(actor, keep, 'C-o', 'palette', /Command Palette/);
  await shown(actor, keep, 'C-r', 'history', /toggle filter/);
  await shown(actor, keep, '?', 'help', /toggle this help/);
  await actor.keys('@');
  await keep('mention', 'draft', /mention a thread/);
  await actor.keys('BSpace');
  await keep('mention-left', 'idle');
  await actor.say('MODE:hello');
  await keep('unreached', 'error', /Reconnecting/);
  await actor.type('and then the docs');
  await keep('unreached-draft', 'draft', /and then the docs/);
}

const shown = async (actor: Actor, keep: Keep, key: string, scene: string, words: RegExp) => {
  await actor.keys(key);
  await keep(scene, 'picker', words);
  await actor.keys(key === '?' ? 'BSpace' : 'Escape');
};

/** By name. `fresh` starts are those whose program is not waited for: its first screen is the scene. */
export const TAKES: Readonly<Record<string, Take>> = {
  talk: { play: talk },
  hearing: { play: hearing },
  menus: { play: menus },
  thinking: { play: thinking },
  interrupted: { play: interrupted },
  streaming: { play: streaming },
  tool: { play: running('tool', 'tool') },
  tick: { play: running('tick', 'ticking') },
  permission: { play: (actor, keep) => dialog(actor, keep, 'permission', 'permission') },
  lure: { without: ['aider'], play: (actor, keep) => dialog(actor, keep, 'lure', 'lure') },
  resized: {
    without: ['aider'],
    play: showing(
      () => RESIZED,
      (actor) => dialog(actor, async () => undefined, 'permission', 'permission'),
    ),
  },
  edit: { play: (actor, keep) => dialog(actor, keep, 'edit', 'edit') },
  ask: { without: ['aider'], play: (actor, keep) => dialog(actor, keep, 'ask', 'ask') },
  notes: { agents: ['codex'], play: notes },
  fails: { play: fails },
  retries: { play: retries },
  overloaded: { agents: ['claude'], play: overloaded },
  limits: { play: limits },
  auto: {
    variant: 'unasked',
    agents: ['qwen'],
    play: (actor, keep) => dialog(actor, keep, 'permission', 'permission-auto'),
  },
  ...TURNS,
  exits: { play: exits },
  views: { play: showing(viewsOf, greet) },
  drafts: { play: showing(draftsOf) },
  welcome: { variant: 'unasked', agents: ['amp'], play: welcome },
  unasked: {
    variant: 'unasked',
    agents: ['claude', 'aider'],
    play: atStart('new-feature', 'blocked', /\(Y\)es\/\(N\)o|as my default permission mode/),
  },
  trust: { variant: 'untrusted', without: ['opencode', 'aider'], play: atStart('trust', 'blocked', 'trust') },
  login: { variant: 'keyless', without: ['opencode'], play: atStart('login', 'login', 'login') },
  subscribed: {
    variant: 'subscribed',
    agents: ['claude'],
    play: (actor, keep) => limits(actor, (_s, l) => keep('limit-plan', l)),
  },
};
