/**
 * `town alive <code>`: the answer to a hearing or a health check, on disk before the town is told.
 * An agent in a sandbox may neither write there nor open a socket: then the answer is printed as a line of its own, which counts
 * where the town looks at the screen (D-3, D-4). A wrong code stays an error: it is no answer, wherever it stands.
 */
import { answers } from '../../../machines/hearings/dance.ts';
import type { Dance } from '../../../machines/protocol.ts';
import { printCode, readCode } from '../../../machines/hearings/question.ts';
import { codeOf, textOf } from '../../../state/files/disk.ts';
import { FOLDERS, paths } from '../../../state/files/layout.ts';
import { readNote } from '../../../state/watchdog/records.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import { ANSWER, type AnswerFile } from '../../../state/hearings/schemas.ts';
import { readDances } from '../../overview/records.ts';
import type { Caller } from '../../socket/permission.ts';
import { whoCalls } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { notesOf } from '../asking/notes.ts';
import { note } from '../../terminal/print.ts';
import { callerToken } from '../../socket/caller-token.ts';

export async function answerAlive(context: Context, text: string): Promise<void> {
  await fileAlive(context, text);
}

/** Whether the answer is on disk; else its words stand on the screen. */
export async function fileAlive(context: Context, text: string): Promise<boolean> {
  const code = readCode(text);
  if (code === null) {
    const why = `${quoteName(text)} is no code; it looks like K7-3F, write \`town alive K7-3F\``;
    throw new Failure(EXIT.usage, 'bad_code', why);
  }
  try {
    const asked = await filed(context, code);
    context.answerPlain('alive', { code, ...asked, filed: true }, `${asked.session} is answered for: alive`);
    return true;
  } catch (error) {
    const why = unfiled(error);
    if (why === null) throw error;
    const answer = `ALIVE ${code}`;
    context.answerPlain('alive', { code, session: null, dance: null, filed: false, answer, why }, answer);
    const where = `the line ${answer} is the answer, where the town sees it on the screen`;
    note(`the answer could not be filed (${why}); ${where}`);
    return false;
  }
}

/** What it answers; `dance` null = a health check. */
async function filed(context: Context, code: string) {
  context.existing();
  const caller = await whoCalls(context);
  const session = await answersCheck(context, code, caller);
  if (session !== null) return { session, dance: null, via: caller.is };
  const { open, unreadable } = await readDances(await context.disk());
  unreadable.forEach(note);
  const dances = open.map(({ value }) => value);
  const dance = hearingOf(dances, code);
  if (caller.is === 'agent' && caller.uuid !== dance.target.uuid) {
    throw notYourself(code, dance.target.session, caller.session);
  }
  await writeAnswer(context, code, caller);
  return { session: dance.target.session, dance: dance.id, via: caller.is };
}

async function writeAnswer(context: Context, code: string, caller: Caller): Promise<void> {
  const uuid = caller.is === 'agent' ? caller.uuid : null;
  const answer: AnswerFile = { code, uuid, answered_at: new Date().toISOString(), via: caller.is };
  const disk = await context.disk();
  await disk.mkdir(FOLDERS.answers);
  await writeFiles(disk, [{ path: paths.answer(code), text: ANSWER.text(answer) }]);
  // The file is the answer: a town that cannot be reached from here finds it at its next look.
  await context
    .askIfUp((town) => town.alive(code, uuid))
    .catch((error: unknown) => note(`the town was not woken (${textOf(error)})`));
}

/** Why there is no way to the town from here, though the answer may be right; null = that is not what went wrong. */
function unfiled(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // A sandbox may hide the root itself, or a wrong mode close it. Who has a token was started by a town, so that one is there.
  const isHidden = ['no_town', 'not_yours'].includes(codeOf(error)) && callerToken() !== undefined;
  const isUnreached = error.name === 'TownNotRunning' || error.name === 'TownSilent';
  if (isHidden || isUnreached) return error.message;
  const code = codeOf(error);
  if (!/^E[A-Z0-9]+$/.test(code)) return null;
  return error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

/** The open dance whose last question has this code. Codes of earlier questions count for nothing. */
function hearingOf(dances: readonly Dance[], code: string): Dance {
  const now = dances.find((dance) => answers(dance, code));
  if (now !== undefined) return now;
  const before = dances.find((dance) => dance.attempts.some((attempt) => attempt.code === code));
  if (before === undefined) {
    const text = `no open hearing asks for the code ${printCode(code)}; it may be over: see \`town dog dances\``;
    throw new Failure(EXIT.failed, 'unknown_code', text);
  }
  const why = `${printCode(code)} belongs to an earlier question of ${before.target.session}; answer the code of its last one`;
  throw new Failure(EXIT.failed, 'old_code', why);
}

/**
 * A health check (C-15) asks with a code too; its question lives only as long as the town that asked, so that it is told and not
 * written down. Whose it is; null = it is none.
 */
async function answersCheck(context: Context, code: string, caller: Caller): Promise<string | null> {
  const checks = (await readNote(await notesOf(context), 'healthChecks')) ?? {};
  const [session, check] = Object.entries(checks).find(([, one]) => one.code === code) ?? [];
  if (session === undefined || check === undefined) return null;
  if (caller.is === 'agent' && caller.uuid !== check.uuid) throw notYourself(code, session, caller.session);
  await context.ask((town) => town.alive(code, check.uuid));
  return session;
}

const notYourself = (code: string, asked: string, calling: string): Failure =>
  new Failure(
    EXIT.refused,
    'not_yourself',
    `${printCode(code)} asks ${asked}, and TOWN_TOKEN says that ${calling} calls; each answers for itself`,
  );
