/** The calls of a triage run: each of its tools is an ordinary command, and every other try of the run is on record. */
import { textOf } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { TriageRun } from '../../../state/triage/run.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { recordCall, refuseMany, runOf, TOOLS, type Call, type Tool } from '../../triage/role.ts';
import type { Context } from '../context.ts';
import { readWords } from '../naming/words.ts';
import { callerToken } from '../../socket/caller-token.ts';

/** The calling run; null = the caller is no run. */
export async function roleOf(context: Context): Promise<TriageRun | null> {
  const token = callerToken();
  return token === undefined ? null : runOf(await context.disk(), token, Date.now());
}

async function inLedger(context: Context, work: (ledger: Ledger) => Promise<void>): Promise<void> {
  const { openLedger } = await import('../../../state/ledger/sqlite.ts');
  const ledger = openLedger({ root: context.existing(), wall: Date.now });
  try {
    await work(ledger);
  } finally {
    ledger.close();
  }
}

/** A call of the role, with what came of it. Throws what the work throws, and Failure (5) where it has made too many. */
export async function onRecord<T>(
  context: Context,
  run: TriageRun,
  call: { readonly tool: Tool; readonly words: readonly string[] },
  work: () => Promise<T>,
): Promise<T> {
  const told = (ok: boolean, text: string): Promise<void> =>
    record(context, run, { tool: call.tool, words: call.words.join(' '), ok, text });
  try {
    await inLedger(context, (ledger) => refuseMany(ledger, run));
    const done = await work();
    await told(true, '');
    return done;
  } catch (error) {
    await told(false, textOf(error));
    throw error;
  }
}

const record = (context: Context, run: TriageRun, call: Call): Promise<void> =>
  inLedger(context, (ledger) => recordCall(ledger, run, call, Date.now()));

/** A call that is none of its tools: on record, and refused. */
export async function refuseCall(context: Context, run: TriageRun, tool: string, words: string): Promise<never> {
  const text = `${tool} is not for a run of triage, which has ${TOOLS.join(', ')}, and nothing else`;
  await record(context, run, { tool, words, ok: false, text });
  throw new Failure(EXIT.refused, 'role_only', text);
}

/** Throws Failure (5) where a run of triage calls. `path`: the command, as `session list`; absent = it is read from the words. */
export async function refuseRole(context: Context, path?: string): Promise<void> {
  const run = await roleOf(context);
  if (run === null) return;
  const words = readWords(process.argv.slice(2)).rest.filter((word) => !word.startsWith('-'));
  await refuseCall(context, run, `town ${path ?? words.slice(0, 2).join(' ')}`, words.join(' '));
}
