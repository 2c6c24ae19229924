/**
 * Processes that outlive an agent which is not started again: those that the town has on record as survivors of that life, and that
 * carry its mark now. What was done to each is evidence of the Deacon, so that a restart goes on where the last one stood.
 */
import type { Proc, Remains } from '../../../machines/protocol.ts';
import { orphanAct, type OrphanDid } from '../../../machines/patrols/orphans.ts';
import { fingerprint } from '../../../state/files/checksum.ts';
import { coveredBy } from '../../config/glob.ts';
import { readSession } from '../../overview/records.ts';
import { agoOf } from '../memory/evidence.ts';
import type { Acting, Found } from './needs.ts';
import type { TownAct } from '../memory/outcome.ts';
import { newestOf } from '../../ledger/walk.ts';

/** Of what patrols start by themselves. */
const STARTED: ReadonlySet<string> = new Set(['polecat', 'refinery', 'witness']);
const DID: readonly OrphanDid[] = ['saw', 'TERM', 'KILL', 'told'];
const authorOf = ({ pid, started }: Proc): string =>
  `deacon/orphan/${String(pid)}-${fingerprint(started).slice(0, 12)}`;
const isSame = (one: Proc, other: Proc): boolean => one.pid === other.pid && one.started === other.started;

export async function orphanRound(needs: Acting, now: number): Promise<Found> {
  const acts: TownAct[] = [];
  let seen = 0;
  const protects = needs.settings.town.protected;
  for (const { name, state, tags, survivors } of await needs.sessions()) {
    if (state !== 'ended' || survivors.length === 0 || coveredBy(name, protects) !== null) continue;
    const record = await readSession(needs.disk, name);
    if (record?.state !== 'ended') continue;
    for (const remains of record.remains ?? [])
      for (const orphan of await provedOf(needs, remains)) {
        seen += 1;
        const whose = { session: name, isPatrols: tags.some((tag) => STARTED.has(tag)) };
        const act = await treat(needs, { ...whose, ...orphan }, now);
        if (act !== null) acts.push(act);
      }
  }
  return { seen, acts };
}

/** On record, and with the mark of that life in its environment now. */
async function provedOf({ processes }: Acting, { life, survivors }: Remains): Promise<Remains['survivors']> {
  if (life.origin !== 'started' || survivors.length === 0) return [];
  const marked = await processes.carrying(`TOWN_INCARNATION=${life.uuid}`);
  return survivors.filter((one) => marked.some((proc) => isSame(proc, one)));
}

const TEXT: Readonly<Record<OrphanDid, (pid: number) => string>> = {
  saw: () => 'it outlives its agent: TERM is next',
  TERM: () => 'it outlives its agent: TERM',
  KILL: () => 'it outlives its agent: KILL',
  told: (pid) => `it outlives its agent, TERM and KILL; look at it: ps -p ${pid}`,
};

type Orphan = Remains['survivors'][number] & { readonly session: string; readonly isPatrols: boolean };

async function treat(needs: Acting, orphan: Orphan, now: number): Promise<TownAct | null> {
  const { ledger, processes, settings } = needs;
  const author = authorOf(orphan);
  const before = await newestOf(ledger, author);
  const last = DID.find((did) => did === before?.kind);
  const seen = last === undefined || before === null ? null : { did: last, agoMs: agoOf(before, now) };
  const { survivors } = settings.policy.sessions;
  const did = orphanAct({ isPatrols: orphan.isPatrols, last: seen }, settings.patrols.patrol, survivors);
  if (did === null) return null;
  const { pid, program, session } = orphan;
  if (did !== 'saw') await needs.doing(`orphan pid ${String(pid)}: ${did}`);
  // Recorded before the signal, so that a kill in between leaves the record.
  await ledger.addEvidence({ id: `orphan-${pid}-${did}-${now}`, author, kind: did, text: session, at: now });
  if (did === 'TERM' || did === 'KILL') processes.signal(orphan, did);
  return { act: 'orphan', about: `pid ${pid} (${program}) of ${session}`, done: did !== 'told', text: TEXT[did](pid) };
}
