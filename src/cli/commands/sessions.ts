/**
 * `town session …`: what the town knows and what tmux shows, side by side. Whether an agent lives comes from its process
 * now, never from a record; where the two disagree, both are shown (C-14).
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Request, RestartPolicy, SessionRecord } from '../../../machines/protocol.ts';
import { createProcesses } from '../../proc/processes.ts';
import { mustBeOperator } from '../caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../failure.ts';
import { checkName, quoted } from '../names.ts';
import { note, table } from '../output.ts';
import { readSessions } from '../records.ts';
import { seeTmux, type Place, type Scene, type SessionSeen } from '../scene.ts';
import { fileWarrant } from './warrants.ts';

export interface SessionView {
  readonly name: string;
  /** foreign: in tmux, not ours, never touched. Else the record's state. */
  readonly state: string;
  /** From the agent's process now; null = it could not be told, or it is not ours. */
  readonly alive: boolean | null;
  readonly pid: number | null;
  readonly uuid: string | null;
  readonly tags: readonly string[];
  readonly restart: string | null;
  readonly restarts: number;
  readonly command: readonly string[];
  readonly dir: string | null;
  /** Is it in tmux? null = tmux gave no answer. */
  readonly in_tmux: boolean | null;
  readonly started_at: string | null;
  readonly note: string;
}

function isAlive(record: SessionRecord): boolean | null {
  if (record.incarnation === null) return false;
  try {
    return createProcesses().alive(record.incarnation.agent);
  } catch (error) {
    note(
      `${record.spec.name}: its process could not be looked at (${error instanceof Error ? error.message : String(error)})`,
    );
    return null;
  }
}

function disagreement(record: SessionRecord, alive: boolean | null): string {
  const believed = record.state === 'running' || record.state === 'observed';
  if (believed && alive === false) return 'its process is gone; the record has not caught up';
  if (!believed && record.state !== 'starting' && alive === true)
    return `its process lives, though the record says ${record.state}`;
  return '';
}

function viewOf(record: SessionRecord, scene: Scene): SessionView {
  const alive = isAlive(record);
  const { spec, incarnation } = record;
  return {
    name: spec.name,
    state: record.state,
    alive,
    pid: incarnation?.agent.pid ?? null,
    uuid: incarnation?.uuid ?? null,
    tags: spec.tags,
    restart: spec.restart,
    restarts: record.restarts,
    command: spec.command,
    dir: spec.dir,
    in_tmux: scene.fault === null ? scene.sessions.some(({ name }) => name === spec.name) : null,
    started_at: record.startedAt === null ? null : new Date(record.startedAt).toISOString(),
    note: [record.note, disagreement(record, alive)].filter((text) => text !== '' && text !== record.state).join('; '),
  };
}

function foreign({ name, panes }: SessionSeen): SessionView {
  return {
    name,
    state: 'foreign',
    alive: null,
    pid: panes[0]?.pid ?? null,
    uuid: null,
    tags: [],
    restart: null,
    restarts: 0,
    command: [],
    dir: null,
    in_tmux: true,
    started_at: null,
    note: 'not ours, never touched',
  };
}

export interface AllSessions {
  readonly sessions: readonly SessionView[];
  /** Why tmux could not be asked; null = it was. */
  readonly fault: string | null;
}

/** Every session the town knows and every one that tmux shows. `place` says where tmux is. */
export async function allSessions(
  context: Context,
  place: Place | Promise<Place> = context.settings(),
): Promise<AllSessions> {
  const [{ found, unreadable }, scene] = await Promise.all([readSessions(await context.disk()), seeTmux(await place)]);
  unreadable.forEach(note);
  const ours = new Set(found.map(({ value }) => value.spec.name));
  return {
    sessions: [
      ...found.map(({ value }) => viewOf(value, scene)),
      ...scene.sessions.filter(({ name }) => !ours.has(name)).map(foreign),
    ],
    fault: scene.fault,
  };
}

function alive(view: SessionView): string {
  if (view.state === 'foreign') return '-';
  return view.alive === null ? 'unknown' : view.alive ? 'yes' : 'no';
}

export function sessionTable(views: readonly SessionView[]): string {
  if (views.length === 0) return 'no sessions';
  const row = (v: SessionView): string[] => [
    v.name,
    v.state,
    alive(v),
    v.pid === null ? '-' : `${v.pid}`,
    `${v.restarts}`,
    v.note,
  ];
  return table(['NAME', 'STATE', 'ALIVE', 'PID', 'RESTARTS', 'NOTE'], views.map(row));
}

