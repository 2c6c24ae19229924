/** A program that asks, on a real pane, and what it was answered. */
import type { Incarnation, OutcomeBody } from '../../../machines/protocol.ts';
import { table, type Court } from './court.ts';
import type { CourtOptions } from './court-options.ts';
import { agent } from './questions.ts';
import { courtWith } from './courts.ts';

export const REFUSED = 'DIALOG_NOT_ANSWERED';

export async function asking(
  how: string,
  commands = 'rm -rf build',
  options: readonly string[] = [],
  more: CourtOptions = {},
) {
  const command = [process.execPath, agent('asking/claude'), how, commands, ...options];
  const { court, target } = await courtWith(command, { ready: 'Esc to cancel', ...more });
  return { court, target, dialog: await standing(court, target) };
}

export async function standing(court: Court, target: Incarnation) {
  const dialog = await court.dialog(target);
  if (dialog === null) throw new Error(`no dialog:\n${await court.text(target)}`);
  return dialog;
}

/** Stops the program that draws the dialog; resolves with what wakes it. */
export async function stopped(target: Incarnation): Promise<() => void> {
  const [pid] = (await table.children()).get(target.agent.pid) ?? [];
  if (pid === undefined) throw new Error('no program below');
  process.kill(pid, 'SIGSTOP');
  return () => void process.kill(pid, 'SIGCONT');
}

export const why = (outcome: OutcomeBody): string => ('why' in outcome ? outcome.why : outcome.type);
/** Number of choices that the program took. */
export const chosen = async (court: Court, target: Incarnation): Promise<string[]> =>
  (await court.text(target)).split('\n').filter((row) => row.startsWith('chose '));
