/**
 * Lives of this root that stand in tmux without a record: the file was damaged or taken away while the agent runs, or a copy of the
 * root brought back the record of an earlier life.
 * 1. The life is the one that was recorded, not the present process of its pane. Its own mark identifies it, else the
 *    agent's environment (law 3). The scan finds the end of a dead one.
 * 2. Looks only.
 */
import { isSameProc, type LostLife, type SessionRecord } from '../../machines/protocol.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { LIFE, lifeIn, readLife, type Life } from './life-mark.ts';
import { runningProgram, type ProgramSource } from './program-file.ts';
import { isManagedName, readPanesIfAny, rootKey, serverOf, type PaneRow } from '../tmux/panes.ts';
import type { TmuxClient } from '../tmux/client.ts';

export interface LostDeps {
  readonly tmux: TmuxClient;
  readonly processes: Pick<ProcessTable, 'proc'> & ProgramSource;
  readonly root: string;
  readonly tokenFor: (text: string) => string;
}

/** `isWhole` false = how it was started is not known: its `spec` is never started again as it stands. */
export interface Found extends LostLife {
  readonly isWhole: boolean;
}

const MILLIS = 1_000;

/** Rejects when tmux or a process gave no answer. */
export async function findLost(deps: LostDeps, records: readonly SessionRecord[]): Promise<readonly Found[]> {
  const rows = (await readPanesIfAny(deps.tmux, { key: rootKey(deps.root) })) ?? [];
  const found: Found[] = [];
  for (const row of rows) {
    if (!row.ours || !row.agentPane || row.hidden || row.unfinished || records.some((one) => isIn(one, row))) continue;
    const one = await foundIn(deps, row);
    if (one === null || records.some((record) => isSame(record, one))) continue;
    const older = records.find(({ spec, incarnation }) => spec.name === one.spec.name && incarnation !== null);
    if (older === undefined) found.push(one);
    else if (isLater(deps, one, older)) found.push({ ...one, isLater: true });
  }
  return found;
}

/** Whether its life is in this pane. */
export const isIn = (
  { incarnation }: SessionRecord,
  { serverPid, paneId }: Pick<PaneRow, 'serverPid' | 'paneId'>,
): boolean => incarnation?.server.pid === serverPid && incarnation.paneId === paneId;

/** It is on record, or it is being started by that record. */
const isSame = ({ pending, incarnation: known }: SessionRecord, { incarnation: { uuid } }: Found): boolean =>
  known?.uuid === uuid || pending === uuid;

/** The record tells of an earlier life, which is over: it came back from a copy. Only the mark of this root proves that. */
function isLater({ processes }: LostDeps, one: Found, { incarnation, startedAt }: SessionRecord): boolean {
  if (!one.isWhole || incarnation === null) return false;
  const now = processes.proc(incarnation.agent.pid);
  const isOver = now === null || !isSameProc(now, incarnation.agent);
  // tmux tells whole seconds.
  return isOver && (startedAt === null || one.startedAt + MILLIS > startedAt);
}

async function foundIn(deps: LostDeps, row: PaneRow): Promise<Found | null> {
  const { tmux, tokenFor } = deps;
  const about = '#{session_created} #{?@town_kept,1,0} #{session_name}';
  const said = await tmux.call(['display-message', '-p', '-t', row.paneId, about]);
  const [, created, kept, name = ''] = /^(\d+) ([01]) (.*)$/.exec(said) ?? [];
  // A dead pane that was put aside is of a life that is over.
  if (created === undefined || kept === '1') return null;
  const marked = readLife(await optionOf(deps, row, LIFE), tokenFor);
  const life = marked === null ? await told(deps, row, name) : await inPlace(deps, row, marked);
  if (life === null) return null;
  const { spec, incarnation } = life;
  const program = runningProgram(deps.processes, incarnation.agent, spec.command.length > 0 ? spec : undefined);
  return {
    ...life,
    tokenHash: hashOf(tokenFor(incarnation.uuid)),
    startedAt: Number(created) * MILLIS,
    isWhole: marked !== null,
    ...(program !== null && { program }),
  };
}

const optionOf = ({ tmux }: LostDeps, { sessionId }: PaneRow, name: string): Promise<string> =>
  tmux.call(['show-options', '-q', '-v', '-t', sessionId, name]);

/** The mark counts where it was put: on this pane of this very server. */
async function inPlace({ tmux }: LostDeps, row: PaneRow, life: Life): Promise<Life | null> {
  const { server, sessionId, paneId } = life.incarnation;
  const isHere = isSameProc(await serverOf(tmux), server);
  return isHere && sessionId === row.sessionId && paneId === row.paneId ? life : null;
}

/** A life without a mark of its own, by what else the town gave it: the agent says in its environment which one it is. */
async function told(deps: LostDeps, row: PaneRow, name: string): Promise<Life | null> {
  const { tmux, processes, root } = deps;
  const agent = row.started && !row.dead && isManagedName(name) ? processes.proc(row.pid) : null;
  const uuid = agent && processes.variableOf(agent, 'TOWN_INCARNATION');
  if (agent === null || uuid === null || uuid !== (await optionOf(deps, row, '@town_incarnation'))) return null;
  const tags = (await optionOf(deps, row, '@town_tags')).split(',').filter((tag) => tag !== '');
  const dir = processes.cwdOf(agent) ?? root;
  return {
    spec: { name, command: [], dir, tags, restart: 'temporary', process: null },
    incarnation: await lifeIn(tmux, row, { uuid, session: name, agent, origin: 'started' }),
  };
}
