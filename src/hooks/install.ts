/**
 * What an install and its end make of a settings file of Claude Code. The end gives back the very text that was there before, while
 * nothing else changed in it; else it takes out what the install wrote, and leaves all that came since.
 */
import { textBefore, type Installed } from '../../state/hooks/installed.ts';
import { installedBy, installedHooks } from '../sources/claude-hooks.ts';
import { commandsIn, unfitText, withHooks, withoutHooks } from './edit.ts';

export interface Change {
  /** null = the file goes, or was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The hooks of one town: its socket, and the version that speaks. */
export interface Ours {
  readonly socket: string;
  readonly version: string;
}

/** With the hooks of this town, and none of an earlier version of it. Only of a text that is not unfit. */
export function installing(text: string | null, ours: Ours, record: Installed | undefined): Change {
  return { before: text, after: withHooks(cleared(text, ours, record), installedHooks(ours.socket, ours.version)) };
}

export const uninstalling = (text: string | null, ours: Ours, record: Installed | undefined): Change => {
  return { before: text, after: cleared(text, ours, record) };
};

function cleared(text: string | null, { socket }: Ours, record: Installed | undefined): string | null {
  const known = text === null ? undefined : record && textBefore(record, text);
  if (known !== undefined || text === null) return known ?? null;
  // Those of the same town under a root that was moved since.
  const sockets = record === undefined ? [socket] : [socket, record.socket];
  return withoutHooks(text, (command) => sockets.some((one) => installedBy(command, one)?.isHere === true));
}

export interface Found {
  /** Events that a hook of this town stands at. */
  readonly events: readonly string[];
  /** Who wrote them; null = none stands there, or several did. */
  readonly version: string | null;
  /** They are what this version would write. */
  readonly areCurrent: boolean;
  /** Hooks of other towns. */
  readonly others: number;
}

export function foundIn(text: string | null, { socket, version }: Ours): Found {
  const said = unfitText(text) === null ? commandsIn(text) : [];
  const all = said.map((one) => ({ ...one, by: installedBy(one.command, socket) })).filter(({ by }) => by !== null);
  const mine = all.filter(({ by }) => by?.isHere === true);
  const versions = new Set(mine.map(({ by }) => by?.version));
  const [only = null] = versions.size === 1 ? versions : [];
  const wanted = installedHooks(socket, version).map(({ event, command }) => `${event} ${command}`);
  const there = mine.map(({ event, command }) => `${event} ${command}`);
  return {
    events: mine.map(({ event }) => event),
    version: only,
    areCurrent: there.toSorted().join('\0') === wanted.toSorted().join('\0'),
    others: all.length - mine.length,
  };
}
