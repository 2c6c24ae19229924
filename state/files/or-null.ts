/** What asking gives; null where that throws, whatever the reason: only where nothing but unknown, or nothing, comes of it (law 1). */
export function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
