/** What a rescue saved, in words that claim no more than it did (law 4). */
import type { Rescue } from '../protocol.ts';

/** The part of a sentence: `3 files of its work were saved under <ref>; what its pane showed is in <folder>`. */
export function savedText({ folder, ref, repos, files = 0 }: Rescue): string {
  return `${gitText(ref, repos, files)}; what its pane showed is in ${folder}`;
}

function gitText(ref: string | null, repos: number | undefined, files: number): string {
  if (ref !== null) return `${workText(files)} saved under ${ref}`;
  return repos === 0
    ? 'its folder is in no git worktree, so none of its files were saved'
    : 'there was no uncommitted work to save';
}

/** 0 files: an older record, or commits that no branch holds, for which the count is unknown. */
const workText = (files: number): string =>
  files === 0 ? 'its work was' : files === 1 ? '1 file of its work was' : `${files} files of its work were`;
