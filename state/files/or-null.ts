/** The result of `ask`; null if it throws. Only for callers that treat null as unknown, or as nothing (law 1). */
export function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
