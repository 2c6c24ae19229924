/** The words of a command, and those of `env NAME=value …` before its program. Pure. */
import { basename } from 'node:path';

/** `more`: text that is added to a word, which the shell alone may know. */
export type Word = string | { readonly word: string; readonly more: string };

const ASSIGNED = /^([A-Za-z_]\w*)=(.*)$/s;

/** A command behind `env NAME=value …`, which has no other options. */
export function withoutEnv(command: readonly string[]): Record<'prefix' | 'words', readonly string[]> {
  const [word = '', ...rest] = command;
  const at = basename(word) === 'env' ? rest.findIndex((one) => !ASSIGNED.test(one)) + 1 : 0;
  return { prefix: command.slice(0, at), words: command.slice(at) };
}

export function assignedIn(prefix: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const word of prefix) {
    const [, name, value = ''] = ASSIGNED.exec(word) ?? [];
    if (name !== undefined) values[name] = value;
  }
  return values;
}
