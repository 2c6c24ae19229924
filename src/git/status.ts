/** What `git status --porcelain=v2 --branch -z` says. Names come as bytes in latin1 and go as text. */
import type { WorktreeFacts } from '../../machines/rigs/worktree.ts';
import { namesIn, readable } from './changes.ts';

/** An ignored folder ends in a slash. */
export type Status = Pick<WorktreeFacts, 'branch' | 'head' | 'changed' | 'deleted' | 'untracked' | 'ignored'>;

/** Fields before the name, by the kind of a line: `1 XY sub mH mI mW hH hI name`. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1, '!': 1 };

const LISTS = { '1': 'changed', '2': 'changed', u: 'changed', '?': 'untracked', '!': 'ignored' } as const;

type List = (typeof LISTS)[keyof typeof LISTS] | 'deleted';

/** Throws for a line that it does not know: then the state is unknown. */
export function parseStatus(output: string): Status {
  const lines = namesIn(output);
  const headers = new Map<string, string>();
  const lists: Record<List, string[]> = { changed: [], deleted: [], untracked: [], ignored: [] };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, key, value = ''] = /^# (\S+) (.*)$/s.exec(line) ?? [];
    if (key === undefined) lists[listOf(line)].push(readable(nameIn(line)));
    else headers.set(key, value);
    // A renamed file has its former name as a line of its own.
    if (line.startsWith('2 ')) at += 1;
  }
  const branch = headers.get('branch.head');
  const head = headers.get('branch.oid');
  if (branch === undefined || head === undefined) throw new Error('git status names no branch');
  return {
    branch: branch === '(detached)' ? null : readable(branch),
    head: head === '(initial)' ? null : head,
    ...lists,
  };
}

function listOf(line: string): List {
  if (/^1 (\.D|D\.) /.test(line)) return 'deleted';
  const kind = Object.keys(LISTS).find((one): one is keyof typeof LISTS => line.startsWith(`${one} `));
  if (kind !== undefined) return LISTS[kind];
  throw new Error(`git status printed an unknown line: ${JSON.stringify(line.slice(0, SHOWN))}`);
}

const SHOWN = 80;

function nameIn(line: string): string {
  let from = 0;
  for (let left = FIELDS[line[0] ?? ''] ?? 0; left > 0; left -= 1) from = line.indexOf(' ', from) + 1;
  return line.slice(from);
}
