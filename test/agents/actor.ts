/** One pane with an agent in it, as a person at its keys has it: start, type, wait for words on the screen. */
import { setTimeout as pause } from 'node:timers/promises';
import { plain, shoot } from './screen.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 200;
const KEY_MS = 700;
/** Between two presses of one key that mean one thing. */
const AGAIN_MS = 300;
const STILL_MS = 2_000;
/** A busy machine shows what was typed late. */
const TYPED_MS = 20_000;

export interface Actor {
  readonly stage: Stage;
  readonly target: string;
  screen(): string;
  /** True once the words are there; false when they did not come in time. */
  sees(words: RegExp, withinMs: number): Promise<boolean>;
  /** Waits until nothing moved for a moment. */
  settles(withinMs: number): Promise<void>;
  type(text: string): Promise<void>;
  keys(...names: string[]): Promise<void>;
  /** Keys that mean something together. */
  press(names: readonly string[]): Promise<void>;
  /** Types and sends. */
  say(text: string): Promise<void>;
  end(): void;
}

let count = 0;

/** A shell in a pane of its own. */
export function startActor(stage: Stage, size: string): Actor {
  count += 1;
  const session = `a${count}`;
  const [width = '120', height = '40'] = size.split('x');
  const shell = ['env', `TERM=screen-256color`, 'bash', '--norc', '--noprofile'];
  stage.tmux('new-session', '-d', '-s', session, '-x', width, '-y', height, '-c', stage.dir, ...shell);
  return actorOn(stage, session);
}

/** In a session that is there. */
export function actorOn(stage: Stage, session: string): Actor {
  const target = `=${session}:`;
  const screen = () => plain(shoot(stage, target).rows);
  const keys = async (...names: string[]) => {
    for (const name of names) {
      stage.tmux('send-keys', '-t', target, name);
      await pause(KEY_MS);
    }
  };
  const sees = async (words: RegExp, withinMs: number) => {
    const end = Date.now() + withinMs;
    while (Date.now() < end) {
      if (words.test(screen())) return true;
      await pause(LOOK_MS);
    }
    return false;
  };
  const type = async (text: string) => {
    stage.tmux('send-keys', '-t', target, '-l', text);
    await sees(new RegExp(text.slice(-12).replace(/\W/g, '\\$&')), TYPED_MS);
    await pause(KEY_MS);
  };
  const press = async (names: readonly string[]) => {
    for (const name of names) {
      stage.tmux('send-keys', '-t', target, name);
      await pause(AGAIN_MS);
    }
    await pause(KEY_MS);
  };
  const say = async (text: string) => {
    await type(text);
    await keys('Enter');
  };
  return {
    stage,
    target,
    screen,
    sees,
    keys,
    press,
    type,
    say,
    settles: async (withinMs) => {
      let seen = '';
      let since = Date.now();
      const end = Date.now() + withinMs;
      while (Date.now() < end && Date.now() - since < STILL_MS) {
        const now = screen();
        if (now !== seen) since = Date.now();
        seen = now;
        await pause(LOOK_MS);
      }
    },
    end: () => void stage.tmux('kill-session', '-t', `=${session}`),
  };
}
