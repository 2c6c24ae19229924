/**
 * The demo: a town of real small programs on a tmux of its own, in a minute, with a report. Owns its course and its
 * end: it ends all that it started before it returns, also after a failure.
 */
import { availableParallelism, loadavg } from 'node:os';
import { Failure, Unwritten } from '../terminal/failure.ts';
import { complain, envelope, say } from '../terminal/print.ts';
import { onUnprinted } from '../terminal/streams.ts';
import { play } from './acts.ts';
import { playApart } from './apart.ts';
import { closing, type Ended } from './closing.ts';
import { reportOf } from './report.ts';
import { showFor, type Stageplay } from './show.ts';
import { setStage, type Stage } from './stage.ts';
import { longestMs, MAX_SPEED, speedFor, windowsOf } from './times.ts';

export interface DemoOptions {
  /** How much faster than life; null = as the machine allows, so that it ends within a quarter of a minute or a whole one. */
  readonly speed: number | null;
  /** One object at the end instead of a live view. */
  readonly json: boolean;
  /** Leaves the temporary root where it is, and names it. */
  readonly keep: boolean;
}

/** `interrupted` is what a shell expects of a program that a signal ended. */
const EXIT = { right: 0, wrong: 1, usage: 2, degraded: 4, interrupted: 130 } as const;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Resolves with the exit code: 0 only if every outcome is the expected one, 4 if so where there is no tmux. Throws Failure. */
export async function runDemo({ speed: wished, json, keep }: DemoOptions): Promise<number> {
  const speed = wished ?? speedFor(loadavg()[0] ?? 0, availableParallelism());
  if (speed > MAX_SPEED) {
    const why = `--speed ${speed} is too fast for a machine to be watched; write 1 to ${MAX_SPEED}`;
    throw new Failure(EXIT.usage, 'bad_usage', why);
  }
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new Interrupted('interrupted'));
  for (const name of SIGNALS) process.on(name, onSignal);
  const stdout: { fault: Unwritten | null } = { fault: null };
  // The reader has gone: that ends the demo too, but its stage is struck first.
  onUnprinted((error, from) => {
    onSignal();
    if (from === 'stdout' && error.code !== 'EPIPE') stdout.fault ??= new Unwritten(error);
  });
  const windows = windowsOf(speed).map((ms) => `${ms / 1_000} s`);
  const show = showFor({ json, title: `Townwatch demo at speed ${speed}, windows ${windows.join(', ')}` });
  const stage = setStage(speed, interrupt.signal, keep);
  const ending = await course(stage, show, speed, interrupt.signal);
  show.end();
  if (ending.kind === 'interrupted' && !json) say('interrupted; ends what was started');
  const keeps = keep || exitOf(ending) === EXIT.wrong;
  const left = await stage.strike(keeps);
  for (const name of SIGNALS) process.off(name, onSignal);
  const kept = keeps ? stage.root : null;
  const exit = left.length > 0 ? EXIT.wrong : exitOf(ending);
  if (json) say(envelope('demo', { speed, exit, root: kept, left, ...ending }));
  else say(closing(ending, { kept, left }));
  return stdout.fault === null ? exit : complain(stdout.fault, json);
}

async function course(stage: Stage, show: Stageplay, speed: number, signal: AbortSignal): Promise<Ended> {
  const began = Date.now();
  try {
    show.say('starts the town: town up');
    const up = (await stage.town(['up'])) as { readonly degraded: boolean; readonly degraded_why: string | null };
    const needs = { stage, show, signal, longestMs: longestMs(speed) };
    if (up.degraded) {
      return { kind: 'degraded', why: up.degraded_why ?? 'the reason is unknown', rebirth: await playApart(needs) };
    }
    const played = await play(needs);
    return { kind: 'played', report: reportOf(played), tookMs: Date.now() - began };
  } catch (error) {
    if (signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

function exitOf(ending: Ended): number {
  switch (ending.kind) {
    case 'played':
      return ending.report.isRight ? EXIT.right : EXIT.wrong;
    case 'degraded':
      return ending.rebirth === null ? EXIT.wrong : EXIT.degraded;
    case 'failed':
      return EXIT.wrong;
    case 'interrupted':
      return EXIT.interrupted;
  }
}
