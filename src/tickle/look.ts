/**
 * A look of the stall watch at all registered agents: their newest evidence, what their programs say, and whether they may be disturbed.
 * 1. A session counts while it lives. One that ends, restarts or waits is the sessions' to look after.
 * 2. What its program says itself is a sign too: that it works or asks now, or when it did something last. A screen is one only while it
 *    shows work or a question. A program that says for an hour that it works, and does nothing that it tells of, gave its last sign with
 *    its last step.
 * 3. What cannot be found out spares the agent (law 1).
 * 4. A step of the wall clock is no silence: a machine that slept or was set right blames no agent.
 */
import { isLive } from '../../machines/watchdog/health-review.ts';
import type { Incarnation, Ms, OutcomeBody, SessionRecord, WallMs } from '../../machines/protocol.ts';
import type { AgentSeen } from '../../machines/protocol/tickle.ts';
import { agentOfSession, polecatIn } from '../../machines/rigs/names.ts';
import type { AgentState, Word } from '../../machines/sessions/agent-state.ts';
import { CLIENTS, latestKey } from '../hearings/people.ts';
import { agentsNow, type AgentNow, type AgentsDeps } from '../overview/agents-now.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import { age } from '../ports/age.ts';
import type { Clock, OrderOf, Tmux } from '../ports/ports.ts';
import type { EvidenceAsked, EvidenceFound } from './evidence.ts';
import { NO_STEP_MS } from './policy.ts';

export interface LookNeeds extends AgentsDeps {
  readonly clock: Pick<Clock, 'wall'>;
  readonly tmux: Pick<Tmux, 'query'>;
  /** When this life was seen at work last; null = never. */
  readonly workedAt: (uuid: string) => WallMs | null;
  /** When the program of this life, which works, did something last; null = it does not tell. */
  readonly steppedAt: (uuid: string) => WallMs | null;
  readonly policy: Pick<HandsPolicy, 'personWithinMs'>;
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  readonly evidence: (asked: EvidenceAsked) => Promise<readonly EvidenceFound[]>;
  /** The Deacon's session; null = it is an actor. */
  readonly deacon: string | null;
}

interface Registered {
  readonly name: string;
  readonly record: SessionRecord;
  readonly life: Incarnation;
}

/** States of an agent that waits for a person, or for its account. */
const SPARED: Readonly<Partial<Record<AgentState, string>>> = {
  asks: 'it asks a person',
  denied: 'it was denied something, and a person decides',
  limited: 'it stands at a usage limit',
  logged_out: 'it is logged out',
};

/** Rejects when the ledger cannot be read: a failed look is no empty town. */
export async function lookAtAgents(
  needs: LookNeeds,
  { named, signals }: OrderOf<'readEvidence'>,
): Promise<OutcomeBody> {
  const { clock, sources, seen, reported, workedAt, steppedAt } = needs;
  const all = await needs.sessions();
  const registered = all.flatMap((record): Registered[] =>
    isLive(record) && record.incarnation !== null
      ? [{ name: agentOfSession(record.spec), record, life: record.incarnation }]
      : [],
  );
  const lives = registered.map(({ life }) => life);
  const heard = await sources.of(lives);
  const agents = await agentsNow({ sources: { of: () => Promise.resolve(heard) }, seen, reported }, lives);
  const personIn = await peopleIn(needs);
  const wall = clock.wall();
  const signs = new Map(
    registered.map(({ name, life: { uuid } }) => {
      const words = [heard.get(uuid)?.word ?? null, screenAtWork(seen(uuid)?.word ?? null)];
      const at = steppedAt(uuid);
      const hasStopped = at !== null && age(at, wall) > NO_STEP_MS;
      const signs = hasStopped ? [{ at, sign: LAST_STEP }] : [...words.flatMap(signIn), signAt(workedAt(uuid))];
      return [name, newestOf(signs, wall)] as const;
    }),
  );
  const asked = [...signs].map(([name, sign]) => [name, sign?.silentMs ?? null] as const);
  const others = named.filter((name) => !signs.has(name)).map((name) => [name, null] as const);
  const found = await needs.evidence({ agents: [...asked, ...others], signals });
  const byName = new Map(registered.map((one) => [one.name, one]));
  const away = new Map(all.map((record) => [agentOfSession(record.spec), record]));
  return {
    type: 'EVIDENCE_READ',
    agents: found.map((evidence): AgentSeen => {
      const session = byName.get(evidence.name);
      const spared = away.get(evidence.name)?.state;
      if (session === undefined)
        return { ...evidence, ...NO_SESSION, spared: spared === undefined ? null : `its session is ${spared}` };
      const { record, life } = session;
      const sign = signs.get(evidence.name) ?? null;
      return {
        ...(sign === null || sign.silentMs >= (evidence.silentMs ?? Infinity) ? evidence : { ...evidence, ...sign }),
        life,
        bornMs: record.startedAt === null ? null : age(record.startedAt, wall),
        spared: sparedBy(agents.get(life.uuid), personIn(life)),
        owner: ownerOf(session, needs.deacon),
      };
    }),
  };
}

const NO_SESSION = { life: null, bornMs: null, owner: null } as const;

const LAST_STEP = 'the last step that its program reported';

/** A screen at rest does not tell since when, after a restart of the town. */
const screenAtWork = (word: Word | null): Word | null => (word?.state === 'working' ? word : null);

interface Sign {
  readonly at: WallMs | null;
  readonly sign: string;
}

const signIn = (word: Word | null): Sign[] =>
  word === null ? [] : [{ at: word.state === 'working' ? word.at : word.since, sign: `${word.source}: ${word.state}` }];

/** Most programs do not tell since when they rest: it is not before they were seen at work. */
const signAt = (at: WallMs | null): Sign => ({ at, sign: 'it was seen at work' });

type Newest = Pick<EvidenceFound, 'lastAt' | 'sign'> & { readonly silentMs: Ms };

/** null = none of them has a time. */
function newestOf(signs: readonly Sign[], wall: WallMs): Newest | null {
  const timed = signs.flatMap(({ at, sign }): Newest[] =>
    at === null ? [] : [{ lastAt: at, silentMs: age(at, wall), sign }],
  );
  const [newest = null] = timed.toSorted((one, other) => one.silentMs - other.silentMs);
  return newest;
}

function sparedBy(agent: AgentNow | undefined, person: string | null): string | null {
  // Where its sources disagree, each of them may be right.
  const said = agent === undefined ? [] : [agent.verdict, ...agent.verdict.disagree];
  const [spared = null] = said.flatMap(({ state }) => SPARED[state] ?? []);
  if (person !== null || spared !== null) return person ?? spared;
  if (agent?.need === undefined) return 'it is not known what it reported';
  return agent.need === null ? null : 'it reported that it needs a person';
}

/** Who nudges it (law 5). */
function ownerOf({ name, record }: Registered, deacon: string | null): string | null {
  if (record.spec.name === deacon) return 'Boot';
  return name === record.spec.name ? null : `the patrol of ${polecatIn(name)?.rig ?? 'its rig'}`;
}

/** Whether a person is at the keys of a session (law 6). */
async function peopleIn({ tmux, clock, policy }: LookNeeds): Promise<(life: Incarnation) => string | null> {
  try {
    const rows = await tmux.query(['list-clients', '-F', CLIENTS]);
    const wall = clock.wall();
    return ({ sessionId }) =>
      sessionId !== '' && latestKey(rows, [sessionId], wall) < policy.personWithinMs ? 'a person is at its keys' : null;
  } catch {
    return ({ sessionId }) => (sessionId === '' ? null : 'tmux does not report whether a person is at its keys');
  }
}
