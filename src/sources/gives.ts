/** How a program takes work without a key, where its server belongs to one life alone. */

/** `given`: the program has it. `begun`: its turn began too. `not`: it surely did not take it. `unknown`: it does not tell. */
export type Given = 'given' | 'begun' | 'not' | 'unknown';

export interface Give {
  /** Work of this id that was given before; null = there is none, undefined = it does not tell. Never rejects. */
  has(id: string): Promise<Given | null | undefined>;
  /** Never rejects. */
  give(work: { readonly id: string; readonly text: string }): Promise<Given>;
}

/** Programs that may take work without a key, by the names of their packs. */
export const GIVERS: readonly string[] = ['codex', 'opencode'];
