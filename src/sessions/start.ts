/**
 * The order `startSession`: a command becomes a pane's own process in a session that carries our marks.
 * 1. Marks, options and the death hook are set on ids before the command runs, so no configuration of the user's gets
 *    between.
 * 2. The same order again (same uuid) finds its session before anything else is looked at, and starts nothing; an
 *    interrupted one is removed and done anew.
 * 3. A name is cleared only of a dead life of this root, never of a process, and only once what its pane shows is
 *    saved. If that fails the pane stays aside under another name, so that nothing is lost and the agent can start (law
 *    4). While a person is at its keys the start waits (law 6).
 * 4. `tokenFor` gives the same token for the same uuid, or a repeated order could not tell the running agent's.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Packs } from '../screen/packs.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { OutcomeBody, Proc, ProgramFile, SessionSpec } from '../../machines/protocol.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { missingProgram } from '../proc/find-program.ts';
import { raiseOomScore } from '../proc/out-of-memory.ts';
import type { OrderOf, Perform, Processes } from '../ports/ports.ts';
import { marksOf, taskOf } from './agent-marks.ts';
import { keepAside, type AsideDeps } from './aside.ts';
import { removePane } from './clear.ts';
import { lend, namedValues, pathOf, takingBack, TOKEN, type EnvironmentOf } from './environment.ts';
import { deadIn, notStarted, obstacleTo, type HeldBack, type NotStarted } from './obstacle.ts';
import { programFile, runningProgram, type ProgramSource } from './program-file.ts';
import { isFault } from '../tmux/errors.ts';
import { openPlaceholder } from './placeholder.ts';
import { speakingIn, type Speaking } from './conversation.ts';
import { changeAll } from '../tmux/batch.ts';
import { heeding } from '../tmux/abortable.ts';
import { environmentBelow, unfitIn, withheldIn } from '../proc/environment.ts';
import { formatText, quote } from '../tmux/quoting.ts';
import { keepLife, lifeIn } from './life-mark.ts';
import type { Claim } from '../tmux/owner.ts';
import { isManagedName, readPanes, readPanesIfAny, rootKey, serverOf } from '../tmux/panes.ts';
import type { PaneRow } from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

/** The `root` of its owner is absolute. */
export interface StartDeps extends AsideDeps {
  readonly processes: Pick<Processes, 'alive' | 'proc'> & ProgramSource;
  readonly claim: () => Promise<Claim>;
  /** TOWN_TOKEN of a life: unguessable, and always the same for the same uuid. */
  readonly tokenFor: (uuid: string) => string;
  readonly environmentOf: EnvironmentOf;
  readonly heldBack: HeldBack;
  readonly packs: Pick<Packs, 'kindOf' | 'named'>;
  /** The file with hooks that a program may be started with; null = there is none. */
  readonly hooksFile: string | null;
  readonly policy: Pick<
    HandsPolicy,
    'columns' | 'rows' | 'tmuxAnswerMs' | 'maxKeptAside' | 'personWithinMs' | 'minFreeMemoryBytes'
  >;
}

type Order = OrderOf<'startSession'>;
type Started = Extract<OutcomeBody, { type: 'SESSION_STARTED' }> | NotStarted;

/** Start time of an agent that ended before it could be read: equal to no other. */
const ENDED = 'ended';

/**
 * Rejects (the order is repeated later) when tmux or a process gave no answer. Given up, it does nothing more: what it made by
 * then is found or removed by its repetition.
 */
export function startSession(shared: StartDeps): Perform<OrderOf<'startSession'>> {
  return async (order, signal): Promise<Started> => {
    const deps = { ...shared, tmux: heeding(shared.tmux, signal) };
    const wrong = mistakeIn(order.spec, deps.owner.root);
    if (wrong !== null) return notStarted(wrong);
    if (order.previous !== null) deps.tmux.expect(order.previous.server);
    const rows = (await readPanesIfAny(deps.tmux, wanted(deps, order))) ?? [];
    const refused = rows.length > 0 ? refusal(await deps.claim()) : null;
    const done = await finished(deps, order, rows);
    if (done !== null) return done;
    if (refused !== null) return notStarted(refused);
    await removeHalves(deps, rows);
    return (await obstacleTo(deps, order, rows)) ?? startAnew(deps, order, deadIn(rows));
  };
}

function refusal(claim: Claim): string | null {
  if (claim.kind === 'owned') return null;
  return claim.kind === 'refused' ? claim.why : 'the tmux server ended meanwhile';
}

function wanted({ owner }: StartDeps, { spec, uuid }: Order): { name: string; uuid: string; key: string } {
  return { name: spec.name, uuid, key: rootKey(owner.root) };
}

/** Why nothing can ever be started so, as a sentence; null = it can. */
export function mistakeIn({ name, command }: SessionSpec, root: string): string | null {
  if (!isManagedName(name))
    return `the name ${JSON.stringify(name)} cannot be managed; use 1 to 64 letters, digits, - and _, first a letter or digit`;
  const [program = ''] = command;
  if (program === '') return 'there is no command to run; give one after --';
  if (program.includes('='))
    return `the command ${JSON.stringify(program)} has a "=" in its name; start it by a script`;
  if (command.some((word) => word.includes('\0'))) return 'the command holds a NUL character; leave it out';
  if (/[\0-\x1f\x7f]/.test(root)) return `the town's root ${JSON.stringify(root)} holds control characters; move it`;
  return null;
}

