/** One word of a line that a person or an agent types into a shell, quoted only where it must be. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
