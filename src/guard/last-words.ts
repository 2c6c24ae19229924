/**
 * What went wrong, out of the guard's log: the last meaningful thing that a process said before it ended, in one line.
 * The log mixes the guard's stamped lines with the last output of a town: sentences, stacks, lines of pino.
 */
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FILES } from '../../state/files/layout.ts';
import type { TownSettings } from './launch.ts';

/** As src/guard/main.ts writes them. */
const GUARD = /^\d{4}-\d\d-\d\dT\S+ guard \d+ (.*)$/;
const STAMP = /^\[?\d{4}-\d\d-\d\dT[\d:.]+Z\]?\s+/;
/** Lines in which the guard says more than that something began or ended. */
const TELLING = /^(failed:|ALARM (?!the town fell)|the town could not be started:)/;
/** Where a stack or an excerpt of code is no sentence: frames, carets, brackets, Node's own last line. */
const NO_SENTENCE = /^(\s|at |[^\p{L}\p{N}]*$|Node\.js v|(file:\/\/|\/)\S+:\d+$)/u;
const PREFIX = /^(town: |failed: |ALARM |the town could not be started: |(Uncaught )?Error: )/;

/** null = no line explains the end. */
export function lastWords(log: string): string | null {
  const lines = log.split('\n').filter((line) => !NO_SENTENCE.test(line));
  const guards = lines.flatMap((line) => GUARD.exec(line)?.[1] ?? []);
  const telling = lines.flatMap((line) => {
    const own = GUARD.exec(line)?.[1];
    if (own === undefined) return [messageOf(line)];
    return TELLING.test(own) ? [own] : [];
  });
  const last = telling.at(-1) ?? guards.at(-1);
  return last === undefined ? null : bare(last);
}

/** The sentence of a line of pino; any other line without its time. */
function messageOf(line: string): string {
  try {
    const said: unknown = JSON.parse(line);
    const text = typeof said === 'object' && said !== null && 'msg' in said ? said.msg : null;
    if (typeof text === 'string') return text;
  } catch {
    // No JSON: a sentence as it stands.
  }
  return line.replace(STAMP, '');
}

/** Without what is said of it already, and without a full stop: it becomes part of a sentence. */
function bare(text: string): string {
  const rest = text.replace(PREFIX, '');
  return rest === text ? text.trim().replace(/\.$/, '') : bare(rest);
}

export function sizeOf(path: string): number {
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.isFile() === true ? there.size : 0;
}

/** The last meaningful thing that guard and town said since this start, and where the rest is. */
export async function lastSaid({ root, process: policy }: TownSettings, since: number): Promise<string> {
  const path = join(root, FILES.guardLog);
  const size = sizeOf(path);
  if (size === 0) return `nothing was said in ${path}`;
  const start = Math.max(since < size ? since : 0, size - policy.maxMessageBytes);
  const said = await text(createReadStream(path, { start }));
  return `${lastWords(said) ?? 'its log gives no reason'} (all of it: ${path})`;
}
