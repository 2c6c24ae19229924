/**
 * The scenes in which a warrant is filed: how an agent comes into one, what the model does about the question, which verdicts
 * are right, and what must not have happened meanwhile.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from './actor.ts';
import type { Variant } from './program.ts';
import { RELAYED, TRACE, lostOf } from './relayed.ts';
import type { Verdict } from './town.ts';

const SOON_MS = 90_000;
/** At its work for so long before it is accused. */
const WORK_MS = 15_000;
/** The look of the scan takes out within a minute what a program put back. */
const EMPTIED_MS = 60_000;

export interface Scene {
  readonly variant?: Variant;
  /** What the model does about the town's questions. */
  readonly health: string;
  readonly play?: (actor: Actor) => Promise<void>;
  readonly right: readonly string[];
  /** Words that the reason must have, where the verdict is `pardoned`. */
  readonly because?: RegExp;
  /** What went wrong beside the verdict; null = nothing. */
  readonly wrong?: (actor: Actor, verdict: Verdict) => string | null | Promise<string | null>;
  /** Programs that show nothing of it, or take no text meanwhile: a person is asked as well. */
  readonly unseen?: readonly string[];
  /** Programs that have no such scene. */
  readonly without?: readonly string[];
  /** Ended without a hearing. */
  readonly unheard?: true;
  /** The agent is started below a shell, so that tmux does not wake it. */
  readonly shim?: true;
  /** What a caller with the agent's token has the town type here, one text after the other, before the warrant. */
  readonly relayed?: readonly string[];
}

const PARDONED = ['pardoned'];
const ENDED = ['executed', 'escalated'];
const WAITED = ['pardoned', 'escalated'];
/** Programs whose hooks the bench does not set. */
const OTHERS = ['codex', 'gemini', 'qwen', 'opencode', 'copilot', 'aider', 'amp'];
const NO_TOOLS = ['aider'];
/** Tries again and again for minutes, and shows its usual clock meanwhile. */
const RETRIES = ['qwen'];

const says = (mode: string, words: (actor: Actor) => RegExp) => async (actor: Actor) => {
  await actor.say(`MODE:${mode}`);
  await actor.sees(words(actor), SOON_MS);
  await actor.settles(4_000);
};

const inShop = (actor: Actor, file: string) => existsSync(join(actor.stage.dir, file));
const dialog = (mode: string, trace: string): Scene => ({
  health: 'prose',
  play: says(mode, ({ stage }) => stage.program.blocked),
  right: PARDONED,
  because: /blocked on a person/,
  wrong: (actor) =>
    inShop(actor, trace) ? `${trace} is there` : stands(actor.stage.program.blocked, actor, 'the dialog is gone'),
});

const stands = (words: RegExp | null, actor: Actor, otherwise: string) => {
  try {
    return words === null || words.test(actor.screen()) ? null : otherwise;
  } catch {
    return 'the pane is gone';
  }
};

const working = (mode: string, variant: Variant, right = PARDONED): Scene => ({
  variant,
  health: 'hang',
  play: async (actor) => {
    await actor.say(`MODE:${mode}`);
    await actor.sees(actor.stage.program.busy, SOON_MS);
    await pause(WORK_MS);
  },
  right,
  ...(variant === 'trusting' && { without: NO_TOOLS }),
});

/** How often a hook threw a prompt back. */
function thrown({ stage }: Actor): number {
  try {
    return readFileSync(join(stage.home, '.bench', 'refused'), 'utf8')
      .trim()
      .split('\n').length;
  } catch {
    return 0;
  }
}

/** What stands in the last box on the screen. */
function boxOf(actor: Actor): string {
  const box = actor
    .screen()
    .split('\n')
    .findLast((row) => row.startsWith('❯'));
  return box === undefined ? 'no composer' : box.slice(1).trim();
}

const thrownBack = (variant: Variant): Omit<Scene, 'right'> => ({
  variant,
  health: 'answer',
  without: OTHERS,
  wrong: async (actor) => {
    if (thrown(actor) === 0) return 'no hook ran';
    let held = boxOf(actor);
    for (const end = Date.now() + EMPTIED_MS; held !== '' && Date.now() < end; held = boxOf(actor)) await pause(500);
    return held === '' ? null : `its box holds ${held.slice(0, 60)}`;
  },
});

const DRAFT = 'do not delete the';
const LAST_FOLDED = 'line 30 of what a person pasted';
const FOLDED = Array.from({ length: 30 }, (_, at) => `line ${at + 1} of what a person pasted`);

/** Every process below a pid, itself last. */
function treeOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]) === pid;
    } catch {
      return false;
    }
  });
  return [...children.flatMap((child) => treeOf(Number(child))), pid];
}