/** 3 when no town runs: what is shown is true, but nobody watches it. */
async function exitOf(context: Context): Promise<number> {
  const up = await context.askIfUp((town) => town.status());
  if (up === null) note('the town is not running; start it with `town up`');
  return up === null ? EXIT.notRunning : EXIT.done;
}

export async function list(context: Context): Promise<number> {
  const { sessions, fault } = await allSessions(context);
  if (fault !== null) note(`tmux could not be asked: ${fault}`);
  context.answer('sessions', sessions, () => sessionTable(sessions));
  return exitOf(context);
}

export async function status(context: Context, name: string): Promise<number> {
  const { sessions, fault } = await allSessions(context);
  const view = sessions.find((session) => session.name === name);
  if (fault !== null) note(`tmux could not be asked: ${fault}`);
  if (view === undefined) {
    throw new Failure(
      EXIT.usage,
      'unknown_session',
      `no session ${quoted(name)} was ever seen here; see \`town session list\``,
    );
  }
  context.answer('session', view, () =>
    Object.entries(view)
      .map(([key, value]) => `${key.padEnd(12)}${Array.isArray(value) ? value.join(' ') : String(value ?? '-')}`)
      .join('\n'),
  );
  return exitOf(context);
}

const RESTART: readonly string[] = ['permanent', 'transient', 'temporary'] satisfies RestartPolicy[];
const MOST_TAGS = 32;

function checkTags(tags: readonly string[]): readonly string[] {
  const bad = tags.find((tag) => !/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/.test(tag));
  if (bad === undefined && tags.length <= MOST_TAGS) return tags;
  const what = bad === undefined ? `${tags.length} tags are too many` : `${quoted(bad)} is no tag`;
  throw new Failure(
    EXIT.usage,
    'bad_tag',
    `${what}: at most ${MOST_TAGS}, of letters, digits, _ . : / and -; write --tag worker`,
  );
}

function checkDir(text: string): string {
  const dir = resolve(text);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir;
  throw new Failure(EXIT.usage, 'bad_dir', `--dir ${quoted(text)} is no folder; make it first, or give another`);
}

async function request(context: Context, wanted: Request): Promise<unknown> {
  const reply = await context.ask((town) => town.request(wanted));
  if (!reply.ok) throw new Failure(reply.exit, reply.code, reply.text);
  return reply.value;
}

export interface StartOptions {
  readonly dir?: string | undefined;
  readonly tag: readonly string[];
  readonly restart: string;
}

export async function start(
  context: Context,
  name: string,
  command: readonly string[],
  options: StartOptions,
): Promise<void> {
  checkName(name);
  if (command.length === 0 || command[0] === '') {
    throw new Failure(
      EXIT.usage,
      'no_command',
      `no command for ${name}; write it after --: town session start ${name} -- claude`,
    );
  }
  const restart = RESTART.find((policy): policy is RestartPolicy => policy === options.restart);
  if (restart === undefined) {
    throw new Failure(
      EXIT.usage,
      'bad_restart',
      `--restart ${quoted(options.restart)} is unknown; write ${RESTART.join(', ')} (default transient)`,
    );
  }
  const dir = checkDir(options.dir ?? '.');
  const spec = { name, command, dir, tags: checkTags(options.tag), restart, process: null };
  const value = await request(context, { verb: 'startSession', spec });
  context.answer('session-started', value ?? { name }, `${name} is started`);
}

export interface AdoptOptions {
  readonly process?: string | undefined;
  readonly tag: readonly string[];
}

export async function adopt(context: Context, name: string, options: AdoptOptions): Promise<void> {
  checkName(name);
  await mustBeOperator(context, 'adopting a session');
  const wanted = {
    verb: 'adoptSession',
    name,
    process: options.process ?? null,
    tags: checkTags(options.tag),
  } as const;
  const value = await request(context, wanted);
  context.answer('session-adopted', value ?? { name }, `${name} is adopted: watched from now on, never restarted`);
}

export interface KillOptions {
  readonly force?: boolean;
  readonly reason?: string;
}

/** Files a warrant: plain, the session gets its hearing; with --force it gets none, but its work is saved first (law 4). */
export async function kill(context: Context, name: string, { force = false, reason }: KillOptions): Promise<void> {
  await mustBeOperator(context, force ? 'session kill --force' : 'session kill');
  await fileWarrant(context, name, {
    reason: reason ?? `killed by the operator${force ? ', without a hearing' : ''}`,
    force,
  });
}
