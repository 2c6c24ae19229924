/**
 * Claude Code's own word: `sessions/<pid>.json` in its configuration folder. Undocumented, so only the form that was
 * tried on the real program counts.
 * 1. The file stays behind after a KILL: it counts while the very process lives that it names, by pid and start time.
 * 2. Where it lies comes from the environment of that process, never from ours.
 * 3. `idle` says only that no turn runs: why is a hook's word, or shows on the screen alone. `shell` is idle beside a command in
 *    the background. The dialog about trust comes before there is a file.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { Proc, WallMs } from '../../machines/protocol.ts';
import type { SaidState } from '../../machines/sessions/agent-state.ts';
import { fileReader } from '../../state/files/changing-file.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { askedNow, standingNow } from './claude-asks.ts';
import { haltReader, haltWord } from './claude-halts.ts';
import { callsIn, questionIn, type Question } from './claude-question.ts';
import { transcriptFile, type TranscriptOf } from './claude-transcript.ts';
import { untilInTranscript } from './claude-work.ts';
import type { HeldQuestions } from './held-questions.ts';
import type { Ear, Heard, ProgramPort } from './port.ts';
import { SOURCES } from './policy.ts';
import { standingFile } from './standing-file.ts';

const SOURCE = 'claude session file';

/** Tried with 2.1.330 and 2.1.332. An older or a later form is left to the pack. */
const KNOWN = { line: '2.1', from: 330 } as const;
const VERSION = /^(\d+\.\d+)\.(\d+)$/;

const isKnown = (version: string): boolean => {
  const [, line, patch] = VERSION.exec(version) ?? [];
  return line === KNOWN.line && Number(patch) >= KNOWN.from;
};

const FILE = z.object({
  pid: z.int(),
  /** Field 22 of /proc/<pid>/stat. */
  procStart: z.string(),
  version: z.string().refine(isKnown),
  /** bg: its own daemon runs it, without a pane. */
  kind: z.enum(['interactive', 'bg']),
  /** The id by which `claude attach` opens one of the background. */
  jobId: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .optional(),
  name: z.string().optional(),
  sessionId: z.uuid(),
  cwd: z.string().optional(),
  /** Absent in the first tenths of a second. */
  status: z.enum(['idle', 'busy', 'waiting', 'shell']).optional(),
  statusUpdatedAt: z.number().optional(),
  waitingFor: z.string().optional(),
});
type SessionFile = z.infer<typeof FILE>;

/** What its words for its state mean. */
export const STATES: Readonly<Record<NonNullable<SessionFile['status']>, SaidState>> = {
  idle: 'idle',
  shell: 'idle',
  busy: 'working',
  waiting: 'asks',
};

type Processes = Pick<ProcessTable, 'alive' | 'variableOf'>;

export function claudePort({ processes, held, wall }: Around): ProgramPort {
  return {
    kind: 'claude',
    open: (proc, life) => {
      // Only Linux shows start times as the file has them.
      const folder = process.platform === 'linux' ? configFolder(processes, proc) : null;
      return folder === null
        ? null
        : {
            place: join(folder.path, 'sessions'),
            hear: hearer(folder.path, { proc, life }, { processes, held, wall }),
          };
    },
  };
}

interface ConfigFolder {
  /** Absolute. */
  readonly path: string;
  /** Another one than its user's usual one. */
  readonly isChosen: boolean;
}

/** The configuration folder of this Claude Code, by the environment of its process; null = hidden. */
export function configFolder(processes: Pick<ProcessTable, 'variableOf'>, proc: Proc): ConfigFolder | null {
  const home = processes.variableOf(proc, 'HOME');
  const chosen = processes.variableOf(proc, 'CLAUDE_CONFIG_DIR');
  const path = chosen ?? (home === null ? null : join(home, '.claude'));
  return path?.startsWith('/') === true ? { path, isChosen: chosen !== null } : null;
}

const fileOf = (config: string, { pid }: Proc): string => join(config, 'sessions', `${pid}.json`);

/** What this process wrote about itself, read once; null = nothing that is known. */
export const readSessionFile = (config: string, proc: Proc): Promise<SessionFile | null> =>
  fileReader(fileOf(config, proc), SOURCES, (text) => sessionIn(text, proc))();

interface Around {
  readonly processes: Processes;
  readonly held: HeldQuestions;
  readonly wall: () => WallMs;
}

interface Agent {
  readonly proc: Proc;
  /** The uuid of its life; null = it has none. */
  readonly life: string | null;
}

