/**
 * `town status`: the town's own word, and what tmux and the records show beside it (C-14). The first thing a person types,
 * so it loads little: no commander, and the configuration only when the town is down.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { StatusView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../failure.ts';
import { own, print, styled, terminal } from '../../terminal.ts';
import { clean, note, say } from '../output.ts';
import type { Overview } from '../../overview/overview.ts';
import { glance } from '../glance.ts';
import { sessionTable } from '../session-table.ts';
import { asking, questionLines, type Question } from '../story/asking.ts';
import { times } from '../story/span.ts';

/** `status/1`. */
interface StatusData extends Omit<Overview, 'unreadable'> {
  /** Of the alerts and messages those that ask a person something, with what to type. */
  readonly questions: readonly Question[];
  readonly running: boolean;
  /** False also when it runs and is silent: then `silent_why` says why. */
  readonly answers: boolean;
  readonly silent_why: string | null;
  /** When its guard starts a town again that fell, ISO time, a past one = at once; null = nobody does. */
  readonly back_at: string | null;
  /** How it fell, and who brings it back; null = it did not, or nobody does. */
  readonly back_why: string | null;
  readonly pid: number | null;
  readonly guard_pid: number | null;
  /** Why the guard does nothing; null = it can act, or there is none. */
  readonly guard_fault: string | null;
  readonly epoch: number | null;
  readonly degraded: boolean;
  readonly degraded_why: string | null;
  readonly inspect_port: number | null;
  readonly ready: boolean;
  readonly version: string | null;
  readonly root: string;
  readonly started_at: string | null;
  /** `waiting for disk`, or null. */
  readonly waiting: string | null;
  readonly actors: readonly { readonly id: string; readonly state: string; readonly restarts: number }[];
}

const BACK = { back_at: null, back_why: null } as const;
const DOWN = {
  running: false,
  answers: false,
  silent_why: null,
  ...BACK,
  pid: null,
  guard_pid: null,
  guard_fault: null,
  epoch: null,
  degraded: false,
  degraded_why: null,
  inspect_port: null,
  ready: false,
  version: null,
  started_at: null,
  waiting: null,
  actors: [],
} as const;

type OwnWord = Omit<StatusData, keyof Overview | 'root' | 'questions'>;

async function ownWord(up: StatusView): Promise<OwnWord> {
  const { running, pid, guard_pid, epoch, degraded, inspect_port, ready, version, started_at, actors } = up;
  return {
    ...{
      ...BACK,
      running,
      answers: true,
      silent_why: null,
      pid,
      guard_pid,
      epoch,
      inspect_port,
      ready,
      version,
      started_at,
    },
    guard_fault: (await import('../silence.ts')).guardFault(guard_pid),
    waiting: up.waiting,
    degraded: degraded.is,
    degraded_why: degraded.why,
    actors: actors.map(({ id, state, restarts }) => ({ id, state, restarts })),
  };
}

async function look(context: Context): Promise<StatusData> {
  const { town, overview } = await glance(context);
  const { questions } = asking(overview.alerts, overview.mail);
  const word = town === null ? await without(context) : await ownWord(town);
  return { ...word, root: context.root, ...overview, questions };
}

/** Nobody answers: a town that has the root all the same is not called down (law 1). */
async function without(context: Context): Promise<OwnWord> {
  const { guardFault, silenceOf } = await import('../silence.ts');
  const silence = await silenceOf(context);
  if (silence === null) return DOWN;
  const { guard_pid, why } = silence;
  const guard = { guard_pid, guard_fault: guardFault(guard_pid) };
  if (silence.kind === 'falling') return { ...DOWN, ...guard, back_at: silence.back_at, back_why: why };
  return { ...DOWN, ...guard, running: true, silent_why: why, pid: silence.pid };
}

function headline(data: StatusData): string {
  if (data.back_why !== null) return `${styled('yellow', 'back soon')}  ${data.root}: ${data.back_why}`;
  if (!data.running)
    return `${styled('red', 'down')}  the town of ${data.root} is not running; start it with \`town up\``;
  if (!data.answers) return `${styled('red', 'silent')}  ${data.root}: ${data.silent_why ?? 'nobody answers'}`;
  const guard = data.guard_pid === null ? 'without a guard' : `guard ${data.guard_pid}`;
  const word = data.degraded ? styled('yellow', 'degraded') : styled('green', data.ready ? 'up' : 'starting');
  return `${word}  ${data.root}: town ${data.pid ?? '?'}, ${guard}, epoch ${data.epoch ?? '?'}`;
}

function holderOf({ tmux_holder: by, root }: StatusData): string {
  if (by === null) return 'no town holds it';
  if (by.root === root) return 'this town holds it';
  const whose = by.root === null ? 'another town' : `the town of ${clean(by.root)}`;
  return `${whose} holds it (${by.pid === null ? `guard ${by.guard_pid ?? '?'}` : `town ${by.pid}`})`;
}

function text(data: StatusData): string {
  const fallen = data.actors.filter(({ restarts }) => restarts > 0);
  return [
    headline(data),
    ...(data.guard_fault === null ? [] : [`  ${data.guard_fault}`]),
    ...(data.degraded_why === null ? [] : [`  degraded: ${clean(data.degraded_why)}`]),
    ...(data.waiting === null ? [] : [`  ${clean(data.waiting)}`]),
    `  tmux socket ${clean(data.tmux_socket)}: ${holderOf(data)}`,
    ...(data.tmux_fault === null ? [] : [`  tmux could not be asked: ${clean(data.tmux_fault)}`]),
    ...fallen.map(({ id, state, restarts }) => `  ${id} is ${state}, restarted ${times(restarts, 'time')}`),
    `  ${times(data.dances, 'hearing')}, ${times(data.alerts.length, 'open alert')}, ${times(data.mail.length, 'message')} for you`,
    ...questionLines(data.questions).map((line) => `  ${line}`),
    ...asking(data.alerts, data.mail).news.map((line) => `  - ${line}`),
    '',
    sessionTable(data.sessions),
  ].join('\n');
}

function exitOf(data: StatusData): ExitCode {
  if (!data.running) return EXIT.notRunning;
  return data.degraded || !data.answers ? EXIT.degraded : EXIT.done;
}

const AGAIN_MS = 1_000;
const HOME_AND_CLEAR = '\u001b[H\u001b[2J';

/** 0 = up, 3 = down, 4 = degraded, or silent. With `watch` it shows itself again every second, until it is interrupted. */
export async function status(context: Context, options: { readonly watch?: boolean } = {}): Promise<ExitCode> {
  context.existing();
  let data = await look(context);
  const show = (): void => context.answer('status', data, () => text(data));
  if (options.watch !== true) {
    show();
    return exitOf(data);
  }
  for (;;) {
    if (terminal() !== null) print(own(HOME_AND_CLEAR));
    show();
    await pause(AGAIN_MS);
    try {
      data = await look(context);
    } catch (error) {
      note(`no answer this time: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (terminal() === null && !context.json) say('');
  }
}
