/**
 * A patrol that an agent does in a session, looked after from outside: its session is started and woken, and where no cycle came for
 * long the patrol is done here, once, and told. What was done is noted, so that a restart does it no second time.
 */
import { sessionOf } from '../../../machines/rigs/names.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { Deed, Patrolled } from '../../../machines/protocol/patrols.ts';
import type { Ms, SessionSpec } from '../../../machines/protocol.ts';
import { isEndedByTown } from '../../../machines/sessions/state.ts';
import { agentPatrolActs, type AgentPatrolAct, type AgentPatrolSeen } from '../../../machines/witness/session.ts';
import type { RoundsPolicy } from '../../../machines/patrols/policy.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Settings } from '../../config/settings.ts';
import type { TownClient, Standing } from '../../rigs/sessions.ts';
import { readSession } from '../../overview/records.ts';
import { answerIn } from '../../terminal/failure.ts';
import { attempt } from '../memory/outcome.ts';
import { ifUnread, type RecordUnread } from '../../../state/files/strict-read.ts';
import { keepNote, noteOf, type Noted } from '../../../state/patrols/notes.ts';
import { patrolOf } from '../memory/evidence.ts';
import { witnessPrompt, writePrompt } from './prompt.ts';
import { age, latest, order } from '../../ports/age.ts';

/** The session that patrols a rig; null = the town does it itself. */
export function witnessSession(
  { patrols: { witness }, rigs }: Pick<Settings, 'patrols' | 'rigs'>,
  { name: rig, repo: dir }: Pick<RigRecord, 'name' | 'repo'>,
): SessionSpec | null {
  const table = Object.hasOwn(rigs, rig) ? rigs[rig] : undefined;
  const command = table?.witness ?? witness.command;
  if (witness.mode === 'actor' || command === null) return null;
  const how = { tags: ['witness', `rig:${rig}`], restart: 'permanent', process: null } as const;
  return { name: sessionOf({ rig, name: 'witness' }), command, dir, ...how };
}

export interface AgentPatrol {
  /** A rig, or `deacon`. */
  readonly of: string;
  readonly spec: SessionSpec;
  readonly disk: Disk;
  readonly client: TownClient;
  readonly standing: Standing;
  readonly now: number;
  readonly policy: Pick<RoundsPolicy, 'standInMs'> & { readonly idleMs: Ms };
  /** When the last cycle ended, by an agent's request or by hand (wall ms); null = there was none. */
  readonly lastAt: number | null;
}

/** What one look after an agent led to. `standsIn`: the town does a cycle now, since its agent did none for long. */
export interface Watched {
  readonly found: Patrolled;
  readonly standsIn: boolean;
}

/** One look after the agent that patrols. Where its notes do not count the town patrols in its place, and says so. */
export const watchAgent = (patrol: AgentPatrol): Promise<Watched> =>
  ifUnread(watchKnown(patrol), (unread) => unknownWatch(patrol, unread));

const NOTHING: Pick<Patrolled, 'stranded' | 'isActive' | 'isPaused' | 'isWatch'> = {
  stranded: [],
  isActive: true,
  isPaused: false,
  isWatch: true,
};

const unknownWatch = ({ spec }: AgentPatrol, { message: text }: RecordUnread): Watched => {
  const deeds = [{ step: 'loop-or-exit', act: 'wake', about: spec.name, done: false, text }];
  return { found: { ...NOTHING, observed: { stands_in: 1 }, deeds }, standsIn: true };
};

async function watchKnown(patrol: AgentPatrol): Promise<Watched> {
  const { of, spec, disk, standing, lastAt, now, policy } = patrol;
  // The Deacon is started and woken by Boot, who goes by its heartbeat.
  const isBoots = of === 'deacon';
  const at = async (what: Noted): Promise<number> => (await noteOf(disk, patrolOf(of), what))?.at ?? -Infinity;
  const isNoted = order(await at('start')) > order(await at('stop'));
  if (isBoots && standing === 'lives' && !isNoted) await remember(patrol, 'start', spec.name);
  const ago = (wall: number): Ms | null => (wall === -Infinity ? null : age(wall, now));
  const patrolled = latest(lastAt ?? -Infinity, await at('stand_in'), await at('start'));
  const seen = {
    session: await sessionSeen(patrol),
    patrolledMs: ago(patrolled),
    wokenMs: ago(await at('wake')),
  };
  const acts = agentPatrolActs(seen, { ...policy, wakeAfterMs: isBoots ? Infinity : policy.idleMs });
  const deeds: Deed[] = [];
  for (const act of acts) deeds.push(await deedOf(patrol, act, isNoted));
  const stands_in = order(await at('stand_in')) > order(await at('cycle')) ? 1 : 0;
  // Its effect is seen soon, even if its round finds nothing.
  const found = { ...NOTHING, observed: { stands_in }, deeds };
  return { found, standsIn: acts.includes('stand_in') };
}

/** A session that the town ended, when it had no use for it, is none for the town. Only Boot starts the Deacon. */
async function sessionSeen({ of, spec, disk, standing }: AgentPatrol): Promise<AgentPatrolSeen['session']> {
  if (of === 'deacon') return standing === 'none' ? 'ended' : standing;
  const record = standing === 'ended' ? await readSession(disk, spec.name) : null;
  return record !== null && isEndedByTown(record) ? 'none' : standing;
}

const remember = ({ of, disk, now }: AgentPatrol, act: AgentPatrolAct, text: string): Promise<void> =>
  keepNote(disk, patrolOf(of), act, { kind: act, text, at: now });

/**
 * A start is noted before it is ordered: if the town dies in between, its session is still known as the town's, which ends it when it
 * has no use for it. One that fails stays noted since its first try, so that the town stands in for it after that long.
 */
async function deedOf(patrol: AgentPatrol, act: AgentPatrolAct, isNoted: boolean): Promise<Deed> {
  const outcome = await attempt({ act, about: patrol.spec.name }, async () => {
    if (act === 'start' && !isNoted) await remember(patrol, act, patrol.spec.name);
    const text = await perform(patrol, act);
    if (act !== 'start') await remember(patrol, act, text);
    return text;
  });
  return { step: 'loop-or-exit', ...outcome };
}

async function perform({ of, spec, disk, client }: AgentPatrol, act: AgentPatrolAct): Promise<string> {
  const { name } = spec;
  if (act === 'stand_in') return 'the town did a cycle, since its agent did none for long';
  if (act === 'start') await writePrompt(disk, name, witnessPrompt(of));
  const text = `PATROL: ${of} had no patrol of late. Type now: town witness patrol ${of}`;
  answerIn(
    await client.ask(
      act === 'start'
        ? { verb: 'startSession', spec }
        : { verb: 'nudge', name, text, from: 'town', raw: false, atRest: true },
    ),
  );
  return act === 'start' ? `it patrols ${of}` : 'it rested';
}
