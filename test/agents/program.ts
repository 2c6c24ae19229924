/** What the bench knows of one agent program, and how it is set up in a scratch HOME. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const MODEL_URL = 'http://127.0.0.1:8080';

/**
 * `untrusted`: a folder, `unasked`: a mode of work that was not chosen yet; `keyless`: no login; `subscribed`: a plan
 * with limits; `lived`: such a plan, and harmless commands run without a question; `trusting`: every tool runs without a question; `served`: an MCP server is configured that does not start;
 * `refusing`: a hook of its person throws the first prompts back, `barring`: all.
 */
export type Variant =
  | 'ready'
  | 'untrusted'
  | 'unasked'
  | 'keyless'
  | 'subscribed'
  | 'lived'
  | 'trusting'
  | 'served'
  | 'tooled'
  | 'refusing'
  | 'barring';

export interface Place {
  readonly home: string;
  readonly dir: string;
  readonly variant: Variant;
}

export interface Program {
  readonly id: string;
  readonly version: string;
  readonly source: { readonly npm: string; readonly after?: string } | { readonly pip: string };
  readonly argv: (variant: Variant) => readonly string[];
  readonly env: (place: Place) => Record<string, string>;
  /** Path below HOME -> content. */
  readonly files: (place: Place) => Record<string, string>;
  /** Words of its screens. `ready` is said once a start is over. `trust` and `login` are null where the program has no such dialog. */
  /** It serves its state on the loopback, where only programs of its namespace hear it. */
  readonly serves?: true;
  readonly ready: RegExp;
  readonly busy: RegExp;
  readonly blocked: RegExp;
  readonly error: RegExp;
  readonly limit: RegExp;
  /** Whether it asks before it runs a harmless command. */
  readonly asks: boolean;
  /** What its empty composer suggests, where that is always the same. */
  readonly suggests?: string;
  readonly trust: RegExp | null;
  readonly login: RegExp | null;
  /** It speaks with its maker's server alone and cannot be brought to work: only these are recorded and played. */
  readonly only?: { readonly takes: readonly string[]; readonly scenes: readonly string[] };
  /** Ends a turn; Escape by default. */
  readonly interrupt?: readonly string[];
  /** Ctrl-C twice by default. */
  readonly quit?: readonly string[];
}

/** Writes what the program reads at its start. */
export function setUp(program: Program, place: Place): void {
  for (const [path, content] of Object.entries(program.files(place))) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), content);
  }
}
