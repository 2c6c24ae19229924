/** Keys in the lines that a patch adds. Pure. */
import { readable } from '../git/changes.ts';
import { keyIn } from '../screen/secrets.ts';

/** Git shows each file as text, despite its attributes: a file that counts as binary would hide its lines. */
export const PATCH = [
  '--unified=0',
  '--no-prefix',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--text',
  '--no-color',
];

interface Added {
  /** The commit that added them, where the patch is that of a log. */
  readonly commit: string | null;
  /** As git writes it. */
  readonly name: string;
  /** The lines that were added, without the others. */
  readonly text: string;
  /** The number of each in its file. */
  readonly lines: readonly number[];
}

/** How a log names each commit before its patch: no line of a patch begins so. */
export const COMMIT_FORMAT = '--format=commit %H';
const COMMIT_LINE = /^commit ([0-9a-f]{40,64})$/;

function addedIn(patch: string): Added[] {
  const found: { commit: string | null; name: string; words: string[]; lines: number[] }[] = [];
  let commit: string | null = null;
  // A merge's patch has a column for each parent: a line that none of them has is the merge's own.
  let [isHeader, next, columns] = [true, 0, 1];
  for (const line of patch.split('\n')) {
    const [, id] = COMMIT_LINE.exec(line) ?? [];
    if (id !== undefined) commit = id;
    if (/^diff --(git|cc|combined) /.test(line)) {
      found.push({ commit, name: '', words: [], lines: [] });
      isHeader = true;
    }
    const file = found.at(-1);
    const [, signs = '', from] = /^(@@+) .*? \+(\d+)/.exec(line) ?? [];
    if (from !== undefined) [isHeader, next, columns] = [false, Number(from), signs.length - 1];
    else if (file === undefined) continue;
    else if (isHeader && line.startsWith('+++ ')) file.name = line.slice('+++ '.length).replace(/\t$/, '');
    else if (!isHeader && !line.slice(0, columns).includes('-') && /^[+ ]/.test(line)) {
      if (line.startsWith('+'.repeat(columns))) {
        file.words.push(plain(line.slice(columns)));
        file.lines.push(next);
      }
      next += 1;
    }
  }
  return found.map(({ words, ...file }) => ({ ...file, text: words.join('\n') }));
}

/** The letters of a text whose signs have two bytes each, too. */
export const plain = (text: string): string => text.replaceAll('\0', '');

export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** A key that a patch adds. */
export interface KeyAdded {
  readonly kind: string;
  readonly name: string;
  readonly line: number;
  /** null = it is in no commit yet. */
  readonly commit: string | null;
}

/** The first key; null = none is seen. */
export function keyInPatch(patch: string): KeyAdded | null {
  for (const { commit, name, text, lines } of addedIn(patch)) {
    const key = keyIn(text);
    if (key === null) continue;
    const line = lines[lineOf(text, key.at) - 1] ?? 0;
    return { kind: key.kind, name: readable(name), line, commit };
  }
  return null;
}

/** The key itself is in no text. */
export const keyText = ({ kind, name, line }: KeyAdded): string =>
  `line ${String(line)} of "${name}" looks like a secret (${kind})`;
