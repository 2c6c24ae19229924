/**
 * What an agent program serves about itself, as the town may ask for it (M-2): one port for each program, one ear for
 * each process. A port believes nothing that could be another process's, another user's, or of a form that was never
 * tried: it is silent then, and the pack judges the screen.
 */
import type { Ms, Proc, WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import type { Asked } from './question.ts';
import type { Give } from './gives.ts';
import type { OpencodeServer } from './opencode-server.ts';

/** What one program says of itself now. */
export interface Heard {
  /** null = it names no state that is known here. */
  readonly word: Word | null;
  /** The program's own name for its conversation, by which it resumes it; null = it does not tell. */
  readonly conversation: string | null;
  /** It does not answer now: this is what it said before, and nothing about what it asks. */
  readonly isSilent?: true | undefined;
  /** Of one that works: changes with each thing that it did; absent = it does not tell. */
  readonly progress?: string | undefined;
  /** When its agent did something last, as its program dates that: words that were typed to it do not count; absent = it does not tell. */
  readonly changedAt?: WallMs | undefined;
  /** It waits for a tool that has time left, or rests while a command of its own runs. */
  readonly hasTool?: true | undefined;
  /** Where the program tells what its conversation takes; absent = nowhere that is known here. */
  readonly books?: Books | undefined;
  /** How it takes work without a key now; absent = it does not, or it is not at rest. */
  readonly gives?: Give | undefined;
  /** The program's own id of what it asks, also where it takes no answer by it; absent = it gives none. */
  readonly mark?: string | undefined;
  /** What it asks, where it takes an answer by its own id; absent = nothing, or only keys answer it. */
  readonly asked?: Asked | undefined;
}

/** Where a program tells the tokens of one conversation (M-12), parts of its work that other agents of it do included. */
export type Books =
  /** Its transcript; those of its parts lie beside it. */
  | { readonly program: 'claude'; readonly file: string }
  /** The files of its threads, that of the agent first. */
  | { readonly program: 'codex'; readonly files: readonly string[] }
  | { readonly program: 'opencode'; readonly server: OpencodeServer; readonly conversation: string };

/** One process that serves something. */
export interface Ear {
  /** The folder or socket that it is asked at. One that hangs is asked for no other process meanwhile. */
  readonly place: string;
  /** How long that is waited for; absent = as long as for most. */
  readonly waitMs?: Ms;
  /** null = it says nothing that can be believed. Never rejects; may take for ever. */
  readonly hear: () => Promise<Heard | null>;
  /** What holds of what it said before, also while it does not answer; null = nothing. Absent = nothing ever. */
  readonly kept?: (() => Heard | null) | undefined;
}

export interface ProgramPort {
  /** The pack whose programs it hears. */
  readonly kind: string;
  /** `life`: the uuid of the life that it is the agent of; null = of none. null = this process serves nothing. May throw `ProcessUnknown`. */
  open(proc: Proc, life: string | null): Ear | null;
}
