/** A pane without tmux, as the hands of a hearing see it: it shows the same rows after any key. */
import type { OutcomeBody } from '../../../machines/protocol.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { askHand } from '../../../src/hearings/ask.ts';
import { lookHand } from '../../../src/hearings/look.ts';
import { Memory } from '../../../src/hearings/memory.ts';
import { nudgeHand } from '../../../src/hearings/nudge.ts';
import type { NudgeBook } from '../../../src/hearings/pace.ts';
import { PaneQueue } from '../../../src/hearings/queue.ts';
import type { HearingDeps } from '../../../src/hearings/view.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { moodOf, type PaneState } from '../../../src/watchdog/pane-state.ts';
import { incarnation } from '../../world/drive.ts';

const WALL = Date.UTC(2026, 0, 2, 12);
const WIDTH = 80;
const TARGET = incarnation(1);
const CODE = 'K73F';
export const LINES = ['[DOG] HEALTH CHECK: Session max', 'Run: town alive K7-3F'];

const CLAUDE = {
  comm: 'claude',
  argv: ['claude'],
  exe: null,
  pid: TARGET.agent.pid,
  ppid: 1,
  tty: '/dev/pts/9',
  interactiveShell: false,
};

/** A book of remarks in which a nudge of this age stands; null = none. */
const bookWith = (nudgedMs: number | null): NudgeBook => ({
  of: () =>
    Promise.resolve(
      nudgedMs === null
        ? null
        : { at: WALL - nudgedMs, from: 'boot', sure: true, checkedAt: null, texts: [], given: [], pressed: null },
    ),
  add: () => Promise.resolve(),
  confirm: () => Promise.resolve(),
  addCheck: () => Promise.resolve(),
  addWork: () => Promise.resolve(),
  addGiven: () => Promise.resolve(),
  takeGivenBack: () => Promise.resolve(),
  setPressed: () => Promise.resolve(),
});

const neither = (): never => {
  throw new TmuxError('refused', 'no probe asks this');
};

type Looked = Extract<OutcomeBody, { type: 'LOOKED' }>;

export interface Scene {
  /** What it shows; by how often it was looked at, and what was pressed. */
  readonly rows?: readonly string[] | ((pane: FakePane) => readonly string[]);
  /** A person pressed a key this long ago. */
  readonly keyMs?: number;
  /** A nudge was typed this long ago. */
  readonly nudgedMs?: number;
}

export class FakePane {
  now = 1_000_000;
  enters = 0;
  pastes = 0;
  /** Backspaces. */
  erased = 0;
  /** Pictures that were taken of it. */
  shots = 0;
  readonly slept: number[] = [];
  readonly #deps: HearingDeps;
  readonly #scene: Scene;

