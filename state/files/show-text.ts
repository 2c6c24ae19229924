/** A foreign text for an error message: quoted, control characters escaped, cut. */
export function showText(text: unknown): string {
  const quoted = JSON.stringify(typeof text === 'string' ? text : (text ?? null));
  return quoted.length <= SHOWN_CHARACTERS ? quoted : `${quoted.slice(0, SHOWN_CHARACTERS)}…`;
}
const SHOWN_CHARACTERS = 80;
