/** Whether work for a session would be taken for a command of its program, before it is sent: no work is one, and it would never be typed. */
import { commandSign, commandText } from '../../hearings/deliver.ts';
import { readSession } from '../../overview/records.ts';
import type { Settings } from '../../config/settings.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { agentCommandIn } from '../../sessions/agent-command.ts';
import { GIVERS } from '../../sources/gives.ts';
import type { Context } from '../context.ts';

/** Why it would, as a sentence without its end; null = it would not, or it is not known. A program that takes work without a key takes any. */
export async function commandIn(
  context: Context,
  settings: Settings,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<string | null> {
  const record = await readSession(await context.disk(), name);
  if (record === null || record.incarnation?.origin === 'adopted') return null;
  const packs = new Packs({ folder: packsFolder(settings.root) });
  const { kind } = await agentCommandIn(packs, record.spec.command);
  if (kind === null || GIVERS.includes(kind)) return null;
  const pack = packs.named(kind);
  const sign = commandSign(pack, text.trim().split('\n'));
  return sign === undefined ? null : commandText(pack, sign);
}
