/**
 * What a start does about its conversation (M-11). The pack of its program says with which words a start names one, or goes on with
 * it; some programs choose its name themselves, and say later which it is. The program's own files say whether the conversation is still there. Where they do not, a new one begins, and the reason is said.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Spoken } from '../../machines/protocol.ts';
import type { OrderOf } from '../ports/ports.ts';
import { programAt } from '../proc/find-program.ts';
import { isSince, versionOf } from '../screen/version.ts';
import { HOOK_PROGRAM } from '../sources/claude-hooks.ts';
import { unfitTranscript } from '../sources/claude-transcript.ts';
import { unfitRollout } from '../sources/codex-rollout.ts';

import type { Packs } from '../screen/packs.ts';
import { HOMES, homeOf } from './program-home.ts';
import { sentenceTo, withConversation } from './resume-words.ts';

type Order = Pick<OrderOf<'startSession'>, 'spec' | 'uuid' | 'resume'>;

export interface Speaking {
  readonly command: readonly string[];
  /** Absent = its program names none by its start, or its command chooses for itself. */
  readonly spoken?: Spoken | undefined;
  /** Why an agent cannot go on with a conversation. */
  readonly forgets?: string | undefined;
  /** Variables that its program gets beside those of its start, and no other process. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** Names of those that this start, or an interrupted one, may have lent to its session. */
  readonly lent?: readonly string[] | undefined;
}

interface Given {
  /** What its program will get. */
  readonly environment: Readonly<Record<string, string>>;
  /** Unguessable, and the same for the same life. */
  readonly password: string;
  /** null = there is none. */
  readonly hooksFile: string | null;
}

/** Never rejects. */
export async function speakingIn(
  packs: Pick<Packs, 'kindOf' | 'named'>,
  order: Order,
  { environment, password, hooksFile }: Given,
): Promise<Speaking> {
  const said = await conversingIn(packs, order, environment);
  const { prefix, words } = withoutEnv(said.command);
  const kind = packs.kindOf({ comm: basename(words[0] ?? ''), argv: words });
  const { serve, label = '' } = kind === null ? {} : packs.named(kind);
  const [program = '', ...rest] = words;
  if (serve === undefined) return said;
  const [dir, path] = [order.spec.dir, environment['PATH'] ?? null];
  const tried = { dir, path, since: serve.since, label };
  const isHooked = serve.words.includes(HOOKS);
  // Without its file a program would end at once.
  const canHook = hooksFile !== null && existsSync(hooksFile) && programAt(HOOK_PROGRAM, dir, path) !== null;
  if (isHooked && !canHook) return said;
  const isOwn = rest.some((word) => serve.own.includes(optionIn(word)) || serve.commands.includes(word));
  if (isOwn || untriedIn(words, tried) !== null) return said;
  const serving = serve.words.map((word) => (word === HOOKS ? (hooksFile ?? '') : word));
  const command = [...prefix, program, ...serving, ...rest];
  if (serve.password === undefined) return { ...said, command };
  const assigned = assignedIn(prefix)[serve.password];
  if (assigned === '') return said;
  const known = assigned ?? environment[serve.password] ?? '';
  return {
    ...said,
    command,
    lent: [serve.password],
    ...(known === '' && { secrets: { [serve.password]: password } }),
  };
}

/** Stands in a pack for the file with hooks. */
const HOOKS = '{hooks}';

const optionIn = (word: string): string => word.split('=')[0] ?? '';

