/** How one text differs from another, line by line, as people read a patch. Pure. */

/** Lines of both before and behind a change. */
const AROUND = 3;

/** Each line with ` `, `-` or `+` before it; empty where the texts are alike. */
export function differenceOf(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const middle = middleOf(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  const kept = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  const behind = now.slice(now.length - tail).slice(0, AROUND);
  return [...kept(now.slice(Math.max(0, head - AROUND), head)), ...middle, ...kept(behind)];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** By the longest part that both have in common. */
function middleOf(old: readonly string[], now: readonly string[]): string[] {
  const common = old.map(() => now.map(() => 0));
  const at = (o: number, n: number): number => common[o]?.[n] ?? 0;
  for (let o = old.length - 1; o >= 0; o -= 1)
    for (let n = now.length - 1; n >= 0; n -= 1) {
      const row = common[o];
      if (row !== undefined) row[n] = old[o] === now[n] ? at(o + 1, n + 1) + 1 : Math.max(at(o + 1, n), at(o, n + 1));
    }
  const lines: string[] = [];
  for (let o = 0, n = 0; o < old.length || n < now.length;) {
    if (o < old.length && n < now.length && old[o] === now[n]) {
      lines.push(` ${old[o] ?? ''}`);
      o += 1;
      n += 1;
    } else if (n < now.length && (o >= old.length || at(o, n + 1) > at(o + 1, n))) lines.push(`+${now[n++] ?? ''}`);
    else lines.push(`-${old[o++] ?? ''}`);
  }
  return lines;
}
