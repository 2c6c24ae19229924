/** `town nudge`: words for an agent, typed by the running town in its pane's turn (law 5), with what came of it. */
import { saysNothing } from '../../../machines/kernel/shell-safe-text.ts';
import { nudgeDenied, rawDenied, type Caller } from '../../socket/permission.ts';
import { refuseAgent } from '../../triage/role.ts';
import { asCaller, nameOfCaller, type RoleCaller, unlessDenied } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { checkUnprotected, knownSession } from '../naming/names.ts';
import { sessionToAct } from '../naming/resolve.ts';

/** Throws Failure: 5 for another's session, a protected one, an agent that nudges others or asks for `raw`; 1 with what stands in the way. */
export async function nudge(
  context: Context,
  word: string,
  words: readonly string[],
  { raw = false }: { readonly raw?: boolean } = {},
): Promise<void> {
  const name = await sessionToAct(context, word);
  const text = words.join(' ').trim();
  if (saysNothing(text))
    throw new Failure(EXIT.usage, 'no_text', `no words for ${name}; write: town nudge ${name} "check your inbox"`);
  await asCaller(context, 'gt_nudge', [name, text], (caller) => nudgeAs(caller, context, { name, text, raw }));
}

interface Remark {
  readonly name: string;
  readonly text: string;
  readonly raw: boolean;
}

async function nudgeAs(caller: Caller | RoleCaller, context: Context, { name, text, raw }: Remark): Promise<void> {
  if (caller.is === 'role') refuseAgent(caller.run, name, 'nudge');
  else unlessDenied(nudgeDenied(caller, name) ?? (raw ? rawDenied(caller) : null));
  checkUnprotected(name, await context.settings());
  await knownSession(context, name);
  // The town knows who calls by its session.
  const from = caller.is === 'agent' ? caller.session : nameOfCaller(caller, undefined, '--by');
  const typed = await context.request({ verb: 'nudge', name, text, from, raw });
  context.answer('nudged', typed ?? { session: name }, `${name} was nudged`);
}
