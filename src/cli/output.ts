/**
 * What the command line prints. Results go to stdout, errors to stderr. Plain text; colour only on a terminal that wants it.
 * Text of others (names, reasons, mail) is cleaned of control characters before a terminal sees it (law 11).
 */
import { stripVTControlCharacters, styleText } from 'node:util';
import { tell, type ExitCode } from './failure.ts';

const NARROWEST = 40;
const GAP = '  ';

/** Without escape sequences and control characters; line breaks and tabs become blanks unless they are asked for. */
export function clean(text: string, keep: 'lines' | 'one line' = 'one line'): string {
  const plain = stripVTControlCharacters(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
  const broken = keep === 'lines' ? plain.replaceAll('\t', '    ') : plain.replace(/[\t\n\r]+/g, ' ');
  return [...broken].filter((c) => c === '\n' || (c >= ' ' && !(c >= '\x7f' && c <= '\x9f'))).join('');
}

/** Colour on a terminal, unless NO_COLOR says no. */
export function colour(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string {
  return styleText(style, text, { stream: process.stdout, validateStream: true });
}

function width(): number | null {
  return process.stdout.isTTY ? Math.max(NARROWEST, process.stdout.columns) : null;
}

/** Rows under a header in columns. On a terminal the last column is cut to its width; a pipe gets whole lines. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], columns = width()): string {
  const all = [header, ...rows.map((row) => row.map((cell) => clean(cell)))];
  const widths = header.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  const lines = all.map((row) => {
    const line = row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join(GAP);
    return columns !== null && line.length > columns ? `${line.slice(0, columns - 1)}…` : line.trimEnd();
  });
  return [colour('bold', lines[0] ?? ''), ...lines.slice(1)].join('\n');
}

/** Writes a text and its line end; nothing for an empty text. */
export function say(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Notes beside the result: to stderr, so that a pipe gets only the result. */
export function note(text: string): void {
  if (text !== '') process.stderr.write(`town: ${clean(text)}\n`);
}

/** The versioned envelope: `{ "schema": "<name>/1", "data": … }`. */
export function envelope(name: string, data: unknown): string {
  return JSON.stringify({ schema: `${name}/1`, data }, null, 2);
}

/** Prints an error on stderr and returns the exit code. With `json`, one object with a code. */
export function complain(error: unknown, json: boolean): ExitCode {
  const { exit, code, lines } = tell(error);
  const text = json
    ? JSON.stringify({ schema: 'error/1', error: { code, message: lines.join('\n'), lines, exit } })
    : lines.map((line) => `town: ${clean(line)}`).join('\n');
  process.stderr.write(`${text}\n`);
  return exit;
}
