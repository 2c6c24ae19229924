/**
 * `town session …`: what the town knows and what tmux shows, side by side. Whether an agent lives comes from its process
 * now, never from a record; where the two disagree, both are shown (C-14).
 */
import { resolve } from 'node:path';
import { REQUESTS } from '../../../machines/protocol/requests.ts';
import type { RestartPolicy, SessionSpec } from '../../../machines/protocol.ts';
import { unfitFolder } from '../../proc/start-folder.ts';
import { readSessions } from '../../overview/records.ts';
import type { SessionView } from '../../overview/sessions.ts';
import { presetCommand, presetsText } from '../../config/presets.ts';
import { rulesOf, startDenied, type Caller } from '../../socket/permission.ts';
import { missingIn } from '../../overview/program.ts';
import { mustBeOperator, unlessDenied, whoCalls } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { sessionMeant, sessionNamed } from '../naming/agents.ts';
import { checkVariables, keepValues } from '../naming/environment.ts';
import { checkName, checkOurs, isName, quoteName } from '../naming/names.ts';
import { glance, type Glance } from '../asking/glance.ts';
import { note } from '../../terminal/print.ts';
import { earlyEnd, earlyEndText, mustLive } from '../asking/start-look.ts';
import { find, SESSION, sessionsNamed } from '../naming/resolve.ts';
import { sessionLines, sessionTable, unlookedText } from '../session-table.ts';
import { fileWarrant } from './warrants.ts';

/** 3 when no town runs: the output is true, but no town watches the sessions. */
async function exitOf(context: Context, { town }: Glance): Promise<number> {
  if (town !== null) return EXIT.done;
  note(await (await import('../asking/silence.ts')).whyNobody(context));
  return EXIT.notRunning;
}

async function look(context: Context): Promise<Glance> {
  const seen = await glance(context);
  if (seen.overview.tmux_fault !== null) note(`tmux could not be asked: ${seen.overview.tmux_fault}`);
  return seen;
}

/** The look already reported why they are unknown. */
function known({ overview: { sessions } }: Glance): readonly SessionView[] {
  if (sessions !== null) return sessions;
  const text = 'the sessions cannot be read; `tmux ls` shows what runs in tmux';
  throw new Failure(EXIT.failed, 'unreadable', text);
}

export async function list(context: Context): Promise<number> {
  const seen = await look(context);
  const sessions = known(seen);
  context.answer('sessions', sessions, () =>
    [sessionTable(sessions), unlookedText(sessions)].filter((text) => text !== '').join('\n'),
  );
  return exitOf(context, seen);
}

export const status = (context: Context, name: string): Promise<number> => statusWith(context, name, () => ({}));

/** `more`: what programs get of it besides. */
export async function statusWith(context: Context, name: string, more: (view: SessionView) => object): Promise<number> {
  const seen = await look(context);
  const sessions = known(seen);
  const meant = find(await sessionMeant(context, name), sessionsNamed(sessions.map((one) => one.name)), SESSION);
  const view = sessions.find((session) => session.name === meant);
  if (view === undefined) {
    const text = `no session ${quoteName(name)} was ever seen here; see \`town session list\``;
    throw new Failure(EXIT.usage, 'unknown_session', text);
  }
  context.answer('session', { ...view, ...more(view) }, () => sessionLines(view));
  return exitOf(context, seen);
}

const RESTART: readonly RestartPolicy[] = ['permanent', 'transient', 'temporary'];
const MAX_TAGS = 32;

function checkTags(tags: readonly string[]): readonly string[] {
  const bad = tags.find((tag) => !/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$/.test(tag));
  if (bad === undefined && tags.length <= MAX_TAGS) return tags;
  const what = bad === undefined ? `${tags.length} tags are too many` : `${quoteName(bad)} is no tag`;
  const text = `${what}: at most ${MAX_TAGS}, of letters, digits, _ . : / and -; write --tag worker`;
  throw new Failure(EXIT.usage, 'bad_tag', text);
}

function checkDir(text: string): string {
  const dir = resolve(text);
  const why = unfitFolder(dir);
  if (why === null) return dir;
  throw new Failure(EXIT.usage, 'bad_dir', `--dir ${quoteName(text)} ${why}; make it first, or give another`);
}

