/**
 * Processes that outlive an agent which is not started again: those that the town has on record as survivors of that life, and that
 * carry its mark now. What was done to each is evidence of the Deacon, so that a restart goes on where the last one stood.
 */
import type { Proc, Remains } from '../../machines/protocol.ts';
import { orphanAct, type OrphanDid } from '../../machines/patrols/orphans.ts';
import type { PatrolPolicy } from '../../machines/patrols/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { coveredBy } from '../config/glob.ts';
import { readSession } from '../overview/records.ts';
import type { SessionView } from '../overview/sessions.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Doing } from './digest.ts';
import type { TownAct } from './outcome.ts';

export interface OrphanNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly sessions: () => Promise<readonly Pick<SessionView, 'name' | 'state' | 'tags' | 'survivors'>[]>;
  readonly processes: Pick<ProcessTable, 'carrying' | 'signal'>;
  readonly policy: Pick<PatrolPolicy, 'orphanGraceMs'>;
  /** `[sessions] survivors`. */
  readonly survivors: 'tell' | 'end';
  /** Globs of sessions that only an operator touches. */
  readonly protects: readonly string[];
  /** Told before a signal. */
  readonly doing?: Doing;
}

/** Of what patrols start by themselves. */
const STARTED: ReadonlySet<string> = new Set(['polecat', 'refinery', 'witness']);
const DID: readonly OrphanDid[] = ['saw', 'TERM', 'KILL', 'told'];
const authorOf = ({ pid, started }: Proc): string =>
  `deacon/orphan/${String(pid)}-${fingerprint(started).slice(0, 12)}`;
const isSame = (one: Proc, other: Proc): boolean => one.pid === other.pid && one.started === other.started;

export async function orphanRound(needs: OrphanNeeds, now: number): Promise<{ seen: number; acts: TownAct[] }> {
  const acts: TownAct[] = [];
  let seen = 0;
  for (const { name, state, tags, survivors } of await needs.sessions()) {
    if (state !== 'ended' || survivors.length === 0 || coveredBy(name, needs.protects) !== null) continue;
    const record = await readSession(needs.disk, name);
    if (record?.state !== 'ended') continue;
    for (const remains of record.remains ?? [])
      for (const orphan of await provedOf(needs, remains)) {
        seen += 1;
        const act = await treat(
          needs,
          { session: name, isPatrols: tags.some((tag) => STARTED.has(tag)), ...orphan },
          now,
        );
        if (act !== null) acts.push(act);
      }
  }
  return { seen, acts };
}

/** On record, and with the mark of that life in its environment now. */
async function provedOf({ processes }: OrphanNeeds, { life, survivors }: Remains): Promise<Remains['survivors']> {
  if (life.origin !== 'started' || survivors.length === 0) return [];
  const marked = await processes.carrying(`TOWN_INCARNATION=${life.uuid}`);
  return survivors.filter((one) => marked.some((proc) => isSame(proc, one)));
}

type Orphan = Remains['survivors'][number] & { readonly session: string; readonly isPatrols: boolean };

async function treat(needs: OrphanNeeds, orphan: Orphan, now: number): Promise<TownAct | null> {
  const { ledger, processes, policy, survivors } = needs;
  const author = authorOf(orphan);
  const before = await ledger.newestEvidence(author);
  const last = DID.find((did) => did === before?.kind);
  const seen = last === undefined || before === null ? null : { did: last, agoMs: Math.max(0, now - before.at) };
  const did = orphanAct({ isPatrols: orphan.isPatrols, last: seen }, policy, survivors);
  if (did === null) return null;
  const { pid, program, session } = orphan;
  if (did !== 'saw') await needs.doing?.(`orphan pid ${String(pid)}: ${did}`);
  // Before: what was signalled is on record, whoever is killed meanwhile.
  await ledger.addEvidence({
    id: `orphan-${String(pid)}-${did}-${String(now)}`,
    author,
    kind: did,
    text: session,
    at: now,
  });
  const about = `pid ${String(pid)} (${program}) of ${session}`;
  if (did === 'saw') return { act: 'orphan', about, done: true, text: 'it outlives its agent: TERM is next' };
  if (did === 'told')
    return {
      act: 'orphan',
      about,
      done: false,
      text: `it outlives its agent, TERM and KILL; look at it: ps -p ${String(pid)}`,
    };
  processes.signal(orphan, did);
  return { act: 'orphan', about, done: true, text: `it outlives its agent: ${did}` };
}
