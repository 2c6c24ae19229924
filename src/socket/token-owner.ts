/** Whose a token is, by the records of this root: a living session's, a run of triage's, or the town's own patrols'. */
import { randomBytes } from 'node:crypto';
import type { SessionRecord } from '../../machines/protocol.ts';
import { PATROLS } from '../../machines/protocol/hearings.ts';
import type { Disk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { ownerOf } from '../../state/sessions/tokens.ts';
import { isTokenOf, readRun } from '../../state/triage/run.ts';
import { readSessions } from '../overview/records.ts';
import { TRIAGE, type Caller } from './permission.ts';

/** The token by which this process knows its own patrols. Each process makes a new one and shares it with no other. */
export const PATROL_TOKEN = randomBytes(32).toString('hex');

/** The living session that has this token; null = none has. */
export function agentOf(token: string, sessions: readonly SessionRecord[]): Caller | null {
  const living = sessions.filter(({ state }) => state !== 'ended');
  const owner = ownerOf(token, living);
  if (!owner?.incarnation) return null;
  return { is: 'agent', session: owner.spec.name, uuid: owner.incarnation.uuid, spec: owner.spec };
}

/** As `agentOf`, from the records on this disk. Rejects when they cannot be listed. */
async function agentOn(disk: Disk, token: string): Promise<Caller | null> {
  const sessions = (await readSessions(disk)).found.map(({ value }) => value);
  return agentOf(token, sessions) ?? roleOn(disk, token);
}

/** As the running town itself asks: its own patrols too. */
export const callerOn = async (disk: Disk, token: string): Promise<Caller | null> =>
  token === PATROL_TOKEN ? { is: 'operator', name: PATROLS } : agentOn(disk, token);

/** The run of triage that has this token now. */
async function roleOn(disk: Disk, token: string): Promise<Caller | null> {
  const run = await readRun(disk, STATE.maxRecordBytes);
  if (run === null || !isTokenOf(run, token, Date.now())) return null;
  const spec = { name: TRIAGE, command: [TRIAGE], dir: '/', tags: [], restart: 'temporary', process: null } as const;
  return { is: 'agent', session: TRIAGE, uuid: run.id, spec, nudges: run.agents };
}
