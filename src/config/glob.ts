/** Globs on session names, as in `[town] protected`: `*` = any characters, `?` = one; all else means itself. */

/** The first of `globs` that covers the whole name; null = none does. */
export function coveredBy(name: string, globs: readonly string[]): string | null {
  const covers = (glob: string): boolean => {
    const source = glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.');
    return new RegExp(`^${source}$`, 's').test(name);
  };
  return globs.find(covers) ?? null;
}
