/** Names of sessions as callers write them: what is malformed, protected or unknown is refused before anything is written. */
import type { SessionRecord } from '../../../machines/protocol.ts';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import { coveredBy } from '../../config/glob.ts';
import { nearest } from '../../terminal/nearest.ts';
import type { Settings } from '../../config/settings.ts';
import { jsonText } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const SHOWN = 80;

/** A foreign word for a message: quoted, one line, not endless. */
export function quoteName(text: string): string {
  return jsonText(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

export const isName = (name: string): boolean => NAME.test(name);

/** The session of this name, or of the agent at this address (`<rig>/<polecat>`). Throws Failure (2) where the town could not manage it. */
export function checkName(called: string): string {
  const name = sessionOfAgent(called.replace(/\/$/, ''));
  if (isName(name)) return name;
  const text = `${quoteName(called)} is no session name: letters, digits, _ and -, at most 64, starting with a letter or digit; see \`town session list\``;
  throw new Failure(EXIT.usage, 'bad_name', text);
}

/** Throws Failure (5) for a name that `[town] protected` covers. */
export function checkUnprotected(name: string, settings: Settings): void {
  const glob = coveredBy(name, settings.town.protected);
  if (glob === null) return;
  const text = `${name} is protected by ${quoteName(glob)} in [town] protected: the town types nothing there and hears no warrant against it; use its pane: \`town session attach ${name}\`, or take the name out of protected and type \`town reload\``;
  throw new Failure(EXIT.refused, 'protected_target', text);
}

/** Why tmux cannot say whether a foreign session has this name; null = none has. Throws Failure (5) if one has. */
export async function checkOurs(context: Context, name: string): Promise<string | null> {
  const { seeTmux } = await import('../../overview/scene.ts');
  const { fault, sessions } = await seeTmux(await context.settings(), await context.disk());
  if (!sessions.some((session) => session.name === name)) return fault;
  const text = `${name} is not a session of this town and stays untouched; make it one with \`town session adopt ${name}\``;
  throw new Failure(EXIT.refused, 'foreign_target', text);
}

/** The record of a session that the town knows. Throws Failure: 5 for a foreign session, 2 for none, 3 where there is no town. */
export async function knownSession(context: Context, name: string): Promise<SessionRecord> {
  const { readSession, readSessions } = await import('../../overview/records.ts');
  const disk = await context.disk();
  const record = await readSession(disk, name);
  if (record === null) context.existing();
  // A start that failed leaves a record: a session with its name is a foreign one.
  if (record !== null && (record.incarnation !== null || record.state === 'starting')) return record;
  const fault = await checkOurs(context, name);
  if (record !== null) return record;
  const unsure = fault === null ? '' : ` (and tmux could not be asked: ${fault})`;
  const { found } = await readSessions(disk);
  const names = found.map(({ value }) => value.spec.name);
  const near = nearest(name, names);
  const hint = near === null ? '' : `; did you mean ${near}? A command that acts wants the whole name`;
  const text = `no session ${name} was ever seen here${unsure}${hint}; see \`town session list\``;
  throw new Failure(EXIT.usage, 'unknown_session', text);
}
