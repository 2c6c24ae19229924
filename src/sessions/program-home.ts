/** Where agent programs keep what is theirs: conversations, and the login. */
import { join } from 'node:path';

interface Home {
  /** Names the folder. */
  readonly variable: string;
  /** Below a person's home, where no variable names it. */
  readonly folder: string;
  /** The file of the login; a keychain may have it instead. */
  readonly login: string;
  /** What in that file is the login. */
  readonly parts: readonly string[];
  /** Variables with a credential, which count before that file, the first that is set. */
  readonly keys: readonly string[];
  /** Variables by which the program asks another company for its model, whose credentials are not known here. */
  readonly elsewhere: readonly string[];
}

export const HOMES: Readonly<Record<string, Home>> = {
  claude: {
    variable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    login: '.credentials.json',
    parts: ['claudeAiOauth'],
    keys: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
    elsewhere: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  },
  codex: {
    variable: 'CODEX_HOME',
    folder: '.codex',
    login: 'auth.json',
    parts: ['tokens', 'OPENAI_API_KEY'],
    keys: ['CODEX_API_KEY'],
    elsewhere: [],
  },
};

/** null = not set, or hidden. */
export type ValueOf = (name: string) => string | null;

/** null = of another program, or no variable tells. */
export function homeOf(kind: string, valueOf: ValueOf): string | null {
  const home = HOMES[kind];
  if (home === undefined) return null;
  const user = valueOf('HOME');
  return valueOf(home.variable) ?? (user === null ? null : join(user, home.folder));
}
