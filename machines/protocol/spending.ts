/** What an agent spends and what for, as its program tells (M-12). */

export interface Spending {
  /** The program's own name of the conversation. */
  readonly conversation: string;
  /** All tokens of it so far, those from the model's cache included. */
  readonly tokens: number;
  /** A turn of it runs; null = not known. */
  readonly isAtWork: boolean | null;
  /** Changes with each word of the agent's own and each call that are not among its last few; null = not known. */
  readonly news: string | null;
  /** Calls that are not new, one or a few by turns: what they are, cut (foreign text), and how many; null = its last deed was new. */
  readonly repeated: { readonly call: string; readonly count: number } | null;
  /** Changes with each commit and each changed file in its worktree; null = not known. Asked only of one that repeats a call. */
  readonly tree: string | null;
}