/**
 * The result that this very order brought about before, if any: it counts even if an obstacle stands in its way now.
 */
async function finished(deps: StartDeps, order: Order, rows: readonly PaneRow[]): Promise<Started | null> {
  const mine = rows.filter((row) => row.ours && row.incarnate);
  const row = mine.find(({ started, agentPane }) => started && agentPane);
  if (row !== undefined) {
    // The start that was interrupted may have left them with the session.
    const said = await speakingOf(deps, order, await environmentShown(deps, row));
    await changeAll(deps.tmux, [takingBack(row.sessionId, order.spec, said.lent)]);
    return started(deps, order, row, { said, programOf: (agent) => runningProgram(deps.processes, agent, order.spec) });
  }
  if (mine.some((one) => one.started)) return notStarted('its agent’s pane was closed right after the start');
  return null;
}

/** As tmux says it of the server and of this session. */
async function environmentShown({ tmux }: StartDeps, { sessionId }: PaneRow): Promise<string> {
  const shown = await tmux.call(['show-environment', '-g']);
  return `${shown}\n${await tmux.call(['show-environment', '-t', sessionId])}`;
}

/** null = there is none; undefined = it cannot be read now, so that nothing is known of it. */
const withoutTask = (error: unknown): null | undefined =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' ? null : undefined;

/** The same for the same order, until its program has changed what it keeps. */
async function speakingOf(deps: StartDeps, order: Order, shown: string): Promise<Speaking> {
  const values = namedValues(order.spec, await deps.environmentOf(order.spec.name));
  // Not the token of that life: its program would give it to all that asks there.
  const password = deps.tokenFor(`${order.uuid}/serve`);
  const environment = { ...environmentBelow(shown), ...values };
  const file = taskOf(order.spec);
  const task = file === null ? null : await readFile(join(deps.owner.root, file), 'utf8').catch(withoutTask);
  return speakingIn(deps.packs, order, { environment, password, hooksFile: deps.hooksFile, task });
}

/** What an interruption left of this very order. */
async function removeHalves({ tmux }: StartDeps, rows: readonly PaneRow[]): Promise<void> {
  const halves = rows.filter((row) => (row.ours && row.incarnate) || row.placeholder).map(({ sessionId }) => sessionId);
  for (const sessionId of new Set(halves)) await tmux.sequence([['kill-session', '-t', sessionId]]);
}

async function started(
  deps: StartDeps,
  { spec, uuid }: Order,
  row: PaneRow,
  { said, programOf }: { readonly said: Speaking; readonly programOf: (agent: Proc) => ProgramFile | null },
): Promise<Started> {
  // Once tmux has reaped the agent, its pid may be another's.
  const agent = row.dead || row.exit !== null ? null : deps.processes.proc(row.pid);
  if (agent !== null) raiseOomScore(agent.pid);
  const who = {
    uuid,
    session: spec.name,
    agent: agent ?? { pid: row.pid, started: ENDED },
    origin: 'started',
  } as const;
  const incarnation = await lifeIn(deps.tmux, row, who);
  await keepLife(deps.tmux, deps.tokenFor, { spec, incarnation });
  const tokenHash = hashOf(deps.tokenFor(uuid));
  const program = programOf(incarnation.agent);
  return {
    type: 'SESSION_STARTED',
    incarnation,
    tokenHash,
    ...(program !== null && { program }),
    ...(said.spoken !== undefined && { conversation: said.spoken }),
    ...(said.forgets !== undefined && { forgets: said.forgets }),
    ...(said.prompt !== undefined && { prompt: said.prompt }),
  };
}

