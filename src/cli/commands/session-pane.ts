/** `town session attach|logs`: to a session's pane, and what it shows and showed. Need no running town and touch nothing. */
import type { Incarnation, SessionRecord } from '../../../machines/protocol.ts';
import { commandFor } from '../../../machines/sessions/background.ts';
import { outputPath } from '../../../state/sessions/output.ts';
import { natural } from '../../overview/natural.ts';
import { glance } from '../asking/glance.ts';
import { see, type SessionSeen } from '../../overview/scene.ts';
import { readSession, readSessions } from '../../overview/records.ts';
import { createProcesses } from '../../proc/processes.ts';
import { lend, terminal } from '../../terminal/streams.ts';
import { agentEnvironment, listedEnvironment } from '../../proc/environment.ts';
import { standingSocket } from '../../tmux/pinned.ts';
import { isSameSocket } from '../../tmux/socket.ts';
import { ControlTmux } from '../../tmux/client.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { sessionNamed } from '../naming/agents.ts';
import { knownSession } from '../naming/names.ts';
import { sessionCalled, sessionToAct } from '../naming/resolve.ts';
import { envelope, note, say } from '../../terminal/print.ts';
import { conditionOf } from '../session-table.ts';
import { newRows } from '../screens/following.ts';
import { clearedAt, keptLines, shownOf } from '../screens/shown.ts';
import { readSince } from '../story/since.ts';
import { inQuotes } from '../../../state/files/show-text.ts';

async function doorOf(context: Context): Promise<ControlTmux> {
  const settings = await context.settings();
  const socketPath = await standingSocket(await context.disk(), settings.tmux.socket);
  return new ControlTmux({ socketPath, policy: settings.hands, processes: createProcesses() });
}

/** Runs a command of the agent's own program on this terminal, or prints it where there is none. */
function attachInBackground(context: Context, name: string, words: readonly string[], atTerminal: boolean): number {
  const line = words.map((word) => (/^[\w./=:-]+$/.test(word) ? word : inQuotes(word))).join(' ');
  if (!atTerminal) {
    context.answerPlain('session-attach', { name, socket: null, target: null, command: words, line }, line);
    return EXIT.done;
  }
  const [program = '', ...rest] = words;
  const ended = lend(program, rest, agentEnvironment(process.env));
  if (typeof ended === 'number') return ended === 0 ? EXIT.done : EXIT.failed;
  const text = `${program} could not be run: ${ended.message}; the line is: ${line}`;
  throw new Failure(EXIT.failed, 'no_program', text);
}

const HAS_PROCESS: ReadonlySet<SessionRecord['state']> = new Set(['running', 'observed']);
const noPane = (name: string, { agent }: Incarnation, { state }: SessionRecord): Failure =>
  new Failure(
    EXIT.failed,
    'no_pane',
    `${name} ${HAS_PROCESS.has(state) ? `runs without tmux (pid ${agent.pid})` : `is ${state.replace('_', ' ')}, and ran without tmux`}, so there is no pane to attach to; its output: town session logs ${name} -f`,
  );

/** Its session as tmux has it now. Throws Failure: 4 when tmux gives no answer, 1 for one that is not there. */
async function standing(tmux: ControlTmux, name: string, record: SessionRecord): Promise<SessionSeen> {
  const { incarnation } = record;
  if (incarnation?.origin === 'detached') throw noPane(name, incarnation, record);
  const { sessions, fault } = await see(tmux);
  if (fault !== null)
    throw new Failure(EXIT.degraded, 'tmux_unknown', `tmux could not be asked: ${fault}; see \`town doctor\``);
  // A person may have renamed it.
  const isIts = ({ sessionId, panes }: SessionSeen): boolean =>
    sessionId === incarnation?.sessionId &&
    // The pane of an adopted agent runs a person's shell.
    panes.some(({ paneId, pid }) => {
      const isIt = incarnation.origin === 'adopted' || pid === incarnation.agent.pid;
      return paneId === incarnation.paneId && isIt;
    });
  const found = sessions.find((session) => session.name === name) ?? sessions.find(isIts);
  if (found !== undefined) return found;
  const text = `${name} has no session in tmux now (it is ${record.state}); what it showed: town session logs ${name}; to start it: town session start ${name}`;
  throw new Failure(EXIT.failed, 'not_there', text);
}

