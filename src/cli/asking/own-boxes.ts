/** The mailboxes that a caller reads: an agent's are its own, those of its tags, and the Deacon's for the session that is it. */
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { addressesOf } from '../../patrols/agent/letters.ts';
import type { Context } from '../context.ts';
import { nameOfCaller, whoCalls } from '../naming/caller.ts';
import { areOneBox, mailboxOf, OVERSEER } from './post.ts';

export interface OwnBox {
  readonly address: string;
  readonly box: Mailbox;
}

/** `wanted`: the one of them that was named. Throws Failure (5) for another agent's. */
export async function ownBoxes(context: Context, wanted: string | undefined): Promise<readonly OwnBox[]> {
  const boxes: OwnBox[] = [];
  for (const address of await addressesFor(context, wanted)) boxes.push(await mailboxOf(context, address));
  return boxes;
}

async function addressesFor(context: Context, wanted: string | undefined): Promise<readonly string[]> {
  const caller = await whoCalls(context);
  if (caller.is === 'operator') return [wanted ?? OVERSEER];
  const name = nameOfCaller(caller, undefined, '--for');
  const all = addressesOf(caller.spec, name, (await context.settings()).policy);
  if (wanted === undefined || (await areOneBox(context, wanted, caller.session))) return all;
  for (const one of all) if (await areOneBox(context, wanted, one)) return [one];
  return [nameOfCaller(caller, wanted, '--for')];
}
