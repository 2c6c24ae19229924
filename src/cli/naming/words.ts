/** The words of the command line that mean the same everywhere: --root and --json, before or after any command, before `--`. */
import { EXIT, Failure } from '../../terminal/failure.ts';

export interface Words {
  /** The value of --root; undefined = not given. */
  readonly root: string | undefined;
  readonly json: boolean;
  /** The other words, in order; `--` and all behind it untouched. */
  readonly rest: readonly string[];
}

/** Throws Failure when --root has no value or is given twice with different ones. */
export function readWords(argv: readonly string[]): Words {
  const end = argv.indexOf('--');
  const ours = end < 0 ? argv : argv.slice(0, end);
  const rest: string[] = [];
  let root: string | undefined;
  let json = false;
  for (let i = 0; i < ours.length; i++) {
    const word = ours[i] ?? '';
    if (word === '--json') json = true;
    else if (word === '--root' || word.startsWith('--root=')) {
      const value = word === '--root' ? ours[++i] : word.slice('--root='.length);
      if (value === undefined || value === '' || value.startsWith('--')) {
        throw new Failure(EXIT.usage, 'bad_usage', '--root has no folder; write --root DIR');
      }
      if (root !== undefined && root !== value) {
        throw new Failure(EXIT.usage, 'bad_usage', `--root is given twice, ${root} and ${value}; keep one`);
      }
      root = value;
    } else rest.push(word);
  }
  return { root, json, rest: end < 0 ? rest : [...rest, ...argv.slice(end)] };
}
