/**
 * `town status`: the town's own word, and what tmux and the records show beside it (C-14). The first thing a person types,
 * so it loads little: no commander, and the configuration only when the town is down.
 */
import type { StatusView } from '../../socket/protocol.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../../terminal/failure.ts';
import { terminal } from '../../terminal/streams.ts';
import type { Overview } from '../../overview/overview.ts';
import { glance } from '../glance.ts';
import { REDRAW } from '../policy.ts';
import { statusText, type StatusData } from '../status-text.ts';
import { asking } from '../story/asking.ts';

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
    guard_fault: up.guard_held === false ? null : (await import('../silence.ts')).guardFault(guard_pid),
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

function exitOf(data: StatusData): ExitCode {
  if (!data.running) return EXIT.notRunning;
  return data.degraded || !data.answers ? EXIT.degraded : EXIT.done;
}

/** 0 = up, 3 = down, 4 = degraded, or silent. With `watch` it shows itself again every second, until it is interrupted. */
export async function status(context: Context, options: { readonly watch?: boolean } = {}): Promise<ExitCode> {
  context.existing();
  const data = await look(context);
  if (options.watch !== true) {
    context.answer('status', data, () => statusText(data));
    return exitOf(data);
  }
  const { stay } = await import('../stay.ts');
  return stay({
    ...{ first: data, everyMs: REDRAW.statusMs, look: () => look(context), text: statusText },
    // Into a pipe, and for programs, one below the other.
    ...((context.json || terminal() === null) && {
      below: (seen: StatusData) => context.answer('status', seen, () => `${statusText(seen)}\n`),
    }),
  });
}
