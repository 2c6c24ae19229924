/** Finds in the output of a test or of git the lines that say what failed. */
import { clean } from '../terminal/print.ts';
import { REFINERY } from './policy.ts';

/** What test programs print of a failure, the strongest first. */
const FAILURES = [
  /^\s*not ok\b/,
  /^\s*(FAIL|FAILED)\b|^--- FAIL:|\bFAILED\b/,
  /^\s*(✗|✖|×|❌)\s/,
  /\b(AssertionError|[A-Z]\w*(Error|Exception))\b.*:/,
  /\bpanicked at\b|^panic:/,
  /^\s*(error|fatal)(\[\w+\])?:/i,
] as const;
/** npm repeats that the script failed, not why. */
const NOISE = /^\s*npm (ERR!|error)\b/;

/** Without escape sequences, trailing blanks and empty lines. */
const linesOf = (output: string): string[] =>
  clean(output, 'lines')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');

/** The lines that name a failure, else the last one; never none. */
function tellingLines(output: string): readonly string[] {
  const lines = linesOf(output);
  const own = lines.filter((line) => !NOISE.test(line));
  const named = FAILURES.map((pattern) => own.filter((line) => pattern.test(line))).find((found) => found.length > 0);
  return named ?? [own.at(-1) ?? lines.at(-1) ?? ''];
}

/** The first line that names a failure, else the last one; '' = there is no output. */
export const tellingLine = (output: string): string =>
  (tellingLines(output)[0] ?? '').trim().slice(0, REFINERY.lineChars);

/** Durations, addresses, hashes and numbers: they differ between two runs that fail alike, and some are printed only where one was slow. */
const OF_ONE_RUN = / ?\(?\b\d{1,9}(?:[.,:]\d{1,9}){0,2} ?(?:ms|s|m|min)\b\)?|0x[\da-f]+|\b(?=\w*\d)[\da-f]{7,}\b|\d+/gi;

/**
 * What failed, to compare two outputs of one test: its telling lines without what only one run has. null = not known: as much output as is
 * kept has lost its beginning.
 */
export const failuresIn = (output: string): ReadonlySet<string> | null =>
  Buffer.byteLength(output) >= REFINERY.maxOutputBytes
    ? null
    : new Set(tellingLines(output).map((line) => line.replace(OF_ONE_RUN, '').trim()));

const ADDRESS = /^https?:\/\/[!-~]{1,2000}$/;

/** The address that a command printed as its last line; null = its last line is none. */
export function addressIn(output: string): string | null {
  const last = linesOf(output).at(-1)?.trim() ?? '';
  return ADDRESS.test(last) ? last : null;
}

/** The last lines, as many as fit. */
export function tailOf(output: string, chars: number = REFINERY.outputChars): string {
  const text = linesOf(output).join('\n');
  return text.length <= chars ? text : `…\n${text.slice(-chars).replace(/^[^\n]*\n/, '')}`;
}

/** A sentence about an output, and its last lines below where they say more. */
export function withOutput(sentence: string, output: string): string {
  const tail = tailOf(output);
  return tail === '' || sentence.endsWith(tail) ? sentence : `${sentence}\n\n${tail}`;
}

/** What a remote says of a push that it refuses: its own lines, else git's last one. */
export function refusalIn(message: string): string {
  const lines = linesOf(message.replace(/^`git [^`]*`: /, '')).map((line) => line.trim());
  const own = lines.filter((line) => /^remote: |\[(remote )?rejected\]|^error: dst refspec /.test(line));
  return (own.length === 0 ? lines.slice(-1) : own).join('\n').slice(0, REFINERY.letterChars);
}
