/**
 * What the command line prints. Results go to stdout, errors to stderr. Plain text; colour only on a terminal that wants it.
 * Nothing of others steers the terminal (law 11): the door, `streams.ts`, sees to that. Here their text is laid out.
 */
import { stripVTControlCharacters } from 'node:util';
import { columnsOf } from './columns.ts';
import { harmless, jsonText, leaving, print, inStyle, terminal } from './streams.ts';
import { tell, type ExitCode } from './failure.ts';
import { fitLine, layOut, type Column } from './layout.ts';
import { LAYOUT } from './policy.ts';

/** Without whole escape sequences, so that no rest of one stands there; breaks and tabs become blanks unless they are asked for. */
export function clean(text: string, keep: 'lines' | 'one line' = 'one line'): string {
  const plain = stripVTControlCharacters(text);
  return harmless(keep === 'lines' ? plain.replaceAll('\t', '    ') : plain.replace(/[\t\n\r]+/g, ' '));
}

/** Columns that a text has; null = a pipe, which gets whole lines. A terminal that does not know its size counts as narrow. */
export function roomOf(): number | null {
  const { columns } = terminal() ?? {};
  return columns === undefined ? null : Math.max(LAYOUT.minRoom, columns);
}

/** Rows under a header in columns, the last one text. What does not fit goes on below; a pipe gets a line for each row. */
export function table(
  header: readonly (string | Column)[],
  rows: readonly (readonly string[])[],
  room = roomOf(),
): string {
  const columns = header.map((column) => (typeof column === 'string' ? { head: column } : column));
  const cleaned = rows.map((row) => row.map((cell) => clean(cell)));
  const [head = [], ...lines] = layOut(columns, cleaned, room);
  return [...head.map((line) => inStyle('bold', line)), ...lines.flat()].join('\n');
}

/** A row for each of `things`, laid out when it is asked for; where there is nothing, `none` says so. */
export const listing =
  <T>(things: readonly T[], none: string, header: Parameters<typeof table>[0], row: (thing: T) => readonly string[]) =>
  (): string =>
    things.length === 0 ? none : table(header, things.map(row));

/** A page for a person: what is too wide for the terminal goes on below itself. What fits stays as it is laid out. */
export function page(text: string, room = roomOf()): string {
  if (room === null) return text;
  const isWide = (line: string): boolean => columnsOf(stripVTControlCharacters(leaving(line))) > room;
  return text
    .split('\n')
    .flatMap((line) => (isWide(line) ? fitLine(line, room) : [line]))
    .join('\n');
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
