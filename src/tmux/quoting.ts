/** Our text inside tmux's languages. Only for what cannot be given as an argument of its own. */

/** One word, for a shell and for tmux's command language: both read single quotes alike. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For an argument that tmux expands as a format: comes out as it is. `#[` is a style there and is never expanded. */
export function formatText(text: string): string {
  return text.replace(/#+(\[?)/g, (run, bracket) => (bracket === '' ? run + run : run));
}