const stop = async (actor: Actor) => {
  const shim = Number(actor.stage.tmux('display-message', '-p', '-t', actor.target, '#{pane_pid}'));
  for (const pid of treeOf(shim).filter((one) => one !== shim)) process.kill(pid, 'SIGSTOP');
};

export const SCENES: Readonly<Record<string, Scene>> = {
  answer: { health: 'answer', right: PARDONED },
  bare: { health: 'bare', right: PARDONED },
  /** Answers with nothing but the command that the question names, or with a sign. */
  command: { health: 'command', right: WAITED },
  mark: { health: 'mark', right: WAITED },
  prose: { health: 'prose', right: PARDONED },
  'prose late': { health: 'prose:6', right: PARDONED },
  obey: { variant: 'trusting', health: 'obey', right: PARDONED, without: NO_TOOLS },
  quote: { health: 'answer', play: says('quote', () => /whole prompt/), right: PARDONED },
  error: { health: 'error', right: PARDONED, because: /error/i },
  limit: { health: 'limit', right: PARDONED, because: /limit/i, unseen: RETRIES },
  limited: {
    health: 'hang',
    play: says('limit', ({ stage }) => stage.program.limit),
    right: PARDONED,
    because: /limit/i,
    unseen: RETRIES,
  },
  permission: dialog('permission', 'APPROVED-BY-NOBODY'),
  edit: dialog('edit', 'parser.py'),
  ask: { ...dialog('ask', 'APPROVED-BY-NOBODY'), without: NO_TOOLS },
  trust: {
    variant: 'untrusted',
    health: 'prose',
    right: PARDONED,
    because: /blocked on a person/,
    wrong: (actor) => stands(actor.stage.program.trust, actor, 'the dialog is gone'),
    without: ['opencode', 'aider'],
  },
  login: {
    variant: 'keyless',
    health: 'prose',
    right: PARDONED,
    because: /blocked on a person/,
    wrong: (actor) => stands(actor.stage.program.login, actor, 'the dialog is gone'),
    without: ['opencode'],
  },
  draft: {
    health: 'prose',
    play: (actor) => actor.type(DRAFT),
    right: [...WAITED, 'none'],
    wrong: ({ stage }) => (stage.log().includes(DRAFT) ? 'the draft was submitted' : null),
  },
  /** Shown as one word for many lines; where a program shows them all it is a draft like any other. */
  folded: {
    health: 'prose',
    play: async (actor) => {
      actor.stage.paste(actor.target, FOLDED.join('\n'));
      await actor.settles(4_000);
    },
    right: [...WAITED, 'none'],
    wrong: ({ stage }) => (stage.log().includes(LAST_FOLDED) ? 'the folded draft was submitted' : null),
  },
  /** Worded as the program's own suggestion, with the cursor at its beginning: no picture tells it from an empty composer. */
  mimic: {
    health: 'prose',
    play: async (actor) => {
      await actor.type(actor.stage.program.suggests ?? '');
      await actor.keys('C-a');
    },
    right: [...WAITED, 'none'],
    wrong: (actor) => {
      const words = actor.stage.program.suggests ?? '';
      if (actor.stage.log().includes(words)) return 'the draft was submitted';
      return stands(/DOG/, actor, '') === null ? 'the question stands in the draft' : null;
    },
    without: ['aider', 'amp'],
  },
  tool: working('tool', 'trusting'),
  tick: working('tick', 'trusting'),
  /** Some break off for the question, and go on behind it; aider takes none until it is through. */
  stream: { health: 'stream', play: says('stream', () => /Line 3 of/), right: PARDONED, unseen: ['aider'] },
  think: working('think:90', 'ready', WAITED),
  hang: { health: 'hang', right: ENDED },
  /** Relayed text is a prompt that begins with the town's word, and no command; the agent then answers. */
  relayed: {
    health: 'answer',
    relayed: RELAYED,
    right: PARDONED,
    wrong: (actor) => (inShop(actor, TRACE) ? `${TRACE} is there` : lostOf(actor.stage.log())),
  },
  /** A hook throws the question back at first; a later try is answered. */
  refused: { ...thrownBack('refusing'), right: PARDONED, because: /answer/i },
  /** A hook throws back all that is typed: what never arrives is unasked, and silence is no verdict. */
  barred: { ...thrownBack('barring'), right: WAITED },
  /** With a tool of it at work: nothing of its tree may be left. */
  end: { ...working('tool', 'trusting', ['executed']), unheard: true },
  stopped: { health: 'prose', play: stop, right: ENDED, shim: true },
};

/** Fast, and each of another kind: what runs wherever it can. */
export const SUBSET = {
  agents: ['claude', 'codex'],
  scenes: ['answer', 'prose', 'limit', 'permission', 'draft', 'hang', 'relayed'],
} as const;
