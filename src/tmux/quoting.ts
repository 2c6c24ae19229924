/** Our text inside tmux's languages. Only for what cannot be given as an argument of its own. */

/** One word, for a shell and for tmux's command language: both read single quotes alike. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For an argument that tmux expands as a format: comes out as it is. `#[` is a style there and is never expanded. */
export function formatText(text: string): string {
  return text.replace(/#+(\[?)/g, (run, bracket) => (bracket === '' ? run + run : run));
}

/**
 * What a text that tmux prints may have been: tmux 3.4 prints `\$` for a `$` before a letter, `_` or `{`, as other versions do
 * only where it stands so.
 */
export function readingsOf(printed: string): readonly string[] {
  const plain = printed.replaceAll(/\\(?=\$[A-Za-z_{])/g, '');
  return plain === printed ? [printed] : [printed, plain];
}
