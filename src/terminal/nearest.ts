/** The known word that a mistyped one most likely means. */

/** How many signs differ; two that changed places, the commonest mistake, count as one. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Longest word that is compared; a longer one is no typing mistake. */
const LONGEST = 64;

/** Shortest beginning that stands for a whole word. */
const SHORTEST = 3;

/** The nearest of `known` by its beginning or by edit distance; null when none is near enough to be meant. */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word.length > LONGEST) return null;
  const whole = [...known];
  const begun =
    word.length >= SHORTEST ? whole.find((candidate) => candidate.startsWith(word.toLowerCase())) : undefined;
  if (begun !== undefined) return begun;
  let best: { readonly word: string; readonly far: number } | null = null;
  for (const candidate of whole) {
    const far = distance(word.toLowerCase(), candidate);
    if (best === null || far < best.far) best = { word: candidate, far };
  }
  return best !== null && best.far <= Math.max(2, Math.floor(word.length / 2)) ? best.word : null;
}
