/** `town watchdog start|stop|status`: named timers, whose words the town types into a session again and again (M-6). */
import type { TimerView } from '../../socket/protocol.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import { when } from '../../journal/when.ts';
import { mustBeOperator } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { sessionToAct } from '../naming/resolve.ts';
import { checkUnprotected, isName, knownSession, quoteName } from '../naming/names.ts';

export interface StartOptions {
  readonly interval: number;
  readonly message: string;
  readonly name: string;
}

/** The session of the town that has this pane. Throws Failure (2). */
async function sessionIn(context: Context, pane: string): Promise<string> {
  const { readSessions } = await import('../../overview/records.ts');
  const { found } = await readSessions(await context.disk());
  const record = found.find(({ value }) => value.incarnation?.paneId === pane)?.value;
  if (record !== undefined) return record.spec.name;
  const text = `pane ${pane} belongs to no session of this town; see \`town session list\``;
  throw new Failure(EXIT.usage, 'unknown_pane', text);
}

/** Throws Failure (2). */
function timerCalled(name: string): string {
  if (isName(name)) return name;
  const text = `${quoteName(name)} is no name for a timer: letters, digits, _ and -, at most 64; write --name hourly, for example`;
  throw new Failure(EXIT.usage, 'bad_name', text);
}

export async function start(context: Context, where: string, options: StartOptions): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'a timer');
  const session = /^%\d+$/.test(where) ? await sessionIn(context, where) : await sessionToAct(context, where, true);
  checkUnprotected(session, await context.settings());
  await knownSession(context, session);
  const { interval, message } = options;
  const timer = timerCalled(options.name);
  await context.request({ verb: 'startTimer', name: session, timer, interval, message });
  const data = { name: timer, session, interval_secs: interval, message };
  const text = `timer ${timer}: every ${interval} s ${session} gets ${quoteName(message)}, first in ${interval} s`;
  context.answer('timer', data, text);
}

export async function stop(context: Context, name: string | undefined): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'stopping a timer');
  const timer = name === undefined ? null : timerCalled(name);
  await context.request({ verb: 'stopTimer', timer });
  context.answer('timer-stopped', { name: timer }, timer === null ? 'no timer is left' : `timer ${timer} is stopped`);
}

const HEAD = ['TIMER', 'SESSION', 'EVERY', 'NEXT', 'MESSAGE', 'LAST'];
const row = (one: TimerView): string[] => [
  one.name,
  one.session,
  `${one.interval_secs} s`,
  when(one.next_at),
  clean(one.message),
  one.last ?? '',
];

export async function status(context: Context): Promise<void> {
  context.existing();
  const { timers = [] } = await context.ask((town) => town.status());
  if (timers === null)
    throw new Failure(EXIT.failed, 'records_unreadable', 'the timers cannot be read now; see: town alerts list');
  context.answer('timers', timers, listing(timers, 'no timer; start one: town watchdog start NAME', HEAD, row));
}
