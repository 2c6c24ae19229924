/** The words in which a person hears of the end of an episode. Pure. */
import { aboutOf, partOf, type Episode } from '../protocol.ts';

/**
 * An end that names neither its subject nor its session repeats the first row of its alert: the alert may be hours and screens away.
 * The row stays whole: a secret that is cut here has no shape by which a channel masks it.
 */
export function endText({ episode, session, text, recovery }: Episode): string {
  if (recovery === null) return text;
  const names = [partOf(aboutOf(episode).name), ...(session === null ? [] : [session])];
  if (names.some((name) => isNamedIn(recovery, name))) return recovery;
  const [row = ''] = text.split('\n');
  return `${recovery} It was: ${row}`;
}

/** As a word of its own. A word of one letter may be no name: "a person". A kind that has only one has no name. */
function isNamedIn(text: string, name: string): boolean {
  if (name.length < 2) return name === '';
  const parts = text.split(name);
  return parts.some(
    (before, at) => at < parts.length - 1 && !/[\w-]$/.test(before) && !/^[\w-]/.test(parts[at + 1] ?? ''),
  );
}
