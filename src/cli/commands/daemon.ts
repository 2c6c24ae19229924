/** `town daemon run|status|logs`. */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { FILES } from '../../../state/files/layout.ts';
import { runningOf, type Running } from '../../../state/process/pid-files.ts';
import type { Lasting } from '../../config/lasting.ts';
import { isFirst, REAP, UNREAPED } from '../../guard/first-process.ts';
import { runTown } from '../../town/daemon.ts';
import { createProcesses, type ProcessTable } from '../../proc/processes.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { keepAllValues } from '../naming/environment.ts';
import { refuseGasTown } from '../naming/gas-town.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, complain, note, say } from '../../terminal/print.ts';
import { when } from '../../journal/when.ts';
import { times } from '../../../machines/kernel/span.ts';
import type { UpOptions } from './town.ts';

interface RunOptions extends UpOptions {
  readonly guarded?: boolean;
  /** Not the first start of its guard. */
  readonly again?: boolean;
}

/**
 * Only the first start of a guard has a caller who waits for it, and refuses a broken town.toml. At any later start, by
 * a guard or by a person's own unit, a file broken meanwhile must not leave agents unsupervised.
 */
async function configured(context: Context, { set, guarded, again }: RunOptions): Promise<Lasting> {
  if (guarded !== true || again === true) return context.lasting(set);
  return { settings: await context.exactSettings(set), broken: null };
}

function refusal(exit: number, text: string): Failure {
  if (exit === EXIT.refused) return new Failure(EXIT.refused, 'refused', text);
  return exit === EXIT.usage ? new Failure(EXIT.usage, 'bad_root', text) : new Failure(EXIT.failed, 'failed', text);
}

/** Runs the town in this process until it is stopped. Throws ConfigError if no last good configuration helps. */
export async function run(context: Context, options: RunOptions): Promise<number> {
  // A town that its guard starts again was there before the mark came.
  if (options.again !== true) await refuseGasTown(context);
  const { settings, broken } = await configured(context, options);
  await mustBeOperator(context, 'town daemon run');
  await context.placed();
  if (options.guarded !== true && broken !== null) note(broken);
  // `town up` shows it, too: a typing mistake in --root must not look like the town that was meant.
  if (options.guarded !== true && !context.hasRoot())
    note(`there is no town at ${context.root} (from ${context.where.from}) yet: a new one begins there`);
  if (isFirst(process.pid)) note(`${UNREAPED}; ${REAP}`);
  // A guarded town has what `town up` kept.
  if (options.guarded !== true) await keepAllValues(context, settings);
  const { guarded = false, inspect = false, again = false } = options;
  return runTown(settings, {
    guarded,
    inspect,
    broken,
    again,
    ...(context.json && { tell: (exit, text) => void complain(refusal(exit, text), true) }),
  });
}

const NOT_RUNNING = { running: false, pid: null, epoch: null, version: null } as const;
const UNGUARDED = { guard_pid: null, falls: 0, last_exit: null, next_try_at: null } as const;

async function postOf(running: Running, { alive }: Pick<ProcessTable, 'alive'>) {
  const said = await running.town();
  const guard = await running.guard();
  const town = said.kind === 'town' && alive(said.town) ? said.town : null;
  return {
    ...(town === null ? NOT_RUNNING : { running: true, pid: town.pid, epoch: town.epoch, version: town.version }),
    ...(guard === null
      ? UNGUARDED
      : {
          guard_pid: alive(guard) ? guard.pid : null,
          falls: guard.falls,
          last_exit: guard.lastExit,
          next_try_at: guard.nextTryAt,
        }),
    /** daemon.pid is another program's, a plain number. */
    foreign_pid: said.kind === 'foreign' ? said.pid : null,
    /** Why the town is stopped on purpose; null = it is not. */
    stopped: await running.stopped(),
  };
}

function told(post: Awaited<ReturnType<typeof postOf>>): string {
  const { running, pid, epoch, version, guard_pid: guard, foreign_pid: foreign } = post;
  return [
    running ? `town ${pid}, epoch ${epoch}, version ${clean(version)}` : 'the town is not running; `town up` starts it',
    guard === null ? 'no guard' : `guard ${guard}`,
    ...(foreign === null ? [] : [`daemon.pid names pid ${foreign} of another program`]),
    ...(post.last_exit === null ? [] : [`last end: ${clean(post.last_exit)}, ${times(post.falls, 'fall')} in a row`]),
    ...(post.next_try_at === null ? [] : [`next try: ${when(post.next_try_at)}`]),
    ...(post.stopped === null ? [] : [`stopped: ${clean(post.stopped)}`]),
  ].join('\n');
}

/** 0 when the town's process lives, 3 when not. */
export async function status(context: Context): Promise<ExitCode> {
  context.existing();
  const { state } = await context.settings();
  const post = await postOf(runningOf(await context.disk(), state.maxRecordBytes), createProcesses());
  context.answer('daemon', post, () => told(post));
  return post.running ? EXIT.done : EXIT.notRunning;
}

/** Bytes read of the end of a log; a longer line is cut. */
const MAX_BYTES = 4_194_304;

async function from(path: string, start: number): Promise<string> {
  return textOf(createReadStream(path, { start, encoding: 'utf8' }));
}

/** The end of the log; with `follow` it goes on until it is interrupted. */
export async function logs(
  context: Context,
  options: { readonly lines: number; readonly follow?: boolean },
): Promise<void> {
  context.existing();
  const path = join(context.root, FILES.daemonLog);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) {
    throw new Failure(EXIT.failed, 'no_log', `there is no ${path} yet; \`town up\` writes it`);
  }
  if (!there.isFile()) {
    const text = `${path} is no plain file; \`town restart\` puts it away and writes its own`;
    throw new Failure(EXIT.failed, 'no_log', text);
  }
  const { size } = there;
  const whole = await from(path, Math.max(0, size - MAX_BYTES));
  const lines = whole.trimEnd().split('\n').slice(-options.lines);
  context.answerPlain('logs', lines, lines.map((line) => clean(line)).join('\n'));
  if (options.follow === true) await follow(path, size);
}

const AGAIN_MS = 250;

async function follow(path: string, size: number): Promise<never> {
  let done = size;
  for (;;) {
    await pause(AGAIN_MS);
    const now = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // A smaller file is a new one: the log was turned.
    if (now < done) done = 0;
    if (now === done) continue;
    const more = await from(path, done);
    done += Buffer.byteLength(more);
    say(clean(more.trimEnd(), 'lines'));
  }
}
