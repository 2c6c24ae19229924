/**
 * The command lines that people wait for most often, without the tree of commands: loading the tree takes longer than
 * the whole of `status`. All other lines go the long way (program.ts), with the same outcome.
 */
import type { Context } from './context.ts';
import { callerToken } from '../socket/caller-token.ts';

const has = (words: readonly string[], flag: string): boolean => words.includes(flag);
const are = (words: readonly string[], flags: readonly string[]): boolean =>
  words.every((word) => flags.includes(word));

/** The exit code; null = it is none of them. */
export async function quick(context: Context, words: readonly string[]): Promise<number | null> {
  const [first, ...rest] = words;
  if (first === undefined && !context.json) return (await import('./commands/home.ts')).home(context);
  // The long way sees whether a run of triage calls.
  const isLong = first === 'status' && callerToken() !== undefined;
  if (!isLong && (first ?? 'status') === 'status' && are(rest, ['--watch']))
    return (await import('./commands/status.ts')).status(context, { watch: has(rest, '--watch') });
  if (first === 'up' && are(rest, ['--inspect']))
    return (await import('./commands/town.ts')).up(context, { set: [], inspect: has(rest, '--inspect') });
  if (first !== 'daemon' || rest[0] !== 'run') return null;
  // As a guard starts it.
  const { AGAIN } = await import('../guard/orders.ts');
  if (!are(rest.slice(1), ['--guarded', '--inspect', AGAIN])) return null;
  return (await import('./commands/daemon.ts')).run(context, {
    set: [],
    guarded: has(rest, '--guarded'),
    inspect: has(rest, '--inspect'),
    again: has(rest, AGAIN),
  });
}
