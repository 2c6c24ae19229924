/**
 * The one door to stdout and stderr, for every process of ours: nothing else in src/ may name them (eslint.config.js).
 * Output steers no terminal, from whichever file, pane, argument or variable it came: control characters are left out,
 * and invisible characters are named. What we mean ourselves, a colour or a cursor's move, is written with `own` or
 * `styled`.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { styleText } from 'node:util';
import { escapeInvisible, showInvisible } from '../../machines/kernel/visible-text.ts';

const ESCAPE = '\u001b';
/**
 * Stands for an escape of ours until it leaves. It is random, so no foreign text holds one. null = none was written.
 */
let ours: string | null = null;
/** C0 without tab and line feed, DEL, C1. */
const STEERS = /[\0-\x08\v-\x1f\x7f-\x9f]/g;

export const harmless = (text: string): string => showInvisible(text.replace(STEERS, ''));

/** JSON in which what steers a terminal or is invisible is escaped too: JSON itself asks for it below U+0020 alone. */
export const jsonText = (value: unknown, indent?: number): string =>
  escapeInvisible(JSON.stringify(value, null, indent)).replace(
    STEERS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A sequence that is meant to steer. Never put foreign text into one. */
export function own(sequence: string): string {
  if (!sequence.includes(ESCAPE)) return sequence;
  // Loaded when it is needed: the guard prints too, and steers nothing.
  ours ??= process.getBuiltinModule('node:crypto').randomUUID();
  return sequence.replaceAll(ESCAPE, ours);
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Coloured on a terminal, unless NO_COLOR says no. */
export const inStyle = (style: Style, text: string): string =>
  own(styleText(style, harmless(text), { stream: process.stdout, validateStream: true }));

/** As it leaves. */
export const leaving = (text: string): string =>
  ours === null ? harmless(text) : harmless(text).replaceAll(ours, ESCAPE);

/** What runs for another program, which loaded us as a library. null = nothing did yet. */
let silent: AsyncLocalStorage<true> | null = null;

/** Nothing that `work` does prints. */
export function silently<T>(work: () => T): T {
  silent ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<true>();
  return silent.run(true, work);
}

export function print(text: string, to: 'stdout' | 'stderr' = 'stdout'): void {
  if (silent?.getStore() !== true) process[to].write(leaving(text));
}

/** The terminal that a stream leads to; null = it leads to a file or a pipe. One that does not know its size says 0. */
export function terminal(
  to: 'stdout' | 'stderr' = 'stdout',
): { readonly columns: number; readonly rows: number } | null {
  const { isTTY, columns, rows } = process[to];
  return isTTY ? { columns, rows } : null;
}

/** Lends the terminal to a program that draws on it itself, until that ends; its exit code, or why it could not be run. */
export function lend(program: string, args: readonly string[], env: NodeJS.ProcessEnv): number | Error {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', env });
  return error ?? status ?? 1;
}

/** Called whenever the terminal has another size; returns how to stop that. */
export function onResized(handle: () => void): () => void {
  process.stdout.on('resize', handle);
  return () => void process.stdout.off('resize', handle);
}

/** Called when a stream takes nothing any more, instead of what was called before. */
export function onUnprinted(handle: (error: NodeJS.ErrnoException, from: 'stdout' | 'stderr') => void): void {
  for (const from of ['stdout', 'stderr'] as const) {
    process[from].removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => handle(error, from));
  }
}