/** A mistake in the name of the program changes nothing on record. The town looks too, where only it can tell. */
async function checkProgram(context: Context, { name, command: [program = ''], dir }: SessionSpec): Promise<void> {
  const [settings, disk] = [await context.settings(), await context.disk()];
  const why = await missingIn(settings, disk, { program, dir });
  if (why === null) return;
  // `start -- sleep 60` has no name, and calls the session by its program.
  const isNameless = (await missingIn(settings, disk, { program: name, dir })) === null;
  const next = `the session's own name goes first: town session start <name> -- ${name} ${program}`;
  throw new Failure(EXIT.usage, 'no_program', isNameless ? `${why}; if ${name} is the program, ${next}` : why);
}

export interface StartOptions {
  readonly dir?: string | undefined;
  readonly tag: readonly string[];
  /** Names of variables. */
  readonly env: readonly string[];
  readonly restart?: string | undefined;
  readonly preset?: string | undefined;
  readonly wait: boolean;
}

function restartOf(text: string): RestartPolicy {
  const restart = RESTART.find((policy) => policy === text);
  if (restart !== undefined) return restart;
  const why = `--restart ${quoteName(text)} is unknown; write ${RESTART.join(', ')} (default transient)`;
  throw new Failure(EXIT.usage, 'bad_restart', why);
}

/** As town.toml has it, else as it was started before; what the town never started itself has no command. */
async function knownSpec(context: Context, name: string, caller: Caller): Promise<SessionSpec> {
  const { configuredSessions } = await import('../../monitor/session.ts'); // Only a start without a command asks.
  const { found } = await readSessions(await context.disk());
  // An agent may only have its session go on as it is.
  const configured = caller.is === 'operator' ? configuredSessions(await context.settings()) : [];
  const specs = [...configured, ...found.map(({ value }) => value.spec)];
  const spec = specs.find((one) => one.name === name && one.command.length > 0);
  if (spec !== undefined) return spec;
  await checkOurs(context, name);
  const text = `no command for ${name}; write it after --: town session start ${name} -- claude`;
  throw new Failure(EXIT.usage, 'no_command', text);
}

/** What is to be started: as it is written here, or as it is known with what is written here in its place. */
async function specOf(
  context: Context,
  { name, caller }: { readonly name: string; readonly caller: Caller },
  command: readonly string[],
  { dir, tag, restart, env }: Omit<StartOptions, 'preset' | 'wait'>,
): Promise<SessionSpec> {
  const isNew = command.length > 0;
  const given = {
    ...((dir !== undefined || isNew) && { dir: checkDir(dir ?? '.') }),
    ...((tag.length > 0 || isNew) && { tags: checkTags(tag) }),
    ...(env.length > 0 && { env: checkVariables(env) }),
    ...((restart !== undefined || isNew) && { restart: restartOf(restart ?? 'transient') }),
  };
  if (!isNew || command[0] === '') return { ...(await knownSpec(context, name, caller)), ...given };
  return { name, command, dir: '', tags: [], restart: 'transient', process: null, ...given };
}

/** The words of a preset with those behind it, such as a first prompt. Throws Failure (2). */
async function withPreset(
  context: Context,
  preset: string | undefined,
  more: readonly string[],
): Promise<readonly string[]> {
  if (preset === undefined) return more;
  const settings = await context.settings();
  const words = presetCommand(settings, preset);
  if (words !== null) return [...words, ...more];
  const known = presetsText(settings);
  const there = known === '' ? 'town.toml has none' : `known are ${known}`;
  const text = `there is no preset ${quoteName(preset)}: ${there}; write [presets.NAME] into town.toml`;
  throw new Failure(EXIT.usage, 'unknown_preset', text);
}

const isAsBefore = ({ dir, tag, env, restart }: StartOptions): boolean =>
  dir === undefined && tag.length === 0 && env.length === 0 && restart === undefined;

