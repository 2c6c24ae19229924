/** What `git status --porcelain=v2 --branch -z` says. Names come as bytes in latin1 and go as text. */
import { readable } from './changes.ts';

export interface Status {
  /** null = detached. */
  readonly branch: string | null;
  /** null = no commit yet. */
  readonly head: string | null;
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** A folder ends in a slash. */
  readonly ignored: readonly string[];
}

/** Fields before the name, by the kind of a line: `1 XY sub mH mI mW hH hI name`. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1, '!': 1 };

/** Throws for a line that it does not know: then nothing can be told. */
export function parseStatus(output: string): Status {
  const lines = output.split('\0').filter((line) => line !== '');
  const headers = new Map<string, string>();
  const names: Record<string, string[]> = { '1': [], '2': [], u: [], '?': [], '!': [] };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const kind = line[0] ?? '';
    const header = /^# (\S+) (.*)$/s.exec(line);
    if (header !== null) headers.set(header[1] ?? '', header[2] ?? '');
    else if (kind in FIELDS) names[kind]?.push(readable(nameIn(line, FIELDS[kind] ?? 0)));
    else throw new Error(`git status says what nobody here knows: ${JSON.stringify(line.slice(0, 80))}`);
    // A renamed file has its former name as a line of its own.
    if (kind === '2') at += 1;
  }
  const [branch = null, head = null] = [headers.get('branch.head'), headers.get('branch.oid')];
  if (branch === null || head === null) throw new Error('git status names no branch');
  return {
    branch: branch === '(detached)' ? null : readable(branch),
    head: head === '(initial)' ? null : head,
    changed: [...(names['1'] ?? []), ...(names['2'] ?? []), ...(names['u'] ?? [])],
    untracked: names['?'] ?? [],
    ignored: names['!'] ?? [],
  };
}

function nameIn(line: string, fields: number): string {
  let from = 0;
  for (let left = fields; left > 0; left -= 1) from = line.indexOf(' ', from) + 1;
  return line.slice(from);
}
