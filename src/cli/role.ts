/** The calls of a run of triage: each of its tools is the command that everybody uses, and whatever else it tries is on record. */
import type { TriageRun } from '../../state/triage/run.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { recordCall, refuseMany, runOf, TOOLS, type Tool } from '../triage/role.ts';
import type { Caller } from '../socket/permission.ts';
import { whoCalls, type RoleCaller } from './caller.ts';
import type { Context } from './context.ts';
import { withLedger } from './ledger.ts';

/** The run that calls; null = somebody else does. */
export async function roleOf(context: Context): Promise<TriageRun | null> {
  const token = process.env['TOWN_TOKEN'];
  return token === undefined ? null : runOf(await context.disk(), token, Date.now());
}

/** Does what `tool` does, in the name of whoever calls. A call of the role is on record, with what came of it. */
export async function asCaller<T>(
  context: Context,
  tool: Tool,
  words: readonly string[],
  work: (caller: Caller | RoleCaller) => Promise<T>,
): Promise<T> {
  const run = await roleOf(context);
  if (run === null) return work(await whoCalls(context));
  const told = async (ok: boolean, text: string): Promise<void> =>
    withLedger(context, (ledger) => recordCall(ledger, run, { tool, words: words.join(' '), ok, text }, Date.now()));
  try {
    await withLedger(context, (ledger) => refuseMany(ledger, run));
    const done = await work({ is: 'role', run });
    await told(true, '');
    return done;
  } catch (error) {
    await told(false, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** A call that is none of its tools: on record, and refused. */
export async function refuseCall(context: Context, run: TriageRun, tool: string, words: string): Promise<never> {
  const text = `${tool} is not for a run of triage, which has ${TOOLS.join(', ')}, and nothing else`;
  await withLedger(context, (ledger) => recordCall(ledger, run, { tool, words, ok: false, text }, Date.now()));
  throw new Failure(EXIT.refused, 'role_only', text);
}

/** Throws Failure (5) where a run of triage calls. */
export async function refuseRole(context: Context): Promise<void> {
  const run = await roleOf(context);
  if (run === null) return;
  const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
  await refuseCall(context, run, `town ${words.slice(0, 2).join(' ')}`, words.join(' '));
}
