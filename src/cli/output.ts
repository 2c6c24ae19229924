/**
 * What the command line prints. Results go to stdout, errors to stderr. Plain text; colour only on a terminal that wants it.
 * Nothing of others steers the terminal (law 11): the door, `terminal.ts`, sees to that. Here their text is laid out.
 */
import { stripVTControlCharacters } from 'node:util';
import { harmless, jsonText, print, styled, terminal } from '../terminal.ts';
import { tell, type ExitCode } from './failure.ts';

const NARROWEST = 40;
const GAP = '  ';

/** Without whole escape sequences, so that no rest of one stands there; breaks and tabs become blanks unless they are asked for. */
export function clean(text: string, keep: 'lines' | 'one line' = 'one line'): string {
  const plain = stripVTControlCharacters(text);
  return harmless(keep === 'lines' ? plain.replaceAll('\t', '    ') : plain.replace(/[\t\n\r]+/g, ' '));
}

function width(): number | null {
  const { columns } = terminal() ?? {};
  return columns === undefined ? null : Math.max(NARROWEST, columns);
}

/** Rows under a header in columns. On a terminal the last column is cut to its width; a pipe gets whole lines. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], columns = width()): string {
  const all = [header, ...rows.map((row) => row.map((cell) => clean(cell)))];
  const widths = header.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  const lines = all.map((row) => {
    const line = row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join(GAP);
    return columns !== null && line.length > columns ? `${line.slice(0, columns - 1)}…` : line.trimEnd();
  });
  return [styled('bold', lines[0] ?? ''), ...lines.slice(1)].join('\n');
}

/** Writes a text and its line end; nothing for an empty text. */
export function say(text: string): void {
  if (text !== '') print(`${text}\n`);
}

/** Notes beside the result: to stderr, so that a pipe gets only the result. */
export function note(text: string): void {
  if (text !== '') print(`town: ${clean(text)}\n`, 'stderr');
}

/** The versioned envelope: `{ "schema": "<name>/1", "data": … }`. */
export function envelope(name: string, data: unknown): string {
  return jsonText({ schema: `${name}/1`, data }, 2);
}

/** Prints an error on stderr and returns the exit code. With `json`, one object with a code. */
export function complain(error: unknown, json: boolean): ExitCode {
  const { exit, code, lines } = tell(error);
  const text = json
    ? jsonText({ schema: 'error/1', error: { code, message: lines.join('\n'), lines, exit } })
    : lines.map((line) => `town: ${clean(line)}`).join('\n');
  print(`${text}\n`, 'stderr');
  return exit;
}
