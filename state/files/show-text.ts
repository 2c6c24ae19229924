/** A foreign text for an error message: quoted, control characters escaped, cut. */
export function showText(text: unknown): string {
  const quoted = JSON.stringify(typeof text === 'string' ? text : (text ?? null));
  return quoted.length <= SHOWN_CHARACTERS ? quoted : `${quoted.slice(0, SHOWN_CHARACTERS)}…`;
}
const SHOWN_CHARACTERS = 80;

/** One word of a line that a person or an agent types into a shell, quoted only where it must be. */
export const shellWord = (text: string): string => (/^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : inQuotes(text));

/** One word in single quotes, as every shell and tmux's command language read it. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