async function conversingIn(
  packs: Pick<Packs, 'kindOf' | 'named'>,
  { spec, uuid, resume }: Order,
  environment: Readonly<Record<string, string>>,
): Promise<Speaking> {
  const { command, dir } = spec;
  const plain = { command };
  const { prefix, words: argv } = withoutEnv(command);
  const kind = packs.kindOf({ comm: basename(argv[0] ?? ''), argv });
  if (kind === null) return plain;
  const { resume: words, label } = packs.named(kind);
  if (words === undefined) return { ...plain, forgets: `the town cannot name a conversation of ${label}` };
  const untried = untriedIn(argv, { dir, path: environment['PATH'] ?? null, since: words.since, label });
  if (untried !== null) return { ...plain, forgets: untried };
  const first = withConversation(argv, words, { id: uuid, why: null });
  if (first === null) return plain;
  if (typeof first === 'string') return { ...plain, forgets: first };
  const begun = words.first === undefined ? undefined : { id: uuid, resumed: false };
  const anew = { command: [...prefix, ...first], spoken: begun };
  if (resume === undefined) return anew;
  const { id, why } = resume;
  const unfit = await unfitIn(kind, { id, dir, environment: { ...environment, ...assignedIn(prefix) } });
  if (unfit !== null) return begun ? { ...anew, spoken: { ...begun, because: unfit } } : { ...anew, forgets: unfit };
  const again = withConversation(argv, words, { id, why });
  if (again === null || typeof again === 'string') return anew;
  const isTold = words.again.some((word) => word.includes('{why}'));
  const spoken = { id, resumed: true, ...(!isTold && { untold: sentenceTo(why) }) };
  return { command: [...prefix, ...again], spoken };
}

/** Variables by which programs find their conversations. */
const KEEPING = ['HOME', 'PATH', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'] as const;

/** Whether a start of it now would go on with this conversation. Never rejects. */
export async function goesOn(
  packs: Pick<Packs, 'kindOf' | 'named'>,
  { spec, uuid, id }: Pick<Order, 'spec' | 'uuid'> & { readonly id: string },
  variableOf: (name: string) => string | null,
): Promise<boolean> {
  const environment = Object.fromEntries(
    KEEPING.flatMap((name) => {
      const value = variableOf(name);
      return value === null ? [] : [[name, value] as const];
    }),
  );
  const { spoken } = await conversingIn(packs, { spec, uuid, resume: { id, why: 'was restarted' } }, environment);
  return spoken?.resumed === true;
}

interface Tried {
  readonly dir: string;
  readonly path: string | null;
  readonly since: string;
  readonly label: string;
}

/** Why its program may not know such words, as the end of a sentence; null = it does. */
function untriedIn([word = '']: readonly string[], { dir, path, since, label }: Tried): string | null {
  const file = programAt(word, dir, path);
  const version = file === null ? null : versionOf({ comm: basename(file), exe: file, argv: [file] });
  if (version === null) return `which version of ${label} ${file ?? word} is cannot be told`;
  return isSince(version, since) ? null : `${label} ${version} is older than ${since}, the first that was tried`;
}

const ASSIGNED = /^([A-Za-z_]\w*)=(.*)$/s;

/** A command behind `env NAME=value …`, which has no other options. */
export function withoutEnv(command: readonly string[]): Record<'prefix' | 'words', readonly string[]> {
  const [word = '', ...rest] = command;
  const at = basename(word) === 'env' ? rest.findIndex((one) => !ASSIGNED.test(one)) + 1 : 0;
  return { prefix: command.slice(0, at), words: command.slice(at) };
}

export function assignedIn(prefix: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const word of prefix) {
    const [, name, value = ''] = ASSIGNED.exec(word) ?? [];
    if (name !== undefined) values[name] = value;
  }
  return values;
}

interface Kept {
  readonly id: string;
  readonly dir: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Why its program cannot go on with it; null = it can, or nothing tells. */
async function unfitIn(kind: string, { id, dir, environment }: Kept): Promise<string | null> {
  if (!(kind in HOMES)) return null;
  const home = homeOf(kind, (name) => environment[name] ?? null);
  if (home === null) return 'its environment names no HOME';
  if (kind === 'codex') return unfitRollout(home, id);
  return unfitTranscript({ config: home, cwd: await realpath(dir).catch(() => dir), id });
}