  constructor({ hands }: Pick<Settings, 'hands'>, scene: Scene = {}) {
    this.#scene = scene;
    this.#deps = {
      tmux: {
        query: (command) => Promise.resolve(this.#query(command)),
        call: ([verb]) => {
          if (verb === 'if-shell') this.enters += 1;
          if (verb === 'paste-buffer') this.pastes += 1;
          return Promise.resolve('');
        },
        sequence: (commands) => Promise.resolve({ stdout: this.#shot(commands), refused: null }),
        server: () => Promise.resolve(TARGET.server),
      },
      processes: {
        proc: neither,
        signal: neither,
        commandOf: neither,
        ttyOf: neither,
        cwdOf: neither,
        cannotRun: neither,
        treeOf: neither,
        familyOf: neither,
        refusal: neither,
        children: neither,
        carrying: neither,
        startedAs: neither,
        survivorsOf: neither,
        groupsBelow: neither,
        variableOf: neither,
        runningMarkOf: neither,
        loadOf: neither,
        stoppedOf: () => Promise.resolve(null),
        alive: () => true,
        usageOf: () => Promise.resolve([{ cpu: new Map(), memoryBytes: 0 }]),
        describe: (pid) => (pid === TARGET.agent.pid ? CLAUDE : null),
      },
      clock: {
        now: () => this.now,
        wall: () => WALL,
        sleep: (ms) => {
          this.slept.push(ms);
          this.now += ms;
          return Promise.resolve();
        },
      },
      policy: hands,
      memory: new Memory(hands),
      queue: new PaneQueue(),
      cpu: { rate: () => null },
      packs: new Packs(),
    };
  }

  ask(): Promise<OutcomeBody> {
    const order = { type: 'ask', id: { name: 'a' }, target: TARGET, lines: LINES, code: CODE } as const;
    return askHand({ ...this.#deps, nudges: bookWith(null), isProtected: () => false })(
      order,
      new AbortController().signal,
    );
  }

  nudge(atRest?: true, atLimit?: true): Promise<OutcomeBody> {
    const { nudgedMs = null } = this.#scene;
    const remark = { text: 'check your inbox', from: 'boot', raw: false, atRest, atLimit };
    const order = { type: 'nudge', id: { name: 'n' }, target: TARGET, ...remark } as const;
    const hand = nudgeHand({ ...this.#deps, nudges: bookWith(nudgedMs), isProtected: () => false });
    return hand(order, new AbortController().signal);
  }

  /** What Boot sees in it. */
  mood(): Promise<PaneState> {
    return moodOf(this.#deps, TARGET);
  }

  /** Looks after each of these waits; `beat`: what its heartbeat says meanwhile. */
  async look(...looks: readonly { readonly afterMs: number; readonly beat: number }[]): Promise<Looked[]> {
    const mark = { line: 0, width: WIDTH, alternate: false, cpuRate: null };
    const attempts = [{ code: CODE, windowMs: 60_000, askedAt: WALL, question: LINES, mark, seen: '' }];
    const order = { type: 'look', id: { name: 'l' }, target: TARGET, attempts } as const;
    const outcomes: Looked[] = [];
    for (const { afterMs, beat } of looks) {
      this.now += afterMs;
      const no = () => Promise.resolve(false);
      const files = { answerFor: no, isAtRest: no, heartbeat: () => Promise.resolve(beat) };
      const outcome = await lookHand({ ...this.#deps, ...files })(order, new AbortController().signal);
      if (outcome.type === 'LOOKED') outcomes.push(outcome);
    }
    return outcomes;
  }

  #query([verb, ...words]: readonly string[]): string[] {
    const { keyMs } = this.#scene;
    if (verb === 'send-keys' && words.includes('BSpace')) this.erased += Number(words[words.indexOf('-N') + 1]);
    if (verb === 'display-message') return ['0'];
    if (verb === 'list-panes') return [`pane ${TARGET.sessionId} ${TARGET.paneId} ${process.pid} 0 s g`];
    if (verb === 'list-clients') return keyMs === undefined ? [] : [`client 0 ${(WALL - keyMs) / 1_000} $1`];
    return [];
  }

  /** What tmux prints for a picture: its numbers, three captures and a title, with a seam behind each. */
  #shot(commands: readonly (readonly string[])[]): string {
    this.shots += 1;
    const { rows: shown = composer('') } = this.#scene;
    const rows = typeof shown === 'function' ? shown(this) : shown;
    const seam = commands[1]?.at(-1) ?? '';
    const cursorRow = Math.max(
      0,
      rows.findLastIndex((row) => row.startsWith('❯')),
    );
    const numbers = `0 2000 ${WIDTH} ${rows.length} ${cursorRow} 2 0 0 0 `;
    const captured = rows.map((row) => `${row}\n`).join('');
    return [`${numbers}\n`, captured, captured, captured, '✳ Claude Code\n'].map((part) => `${part}${seam}\n`).join('');
  }
}

/** Claude Code's screen with this draft in its composer. */
export const composer = (draft: string, above: readonly string[] = []): string[] => {
  const rule = '─'.repeat(WIDTH);
  return [...above, rule, `❯ ${draft}`, rule];
};
