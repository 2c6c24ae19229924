/** A command as a person typed it: a text for the shell without the shell before it. */
export const commandText = (words: readonly string[]): string =>
  words.length === 3 && words[0] === '/bin/sh' && words[1] === '-c' ? (words[2] ?? '') : words.join(' ');
