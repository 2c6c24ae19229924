/**
 * `town answer N pardon|hear|execute`: a person's decision on an agent whose hearing was left to one (law 2, D-14). An execution is a
 * warrant by force, as `town session kill --force` files it: its intent is durable first, and its work is saved.
 * `town answer N go`: what came back from a copy of the root is done.
 */
import { marksIn } from '../../../machines/alerts/question.ts';
import { HEARING_ACK } from '../../../state/alerts/episodes.ts';
import { goOn } from '../../../state/process/restored.ts';
import { openAlert } from '../../overview/open-alerts.ts';
import { readWarrants } from '../../overview/records.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { wakeTown } from '../asking/notes.ts';
import { alertsOf } from '../asking/post.ts';
import type { Context } from '../context.ts';
import { checkUnprotected } from '../naming/names.ts';
import { alertId } from '../story/asking.ts';
import { fileWarrantFor } from './warrants.ts';

/** `id`: of the question. Throws Failure (3) where the life that was heard is over, (5) for a protected session. */
export async function decide(context: Context, id: string, word: string): Promise<void> {
  const alerts = await alertsOf(context);
  const heard = (await alerts.list()).find((one) => alertId(openAlert(one)) === id);
  const { episode, session = null, life, question = '' } = heard ?? {};
  const { request: dance = '' } = marksIn(question);
  if (episode === undefined || session === null || life === undefined)
    throw new Failure(EXIT.notRunning, 'over', 'that hearing is decided: its alert ended');
  if (word !== 'pardon') checkUnprotected(session, await context.settings());
  // The life that was heard, and no other (law 3).
  if (word === 'hear') await fileWarrantFor(context, session, { life, reason: await chargeOf(context, dance) });
  if (word === 'execute') {
    const reason = `decided by the operator after hearing ${dance}`;
    await fileWarrantFor(context, session, { life, reason, force: true });
  }
  await alerts.ack(episode, HEARING_ACK.decided, Date.now());
  context.answer('hearing-decided', { session, dance, decision: word }, `${clean(session)} ${DONE[word] ?? ''}`);
}

const DONE: Readonly<Record<string, string>> = {
  pardon: 'lives on: nothing is done to it',
  hear: 'is heard again: three questions, and an answer pardons it',
  execute: 'is being ended; its work is saved first',
};

async function chargeOf(context: Context, dance: string): Promise<string> {
  const { warrants } = await readWarrants(await context.disk());
  return warrants.find((one) => one.dance === dance)?.charge ?? 'its last hearing needed a person';
}

/** The alert ends at the next look of the town. */
export async function goOnAfterCopy(context: Context): Promise<void> {
  const went = await goOn(await context.disk());
  await wakeTown(context, 'work');
  const text = went ? 'the town goes on with what came back from the copy' : 'the town goes on already';
  context.answer('went-on', { went }, text);
}