async function startAnew(deps: StartDeps, order: Order, dead: PaneRow | null): Promise<Started> {
  const { tmux } = deps;
  // The client stays, so no end of one makes tmux look for sessions without a client before ours is exempt from that.
  await tmux.connect({ start: true });
  const row = await openPlaceholder(deps, order);
  if (typeof row === 'string') return notStarted(`tmux made no session: ${row}`);
  const shown = await tmux.call(['show-environment', '-g']);
  const own = await tmux.call(['show-environment', '-t', row.sessionId]);
  const unfit = unfitIn(shown);
  const { command, dir, name } = order.spec;
  const values = namedValues(order.spec, await deps.environmentOf(name));
  // A PATH that is given anew (begin) outranks that of the session.
  const path = pathOf(values, unfit.path === null ? `${shown}\n${own}` : shown);
  const missing = missingProgram(command[0] ?? '', dir, path);
  if (missing !== null) {
    // A PATH of the session alone is seen only here, so that no scan sees that program come.
    const isSeen = missingProgram(command[0] ?? '', dir, pathOf(values, shown)) !== null;
    return { ...(await giveUp(tmux, row, missing)), missing: true, waits: isSeen };
  }
  const program = programFile(order.spec, path);
  const why = (await misfit(deps, row)) ?? (dead === null ? null : await clearDead(deps, name, dead));
  if (why !== null) return giveUp(tmux, row, why);
  const asServer = withheldIn(own).map((name) => ['set-environment', '-u', '-t', row.sessionId, name]);
  const said = await speakingOf(deps, order, `${shown}\n${own}`);
  await lend(tmux, row.sessionId, { ...values, ...said.secrets, [TOKEN]: deps.tokenFor(order.uuid) });
  const after = takingBack(row.sessionId, order.spec, said.lent);
  const spoken = { ...order, spec: { ...order.spec, command: said.command } };
  const done = await tmux.sequence([...asServer, ...begin(deps, spoken, row, unfit), ...after]);
  // A hook of the user's may have ended the sequence before its end.
  if (done.refused !== null) await changeAll(tmux, [after]);
  const rows = await readPanes(tmux, wanted(deps, order));
  const now = rows.find(({ paneId }) => paneId === row.paneId);
  const complaint = done.refused ?? 'it said nothing';
  if (now === undefined) return notStarted(`the session was gone at once; tmux: ${complaint}`);
  if (now.started && now.named) return started(deps, order, now, { said, programOf: () => program });
  const isTaken = rows.some(({ named }) => named);
  return giveUp(tmux, row, `${isTaken ? 'the name was taken meanwhile; ' : ''}tmux: ${complaint}`, isTaken);
}

/** Only what this start has made goes with it. */
async function giveUp(tmux: TmuxClient, { sessionId }: PaneRow, why: string, taken = false): Promise<NotStarted> {
  try {
    await tmux.sequence([['kill-session', '-t', sessionId]]);
  } catch (error) {
    if (!isFault(error, 'none')) throw error; // The server ended by itself: nothing is left either.
  }
  return notStarted(why, taken);
}

/** Why no agent may run on this server. */
async function misfit(deps: StartDeps, row: PaneRow): Promise<string | null> {
  if (row.exitUnattached)
    return 'the tmux server has "set -s exit-unattached on" and would end with its last client; take the line out of tmux.conf';
  return refusal(await deps.claim());
}

/**
 * After the new session is there, so that the server does not end with its last one. What a person uses too, by a pane beside it or from
 * another session, goes on under another name.
 */
async function clearDead(deps: StartDeps, name: string, dead: PaneRow): Promise<string | null> {
  const { tmux, owner } = deps;
  const unsaved = await deps.keep(name, { server: await serverOf(tmux), paneId: dead.paneId });
  const panes = await tmux.query(['list-panes', '-s', '-t', dead.sessionId, '-F', '#{pane_id}']);
  if (unsaved !== null || dead.shared || panes.length > 1) return keepAside(deps, name, dead);
  const left = await removePane(tmux, owner, dead);
  return left === null ? null : `its dead pane could not be cleared: ${left}`;
}

/** Everything by id: a hook of the user's may have renamed what was just made. */
function begin(
  { owner, tokenFor }: StartDeps,
  { spec, uuid }: Order,
  row: PaneRow,
  { drop, path }: ReturnType<typeof unfitIn>,
): string[][] {
  const { env: named = [] } = spec;
  const option = (name: string, value: string): string[] => ['set-option', '-t', row.sessionId, name, value];
  const variables = {
    ...marksOf(owner.root, spec, { uuid, token: tokenFor(uuid) }),
    ...(path !== null && !named.includes('PATH') && { PATH: path }),
  };
  const unset = drop.filter((name) => !(name in variables) && !named.includes(name)).flatMap((name) => ['-u', name]);
  // Through env, so that one word alone is not handed to a shell.
  const run = ['env', ...unset, '--', ...spec.command];
  // The token is lent to the session: what stands here can be read by every user of the machine.
  const shown = Object.entries(variables).filter(([name]) => name !== TOKEN);
  const environment = shown.flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return [
    option('@town_key', rootKey(owner.root)),
    option('@town_root', owner.root),
    option('@town_incarnation', uuid),
    option('@town_tags', spec.tags.join(',')),
    option('@town_pane', row.paneId),
    option('@town_started', '0'),
    // On the pane, not on the window: a person's split keeps the person's own ways.
    ['set-option', '-p', '-t', row.paneId, 'remain-on-exit', 'on'],
    ['set-hook', '-p', '-t', row.paneId, 'pane-died', deathHook(owner.root)],
    ['rename-session', '-t', row.sessionId, '--', spec.name],
    ['respawn-pane', '-k', '-t', row.paneId, '-c', formatText(spec.dir), ...environment, '--', ...run],
    option('@town_started', '1'),
  ];
}

/**
 * A line per death; see deaths.ts. It works while the town is down, and reports within milliseconds. The umask is a
 * person's: the file is 0600.
 */
export function deathHook(root: string): string {
  const line = '"#{pid} #{hook_pane} s#{pane_dead_status} g#{pane_dead_signal}"';
  return `run-shell -b ${quote(`umask 077 && echo ${line} >> ${formatText(quote(join(root, 'daemon', 'deaths.log')))}`)}`;
}
