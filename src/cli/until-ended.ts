/** Aborts at the first signal that asks this process to end. */
export function untilEnded(): AbortSignal {
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => over.abort());
  return over.signal;
}
