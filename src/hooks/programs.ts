/** Which agent programs take hooks from a person for this town, and why others need none. */
import { join } from 'node:path';
import { homeOf, type ValueOf } from '../sessions/program-home.ts';

/** The one whose hooks a person installs. */
export const HOOKED = 'claude';

/** Programs without a hook, and how the town hears them. */
export const NEEDS_NONE: Readonly<Record<string, string>> = {
  codex: 'Codex needs no hooks: the town asks the socket that its server opens in CODEX_HOME',
  opencode:
    'opencode needs no hooks: the town asks the server that it opens with --port and OPENCODE_SERVER_PASSWORD, and reads its screen where it has none',
};

/** The user's own settings, by the environment of a program. null = no variable says where they are. */
export function userFile(valueOf: ValueOf): string | null {
  const home = homeOf(HOOKED, valueOf);
  return home?.startsWith('/') === true ? join(home, 'settings.json') : null;
}

/** The user's settings for one project, which git does not share. */
export const projectFile = (dir: string): string => join(dir, '.claude', 'settings.local.json');
