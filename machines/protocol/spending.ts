/** What an agent spends and what for, as its program tells (M-12). */

export interface Spending {
  /** The program's own name of the conversation. */
  readonly conversation: string;
  /** All tokens of it so far, those from the model's cache included. */
  readonly tokens: number;
  /** A turn of it runs; null = not known. */
  readonly isAtWork: boolean | null;
  /** Changes with each word of the agent's own, and with each call that is not the one before; null = not known. */
  readonly news: string | null;
  /** The same call with the same words in a row: what it is, cut (foreign text), and how often; null = its last deed was another. */
  readonly repeated: { readonly call: string; readonly count: number } | null;
  /** Changes with each commit and each changed file in its worktree; null = not known. Asked only of one that repeats a call. */
  readonly tree: string | null;
}