export async function start(
  context: Context,
  called: string,
  given: readonly string[],
  options: StartOptions,
): Promise<void> {
  // One that is there is started again by any of its names.
  const name = given.length === 0 ? await sessionNamed(context, called) : checkName(called);
  const command = await withPreset(context, options.preset, given);
  const { wait } = options;
  const asItWas = command.length === 0 && isAsBefore(options);
  const caller = await whoCalls(context);
  if (caller.is === 'agent') unlessDenied(startDenied(caller, name, asItWas, rulesOf(await context.settings())));
  const spec = await specOf(context, { name, caller }, command, options);
  await checkProgram(context, spec);
  const unset = caller.is === 'operator' ? await keepValues(context, spec, 'then type this again') : null;
  if (unset !== null) throw new Failure(EXIT.usage, 'no_variable', unset);
  const value = (await context.request({ verb: 'startSession', spec })) as Started | null;
  const { uuid = null, reset = false } = value ?? {};
  const end = !wait || uuid === null || reset ? null : mustLive(await earlyEnd(context, name, uuid));
  const data = { ...(value ?? { name }), ended: end };
  context.answer('session-started', data, end === null ? startedText(name, value) : earlyEndText(end));
}

/** What the town says of a start. */
interface Started {
  readonly state?: string;
  readonly uuid?: string | null;
  readonly reset?: boolean;
}

/** One that keeps dying may run when it is started by hand: then it is not started, but counted anew. */
function startedText(name: string, value: Started | null): string {
  const { reset = false, state = '' } = value ?? {};
  if (!reset) return `${name} is started`;
  return `${name} is ${state} already and was left as it is; its crash loop is over and its restarts are counted anew`;
}

export interface AdoptOptions {
  readonly process?: string | undefined;
  /** The town's name for it. */
  readonly as?: string | undefined;
  readonly tag: readonly string[];
}

/** An agent that its program runs without a pane: its id is no name of a session. */
function inBackground(place: string, as: string | undefined): { readonly name: string; readonly place: string } {
  if (as !== undefined) return { name: checkName(as), place };
  throw new Failure(EXIT.usage, 'bad_name', `give it a name: town session adopt ${place} --as <name>`);
}

/** Where the session stands by tmux's own id, and the town's name for it; without an id it has the same name in tmux. */
async function adoptee(
  context: Context,
  called: string,
  as: string | undefined,
): Promise<{ readonly name: string; readonly place?: string }> {
  if (/^claude:/.test(called)) return inBackground(called, as);
  const isId = /^[$%]\d+$/.test(called);
  if (as === undefined && !isId && isName(called)) return { name: called };
  const { seeTmux } = await import('../../overview/scene.ts');
  const { sessions, fault } = await seeTmux(await context.settings(), await context.disk());
  if (as === undefined && !isId && !sessions.some(({ name }) => name === called)) return { name: checkName(called) };
  if (fault !== null && !isId)
    throw new Failure(EXIT.failed, 'unreadable', `tmux could not be asked: ${fault}; see \`town doctor\``);
  const place = isId ? called : sessions.find(({ name }) => name === called)?.sessionId;
  if (place === undefined) {
    const text = `tmux has no session ${quoteName(called)}; see: town session list`;
    throw new Failure(EXIT.usage, 'unknown_session', text);
  }
  if (as !== undefined) return { name: checkName(as), place };
  const text = `${quoteName(called)} is no session name: letters, digits, _ and -, at most 64; give it one: town session adopt '${place}' --as <name>`;
  throw new Failure(EXIT.usage, 'bad_name', text);
}

export async function adopt(context: Context, called: string, options: AdoptOptions): Promise<void> {
  await mustBeOperator(context, REQUESTS.adoptSession.operator);
  const { name, ...where } = await adoptee(context, called, options.as);
  const wanted = {
    verb: 'adoptSession',
    name,
    ...where,
    process: options.process ?? null,
    tags: checkTags(options.tag),
  } as const;
  const value = await context.request(wanted);
  context.answer('session-adopted', value ?? { name }, adoptedText(name, value));
}

function adoptedText(name: string, value: unknown): string {
  const { already = false, state = '' } = (value ?? {}) as { already?: boolean; state?: string };
  if (!already) return `${name} is adopted: watched from now on, never restarted`;
  return `${name} is a session of this town already (${state}) and was left as it is`;
}

export interface KillOptions {
  readonly force?: boolean;
  readonly reason?: string;
}

/** Files a warrant: plain, the session gets its hearing; with --force it gets none, but its work is saved first (law 4). */
export async function kill(context: Context, name: string, { force = false, reason }: KillOptions): Promise<void> {
  await mustBeOperator(context, force ? 'session kill --force' : 'session kill');
  const usual = force ? 'the operator ends it without a hearing' : 'the operator asks for a hearing';
  await fileWarrant(context, name, { reason: reason ?? usual, force });
}
