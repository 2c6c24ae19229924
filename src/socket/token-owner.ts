/** Whose a token is, by the records of this root: a living session's, or a run of triage's. */
import type { SessionRecord } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import { ownerOf } from '../../state/sessions/tokens.ts';
import { isTokenOf, readRun } from '../../state/triage/run.ts';
import { readSessions } from '../overview/records.ts';
import { TRIAGE, type Caller } from './permission.ts';

/** The living session that has this token; null = none has. */
export function agentOf(token: string, sessions: readonly SessionRecord[]): Caller | null {
  const living = sessions.filter(({ state }) => state !== 'ended');
  const owner = ownerOf(token, living);
  if (!owner?.incarnation) return null;
  return { is: 'agent', session: owner.spec.name, uuid: owner.incarnation.uuid, spec: owner.spec };
}

/** As `agentOf`, from the records on this disk. Rejects when they cannot be listed. */
export async function callerOn(disk: Disk, token: string): Promise<Caller | null> {
  const sessions = (await readSessions(disk)).found.map(({ value }) => value);
  return agentOf(token, sessions) ?? roleOn(disk, token);
}

/** The run of triage that has this token now. */
async function roleOn(disk: Disk, token: string): Promise<Caller | null> {
  const run = await readRun(disk);
  if (run === null || !isTokenOf(run, token, Date.now())) return null;
  const spec = { name: TRIAGE, command: [TRIAGE], dir: '/', tags: [], restart: 'temporary', process: null } as const;
  return { is: 'agent', session: TRIAGE, uuid: run.id, spec, nudges: run.agents };
}
