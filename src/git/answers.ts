/** What a list asked of a repository already: looks that share it ask each question once. */

/** By place and words; a question that failed has failed for all who ask it. */
export type Answers = Map<string, Promise<string | null>>;

export function askedOnce(
  answers: Answers | undefined,
  words: readonly string[],
  ask: () => Promise<string | null>,
): Promise<string | null> {
  const key = words.join('\0');
  const known = answers?.get(key) ?? ask();
  answers?.set(key, known);
  return known;
}
