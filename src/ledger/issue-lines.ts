/**
 * JSON lines of an export, one at a time in bounded memory: no line is read further than the largest bead that can be stored.
 * A byte order mark is no part of the first line.
 */

/** `text` null = the line is not read; `why` says the reason. */
export type IssueLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly text: null; readonly why: string };

export interface LineLimits {
  readonly maxLineBytes: number;
  readonly maxDepth: number;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = /^\ufeff/;

/** Lines with something in them, numbered from 1. Rejects as the source does. */
export async function* issueLines(source: AsyncIterable<Buffer>, limits: LineLimits): AsyncGenerator<IssueLine> {
  let [line, bytes]: [number, number] = [1, 0];
  let parts: Buffer[] = [];
  const add = (part: Buffer): void => {
    bytes += part.length;
    // Of a line that is too long nothing is kept, only its length.
    if (bytes > limits.maxLineBytes) parts = [];
    else parts.push(part);
  };
  const end = (): IssueLine => lineOf(line, { bytes, parts }, limits);
  const isBlank = ({ text }: IssueLine): boolean => text !== null && text.trim() === '';
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at));
      const read = end();
      if (!isBlank(read)) yield read;
      [line, bytes, parts, from] = [line + 1, 0, [], at + 1];
    }
    add(chunk.subarray(from));
  }
  const last = end();
  if (!isBlank(last)) yield last;
}

interface LineRead {
  readonly bytes: number;
  readonly parts: readonly Buffer[];
}

function lineOf(line: number, { bytes, parts }: LineRead, { maxLineBytes, maxDepth }: LineLimits): IssueLine {
  if (bytes > maxLineBytes)
    return { line, text: null, why: `it has ${bytes} bytes; a bead has at most ${maxLineBytes}` };
  const text = Buffer.concat(parts).toString('utf8');
  if (isDeeper(text, maxDepth)) return { line, text: null, why: `it is nested more than ${maxDepth} levels deep` };
  return { line, text: line === 1 ? text.replace(BYTE_ORDER_MARK, '') : text };
}

const [QUOTE, BACKSLASH] = ['"', '\\'];
const STEP = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Whether brackets outside of strings open more than `most` levels. Reads each sign once: a line that was cut off may open a string anywhere. */
export function isDeeper(json: string, most: number): boolean {
  let [depth, isString] = [0, false];
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charAt(at);
    if (sign === BACKSLASH && isString) at += 1;
    else if (sign === QUOTE) isString = !isString;
    else if (!isString) depth += STEP.get(sign) ?? 0;
    if (depth > most) return true;
  }
  return false;
}