/** A tmux target that is exactly this session, never one with a similar name. */
const targetOf = ({ name, sessionId }: SessionSeen): string => (/^[A-Za-z0-9_-]+$/.test(name) ? `=${name}` : sessionId);

export interface AttachOptions {
  readonly nextAsking?: boolean;
  readonly client?: string;
}

/** The session after the one that the person is in, by name and around, of those that ask. Throws Failure (1) where none does. */
async function nextAsking(context: Context): Promise<string> {
  const { sessions } = (await glance(context)).overview;
  const asking = (sessions ?? []).filter((view) => view.in_tmux === true && conditionOf(view) === 'asks');
  const [first, ...others] = asking.map(({ name }) => name).toSorted(natural);
  if (first === undefined)
    throw new Failure(EXIT.failed, 'none_asks', 'no session that could be seen asks you anything; see `town status`');
  const here = `$${process.env['TMUX']?.split(',').at(-1) ?? ''}`;
  const { found } = await readSessions(await context.disk());
  const now = found.find(({ value }) => value.incarnation?.sessionId === here)?.value.spec.name;
  return now === undefined ? first : ([first, ...others].find((name) => natural(name, now) > 0) ?? first);
}

/** Whether this runs within that tmux server, or within another one. */
function around(socketPath: string): { readonly isInside: boolean; readonly isNested: boolean } {
  const socket = process.env['TMUX']?.split(',', 1)[0] ?? '';
  const isInside = socket !== '' && isSameSocket(socket, socketPath);
  return { isInside, isNested: socket !== '' && !isInside };
}

/** The session that is meant. Throws Failure (2) for none, and for two. */
function meant(context: Context, word: string | undefined, isNext: boolean, isTyped: boolean): Promise<string> {
  if (isNext === (word !== undefined))
    throw new Failure(EXIT.usage, 'no_session', 'write either the name of a session or --next-asking');
  if (word === undefined) return nextAsking(context);
  return (isTyped ? sessionToAct : sessionCalled)(context, word);
}

/**
 * On a terminal, or for a client of tmux that is named: to the session, until the person leaves it. Else the line that does it, which
 * is to look only.
 */
export async function attach(
  context: Context,
  word: string | undefined,
  { nextAsking: isNext = false, client }: AttachOptions,
): Promise<number> {
  const atTerminal = terminal() !== null && process.stdin.isTTY && !context.json;
  const name = await meant(context, word, isNext, atTerminal);
  const record = await knownSession(context, name);
  const { background } = record.spec;
  if (background !== undefined) return attachInBackground(context, name, commandFor(background, 'attach'), atTerminal);
  const tmux = await doorOf(context);
  const target = targetOf(await standing(tmux, name, record));
  const { socketPath } = tmux;
  const { isInside, isNested } = around(socketPath);
  const { program } = await tmux.program();
  const way = client === undefined ? [isInside ? 'switch-client' : 'attach-session'] : ['switch-client', '-c', client];
  const words = ['-S', socketPath, ...way, '-t', target];
  if (!atTerminal && client === undefined) {
    // tmux within another server's tmux asks for that.
    const line = `${isNested ? 'TMUX= ' : ''}${program} ${words.map((word) => (/^[a-z-]+$/i.test(word) ? word : inQuotes(word))).join(' ')}`;
    const data = { name, socket: socketPath, target, command: [program, ...words], line };
    context.answerPlain('session-attach', data, line);
    return EXIT.done;
  }
  const { TMUX = '', TMUX_PANE = '' } = process.env;
  const env = { ...listedEnvironment('tmux client', process.env), ...(isInside && { TMUX, TMUX_PANE }) };
  const ended = lend(program, words, env);
  if (typeof ended !== 'number') {
    const text = `tmux could not be run: ${ended.message}; see \`town doctor\``;
    throw new Failure(EXIT.failed, 'no_tmux', text);
  }
  return ended === 0 ? EXIT.done : EXIT.failed;
}

