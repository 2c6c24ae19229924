/**
 * The secrets of a start: TOWN_TOKEN, the variables that it names (`--env`, `[[agents]] env`), and their way to its program.
 * No value stands on a command line, which every user of the machine may read: tmux reads it from its standard input, and the
 * session forgets it once the program has it.
 */
import type { SessionSpec } from '../../machines/protocol.ts';
import type { Values } from '../../state/sessions/environment.ts';
import { pathBelow } from '../proc/environment.ts';
import type { TmuxClient } from '../tmux/client.ts';
import { isFault } from '../tmux/errors.ts';

export const TOKEN = 'TOWN_TOKEN';

/** What is kept of a session's values. Rejects when the disk does not say. */
export type EnvironmentOf = (session: string) => Promise<Values>;

/** Those of `values` that this start names. */
export const namedValues = ({ env = [] }: Pick<SessionSpec, 'env'>, values: Values): Values =>
  Object.fromEntries(env.flatMap((name) => (name in values ? [[name, values[name] ?? '']] : [])));

/** The PATH of a life that is started there: its own by `--env PATH`, else that of its server, which says this of its environment. */
export const pathOf = ({ PATH }: Values, shown: string): string | null => PATH ?? pathBelow(shown);

/** Why it cannot be started without them, as a sentence with what comes next; null = each has a value. */
export function missingVariables(
  { name, env = [] }: Pick<SessionSpec, 'name' | 'env'>,
  values: Values,
  then = `then: town session start ${name}`,
): string | null {
  const missing = env.filter((one) => !(one in values));
  if (missing.length === 0) return null;
  const which = missing.length === 1 ? `the variable ${missing[0]} is` : `the variables ${missing.join(', ')} are`;
  return `${which} not set for ${name}; export ${missing.length === 1 ? 'it' : 'them'}, ${then}`;
}

/** As tmux's command language reads it: every byte that means something to it is a number. */
const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`;
/** Letters, digits, and what no shell nor tmux reads anything into. */
const isPlain = (byte: number): boolean => /[A-Za-z0-9_.,/:+-]/.test(String.fromCharCode(byte));

/** Gives them to a session, for what is started there next. Rejects with TmuxError. */
export async function lend(tmux: Pick<TmuxClient, 'call'>, sessionId: string, values: Values): Promise<void> {
  const lines = Object.entries(values).map(
    ([name, value]) => `set-environment -t '${sessionId}' ${name} ${quoted(value)}\n`,
  );
  if (lines.length === 0) return;
  try {
    await tmux.call(['source-file', '-'], lines.join(''));
  } catch (error) {
    if (!isFault(error, 'refused')) throw error;
    // A hook of the user's that fails makes a call fail that did its work.
    const shown = (await tmux.call(['show-environment', '-t', sessionId])).split('\n');
    if (!Object.keys(values).every((name) => shown.some((line) => line.startsWith(`${name}=`)))) throw error;
  }
}

/** The commands by which the session forgets all that was lent to it. Done twice, they do no harm. */
export const takingBack = (
  sessionId: string,
  { env = [] }: Pick<SessionSpec, 'env'>,
  lent: readonly string[] = [],
): string[][] => [TOKEN, ...env, ...lent].map((name) => ['set-environment', '-u', '-t', sessionId, name]);