function hearer(config: string, { proc, life }: Agent, { processes, held, wall }: Around): Ear['hear'] {
  const read = fileReader(fileOf(config, proc), SOURCES, (text) => sessionIn(text, proc));
  const ask = questioner(config);
  const workOf = standingFile();
  const haltOf = haltedNow(held, life);
  return async () => {
    const at = wall();
    const file = await read();
    const question = file?.status === 'waiting' ? await ask(file) : null;
    const { cwd, sessionId: id, status } = file ?? {};
    const of = cwd !== undefined && id !== undefined ? { config, cwd, id } : null;
    const transcript = of && transcriptFile(of);
    const isAtWork = of !== null && transcript !== null && status === 'busy';
    const work = isAtWork ? await workOf(transcript, untilInTranscript(of), at) : {};
    const halted = await haltOf(file, of, at);
    const asked = life === null ? null : await askedBy(held, { life, config }, { read, wall, now: { file, at } });
    // Asked after the file was read: a process that lives now wrote it.
    return file !== null && orNull(() => processes.alive(proc)) === true
      ? {
          ...heardIn(file, at, question),
          ...halted,
          ...work,
          // A command of its own runs in the background: it rests, and waits for that.
          ...(status === 'shell' && { hasTool: true as const }),
          ...(transcript !== null && { books: { program: 'claude', file: transcript } }),
          ...(asked !== null && { asked }),
        }
      : null;
  };
}

type HaltOf = (file: SessionFile | null, of: TranscriptOf | null, at: WallMs) => Promise<Pick<Heard, 'word'> | null>;

/** Why its last turn halted, while it rests since then; null = it did not, or went on. Without a word: it is not known which. */
function haltedNow(held: HeldQuestions, life: string | null): HaltOf {
  const haltNow = haltReader();
  return async (file, of, at) => {
    if (life === null || of === null || file?.status === undefined || STATES[file.status] !== 'idle') return null;
    const halt = await held.haltOf(life);
    const is = halt?.conversation === of.id ? await haltNow(halt, of) : 'over';
    return halt === null || is === 'over' ? null : { word: is === 'stands' ? haltWord(halt, at) : null };
  };
}

interface Place {
  readonly life: string;
  /** Claude Code's configuration folder. */
  readonly config: string;
}
interface Look {
  /** null = it does not tell. */
  readonly file: SessionFile | null;
  readonly at: WallMs;
}
interface Looks {
  readonly read: () => Promise<SessionFile | null>;
  readonly wall: () => WallMs;
  readonly now: Look;
}

/** What it holds open for an answer; null = nothing that stands. */
async function askedBy(held: HeldQuestions, place: Place, { read, wall, now }: Looks): Promise<Heard['asked'] | null> {
  const found = askedNow(held, (await standingBy(held, place, now)) ?? []);
  if (found === null) return null;
  const { key, ...asked } = found;
  const isOver = async (): Promise<boolean> => {
    const standing = await standingBy(held, place, { file: await read(), at: wall() });
    return standing?.every(({ one }) => one.key !== key) === true;
  };
  return { ...asked, isOver };
}

/** null = it does not tell. */
async function standingBy(held: HeldQuestions, { life, config }: Place, { file, at }: Look) {
  if (file === null) return null;
  const { sessionId: id, cwd, status } = file;
  const questions = (await held.of(life)).filter(({ request }) => request.session_id === id);
  const isWaiting = status === 'waiting';
  const calls = questions.length > 0 && isWaiting && cwd !== undefined ? await callsIn({ config, cwd, id }) : [];
  return standingNow(held, questions, { isWaiting, calls, at });
}

/** Reads the transcript once for each dialog; one that does not tell yet may be written late, and is read a few times. */
function questioner(config: string): (file: SessionFile) => Promise<Question | null> {
  let last = { dialog: '', question: null as Question | null, reads: 0 };
  return async ({ sessionId: id, statusUpdatedAt, cwd }) => {
    const dialog = `${id} ${statusUpdatedAt ?? ''}`;
    if (last.dialog !== dialog) last = { dialog, question: null, reads: 0 };
    const isOver = last.question !== null || last.reads >= SOURCES.transcriptReads;
    if (isOver || cwd === undefined) return last.question;
    const question = await questionIn({ config, cwd, id });
    // Another caller may have asked meanwhile.
    if (last.dialog === dialog) last = { dialog, question, reads: last.reads + 1 };
    return question;
  };
}

/** null = of another process, or of no form that is known. */
function sessionIn(text: string, { pid, started }: Proc): SessionFile | null {
  const json = orNull(() => JSON.parse(text) as unknown);
  const { data } = FILE.safeParse(json);
  return data?.pid === pid && started.startsWith(`${data.procStart}@`) ? data : null;
}

function heardIn(file: SessionFile, at: WallMs, question: Question | null): Heard {
  const { sessionId, status, statusUpdatedAt, waitingFor = '' } = file;
  const since = statusUpdatedAt === undefined || statusUpdatedAt > at ? null : statusUpdatedAt;
  const told = question === null ? waitingFor : `${waitingFor}: ${question.text}`;
  const detail = status === 'waiting' ? told.slice(0, SOURCES.maxDetailChars) : '';
  return {
    conversation: sessionId,
    ...(question !== null && { mark: question.id }),
    word:
      status === undefined
        ? null
        : { by: 'program', source: SOURCE, state: STATES[status], since, at, detail: detail || null, rule: null },
  };
}
