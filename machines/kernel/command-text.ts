/** A command as a person typed it: a text for the shell without the shell before it. */
export const commandText = (words: readonly string[]): string =>
  words.length === 3 && words[0] === '/bin/sh' && words[1] === '-c' ? (words[2] ?? '') : words.join(' ');

/** The first words of a command, at most three: options, prompts and variables may hold a secret, and an alert leaves the machine. */
export function programText(words: readonly string[]): string {
  const [program = '', ...rest] = commandText(words).trim().split(/\s+/u);
  const until = rest.findIndex((word) => !/^\w[\w./-]{0,30}$/.test(word));
  const shown = [program.replace(/=.*/, '=…').slice(0, 80), ...rest.slice(0, until < 0 ? 2 : Math.min(until, 2))];
  return shown.length > rest.length ? shown.join(' ') : `${shown.join(' ')} …`;
}