export interface LogsOptions {
  readonly lines: number;
  /** Without what panes showed that were cleared before. */
  readonly since?: string;
  readonly follow?: boolean;
}

/** Of each session of the town, one below the other under its name. */
async function logsOfAll(context: Context, { lines: most, since }: LogsOptions): Promise<void> {
  const { found } = await readSessions(await context.disk());
  const tmux = await doorOf(context);
  const all = [];
  for (const name of found.map(({ value }) => value.spec.name).toSorted(natural)) {
    const { record, kept } = await begunOf(context, name);
    const life = record?.incarnation ?? null;
    const shown = life === null ? [] : await shownOf(context, tmux, life);
    all.push({ name, state: record?.state ?? null, lines: [...keptSince(kept, since), ...shown].slice(-most) });
  }
  const text = all.map(({ name, lines }) =>
    [`==> ${name}`, ...(lines.length === 0 ? ['(nothing yet)'] : lines)].join('\n'),
  );
  context.answerPlain('session-logs-all', all, text.length === 0 ? 'no sessions' : text.join('\n\n'));
}

/** Of one session, or of each. */
export async function logs(context: Context, name: string | undefined, options: LogsOptions): Promise<void> {
  if (name !== undefined) return logsOf(context, name, options);
  context.existing();
  if (options.follow !== true) return logsOfAll(context, options);
  throw new Failure(EXIT.usage, 'no_session', '-f follows one session; write: town session logs <name> -f');
}

function nothingText(name: string, record: SessionRecord | null): string {
  const { background } = record?.spec ?? {};
  return background === undefined
    ? `${name} showed nothing yet; what is kept of it goes into ${outputPath(name)}`
    : `${name} runs in the background of its program, which shows it: ${commandFor(background, 'logs').join(' ')}`;
}

/** The last lines; with `follow` it goes on, over restarts too, until the session has ended. */
async function logsOf(context: Context, typed: string, { lines: most, follow = false, since }: LogsOptions) {
  const word = await sessionNamed(context, typed);
  context.existing();
  const called = await keptLines(context, word);
  const name = called.length > 0 ? word : await sessionCalled(context, word);
  const { record: found, kept } = await begunOf(context, name);
  // Of one that was removed what was kept stays.
  const record = found ?? (kept.length > 0 ? null : await knownSession(context, name));
  const life = record?.incarnation ?? null;
  const tmux = await doorOf(context);
  const shown = life === null ? [] : await shownOf(context, tmux, life);
  const lines = [...keptSince(kept, since), ...shown].slice(-most);
  if (lines.length === 0 && !follow) note(nothingText(name, record));
  context.answerPlain('session-logs', { name, state: record?.state ?? null, lines }, lines.join('\n'));
  if (!follow || record === null) return;
  for await (const rows of newRows(context, tmux, name, { life, rows: shown, kept }))
    if (rows.length > 0) say(context.json ? envelope('session-logs', { name, lines: rows }) : rows.join('\n'));
}

/** Lines carry no time of their own: a pane that was cleared since then counts whole. Throws Failure (2). */
function keptSince(kept: readonly string[], since: string | undefined): readonly string[] {
  if (since === undefined) return kept;
  const from = Date.now() - readSince(since);
  const first = kept.findIndex((row) => (clearedAt(row) ?? 0) >= from);
  return first < 0 ? [] : kept.slice(first);
}

/** Its record, and what is kept of the lives before the one in it: where that changed meanwhile, more is. */
async function begunOf(context: Context, name: string) {
  const disk = await context.disk();
  for (let before = await readSession(disk, name); ;) {
    const kept = await keptLines(context, name);
    const record = await readSession(disk, name);
    if (record?.incarnation?.uuid === before?.incarnation?.uuid) return { record, kept };
    before = record;
  }
}
