/**
 * Which account a process, or a start, uses (M-9): its program, and where its environment says that the credential is.
 * 1. A key is known by a short hash; it stands nowhere.
 * 2. What the environment does not tell is no account: nothing is grouped by a guess.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { quoteForeign } from '../../machines/kernel/visible-text.ts';
import type { Account, SessionSpec } from '../../machines/protocol.ts';
import type { Packs } from '../screen/packs.ts';
import { agentCommandIn, environmentIn, kindStarted } from './agent-command.ts';
import { HOMES, homeOf, type ValueOf } from './program-home.ts';
import { withinLimit } from './within-limit.ts';

/** Hexadecimal digits: of thousands of accounts no two are alike. */
const HASH = 8;
export const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH);

/** null = not known. Never rejects. */
export async function accountIn(kind: string, valueOf: ValueOf): Promise<Account | null> {
  const { keys = [], elsewhere = [], login = '' } = HOMES[kind] ?? {};
  if (elsewhere.some((name) => (valueOf(name) ?? '') !== '')) return null;
  const key = keys.map(valueOf).find((value) => value !== null && value !== '');
  if (key !== undefined && key !== null)
    return { id: `${kind}-key-${shortHash(key)}`, label: `of ${kind} with key ${shortHash(key)}`, file: null };
  const home = homeOf(kind, valueOf);
  if (home === null || !isAbsolute(home)) return null;
  const place = await withinLimit(home, () => realpath(home).catch(() => normalize(home).replace(/\/$/, '')));
  if (place === undefined) return null;
  const file = join(place, login);
  return { id: `${kind}-${shortHash(`${kind} ${place}`)}`, label: labelOf(home, valueOf('HOME')), file };
}

/** It stands within sentences, and an agent may start a program with any environment: a line of a terminal. */
const LABEL = 100;

/** `~/.claude`; one that could be taken for words of the town is quoted. */
function labelOf(place: string, user: string | null): string {
  const plain = normalize(place).replace(/\/$/, '');
  const label = user !== null && plain.startsWith(`${user}/`) ? `~${plain.slice(user.length)}` : plain;
  const shown = label.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, LABEL);
  return /^[\w./~@-]+$/.test(shown) ? shown : quoteForeign(shown);
}

/** Of a start with this environment; null = its command does not tell. */
export async function accountOfStart(
  packs: Pick<Packs, 'kindOf'>,
  { command }: Pick<SessionSpec, 'command'>,
  environment: Readonly<Record<string, string>>,
): Promise<Account | null> {
  const { words, assigned } = await agentCommandIn(packs, command);
  const kind = kindStarted(packs, words);
  // What its shell alone knows may be the credential.
  if (kind === null || Object.values(assigned).includes(null)) return null;
  const values = environmentIn(assigned, environment);
  return accountIn(kind, (name) => values[name] ?? null);
}
