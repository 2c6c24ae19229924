/** The pool of dogs in a sentence. */

export function poolText({ busy, size, queued }: { busy: number; size: number; queued: number }): string {
  const dogs = `${busy} of ${size} dogs ${busy === 1 ? 'is' : 'are'} at work`;
  return `${dogs}; ${queued} ${queued === 1 ? 'warrant waits' : 'warrants wait'}`;
}
