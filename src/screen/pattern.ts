/**
 * One pattern of a pack. `(?i:…)` around the whole of it becomes the flag `i`: V8 (13.6) loses that modifier where it
 * optimises no pattern any more, which it does once a process has compiled 1 MB of them (`TooMuchRegExpCode`). A dialog
 * would then be no dialog. Modifiers of a part are refused, since no flag can stand for them. Pure.
 */

/** An escape, a class, the beginning of a group with its modifiers, or the end of a group. */
const TOKEN = /\\[^]|\[(?:\\[^]|[^\]\\])*\]?|\((?:\?[a-z-]+:)?|\)/gu;
const CASELESS = '(?i:';

/** Throws SyntaxError. */
export function patternOf(source: string): RegExp {
  const isCaseless = source.startsWith(CASELESS) && endOfFirstGroup(source) === source.length;
  const text = isCaseless ? source.slice(CASELESS.length, -1) : source;
  const pattern = new RegExp(text, isCaseless ? 'ui' : 'u');
  const [part] = tokensOf(text).filter(([token]) => token.length > 1 && token.startsWith('('));
  if (part === undefined) return pattern;
  throw new SyntaxError(`${part[0]}…) around a part of a pattern does not hold; write (?i:…) around the whole pattern`);
}

const tokensOf = (source: string): RegExpExecArray[] => [...source.matchAll(TOKEN)];

/** Where the group ends that begins the pattern. */
function endOfFirstGroup(source: string): number {
  let depth = 0;
  for (const { 0: token, index } of tokensOf(source)) {
    if (token.startsWith('(')) depth += 1;
    if (token !== ')') continue;
    depth -= 1;
    if (depth === 0) return index + 1;
  }
  return -1;
}
