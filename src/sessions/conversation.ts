/**
 * What a start does about its conversation (M-11). The pack of its program says with which words a start names one, or goes on with
 * it; some programs choose its name themselves, and say later which it is. The program's own files say whether the conversation is still there. Where they do not, a new one begins, and the reason is said.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Spoken } from '../../machines/protocol.ts';
import { isOtherPrompt, isSamePrompt, OTHER_PROMPT } from '../../machines/sessions/conversation.ts';
import type { OrderOf } from '../ports/ports.ts';
import { programAt } from '../proc/find-program.ts';
import { isSince, versionOf } from '../screen/version.ts';
import { HOOK_PROGRAM } from '../sources/claude-hooks.ts';
import { unfitTranscript } from '../sources/claude-transcript.ts';
import { unfitRollout } from '../sources/codex-rollout.ts';

import type { Packs } from '../screen/packs.ts';
import { agentCommandIn, environmentIn, kindStarted, type AgentCommand } from './agent-command.ts';
import { HOMES, homeOf } from './program-home.ts';
import { promptIn, sentenceTo, withConversation } from './resume-words.ts';

type Order = Pick<OrderOf<'startSession'>, 'spec' | 'uuid' | 'resume' | 'prompt'>;

export interface Speaking {
  readonly command: readonly string[];
  /** Absent = its program names none by its start, or its command chooses for itself. */
  readonly spoken?: Spoken | undefined;
  /** Why an agent cannot go on with a conversation. */
  readonly forgets?: string | undefined;
  /** A mark of its first prompt; empty = it has none, absent = not known. */
  readonly prompt?: string | undefined;
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
  /** What its prompt file says; null = it has none, undefined = not known. */
  readonly task: string | null | undefined;
}

/** Never rejects. */
export async function speakingIn(
  packs: Pick<Packs, 'kindOf' | 'named'>,
  order: Order,
  { environment, password, hooksFile, task }: Given,
): Promise<Speaking> {
  const said = await conversingIn(packs, order, { environment, task });
  const { kind, words, assigned, withWords } = await agentCommandIn(packs, said.command);
  const { serve, label = '' } = kind === null ? {} : packs.named(kind);
  const [program = '', ...rest] = words;
  if (serve === undefined) return said;
  const { dir } = order.spec;
  const path = environmentIn(assigned, environment)['PATH'] ?? null;
  const tried = { dir, path, since: serve.since, label };
  const isHooked = serve.words.includes(HOOKS);
  // Without its file a program would end at once.
  const canHook = hooksFile !== null && existsSync(hooksFile) && programAt(HOOK_PROGRAM, dir, path) !== null;
  if (isHooked && !canHook) return said;
  const isOwn = rest.some((word) => serve.own.includes(optionIn(word)) || serve.commands.includes(word));
  if (isOwn || untriedIn(words, tried) !== null) return said;
  const serving = serve.words.map((word) => (word === HOOKS ? (hooksFile ?? '') : word));
  const command = withWords([program, ...serving, ...rest]);
  if (serve.password === undefined) return { ...said, command };
  const own = assigned[serve.password];
  if (own === '') return said;
  const known = own ?? environment[serve.password] ?? '';
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
  { spec, uuid, resume, prompt: last }: Order,
  { environment, task }: Pick<Given, 'environment' | 'task'>,
): Promise<Speaking> {
  const { command, dir } = spec;
  const plain = { command };
  const { kind, words: argv, assigned, withWords, unclear } = await agentCommandIn(packs, command);
  if (unclear !== undefined) return { ...plain, forgets: unclear };
  if (kind === null) return { ...plain, ...(resume !== undefined && { forgets: startedBy(packs, argv) }) };
  const { resume: words, label } = packs.named(kind);
  if (words === undefined) return { ...plain, forgets: `the town cannot name a conversation of ${label}` };
  const own = environmentIn(assigned, environment);
  const untried = untriedIn(argv, { dir, path: own['PATH'] ?? null, since: words.since, label });
  if (untried !== null) return { ...plain, forgets: untried };
  const prompt = markOf(promptIn(argv, words), task);
  const first = withConversation(argv, words, { id: uuid, why: null, isAgain: isSamePrompt(last, prompt) });
  if (first === null) return plain;
  if (typeof first === 'string') return { ...plain, forgets: first };
  const begun = words.first === undefined ? undefined : { id: uuid, resumed: false };
  const anew = { command: withWords(first), spoken: begun, prompt };
  if (resume === undefined) return anew;
  const { id, why } = resume;
  const isUnheard = isOtherPrompt(last, prompt);
  const unfit = isUnheard ? OTHER_PROMPT : await unfitIn(kind, { id, dir, environment: own, assigned });
  if (unfit !== null) return begun ? { ...anew, spoken: { ...begun, because: unfit } } : { ...anew, forgets: unfit };
  const again = withConversation(argv, words, { id, why });
  if (again === null || typeof again === 'string') return anew;
  const isTold = words.again.some((word) => word.includes('{why}'));
  const spoken = { id, resumed: true, ...(!isTold && { untold: sentenceTo(why) }) };
  // Without a prompt of its own it goes on with what the last one was told.
  return { command: withWords(again), spoken, prompt: prompt || last };
}

/** So many characters of the hash. */
const MARK_CHARS = 16;

/** Two prompts are the same if their words are, as they stand in the command, and what the prompt file says. */
function markOf(words: readonly string[], task: string | null | undefined): string | undefined {
  if (task === undefined) return undefined;
  if (words.length === 0 && task === null) return '';
  const text = JSON.stringify([words, task]);
  return createHash('sha256').update(text).digest('hex').slice(0, MARK_CHARS);
}

/** Why an agent cannot be told its conversation that another program starts; undefined = it is told another one, or none is named. */
function startedBy(
  packs: Pick<Packs, 'kindOf' | 'named'>,
  [program = '', ...rest]: readonly string[],
): string | undefined {
  const at = rest.findIndex((word) => kindStarted(packs, [word]) !== null);
  const kind = at === -1 ? null : kindStarted(packs, rest.slice(at, at + 1));
  if (kind === null) return undefined;
  const { resume: words, label } = packs.named(kind);
  const isOwn = words !== undefined && withConversation(rest.slice(at), words, { id: '', why: null }) === null;
  return isOwn ? undefined : `its command starts ${label} by ${program}`;
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
  const order = { spec, uuid, resume: { id, why: 'was restarted' } };
  const { spoken } = await conversingIn(packs, order, { environment, task: null });
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
  if (version === null) return `which version of ${label} ${file ?? word} is not known`;
  return isSince(version, since) ? null : `${label} ${version} is older than ${since}, the first that was tried`;
}

interface Kept extends Pick<AgentCommand, 'assigned'> {
  readonly id: string;
  readonly dir: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Why its program cannot go on with it; null = it can, or nothing tells. */
async function unfitIn(kind: string, { id, dir, environment, assigned }: Kept): Promise<string | null> {
  const hidden = KEEPING.find((name) => assigned[name] === null);
  if (hidden !== undefined) return `the shell alone knows the ${hidden} of its command`;
  if (!(kind in HOMES)) return null;
  const home = homeOf(kind, (name) => environment[name] ?? null);
  if (home === null) return 'its environment names no HOME';
  if (kind === 'codex') return unfitRollout(home, id);
  return unfitTranscript({ config: home, cwd: await realpath(dir).catch(() => dir), id });
}
