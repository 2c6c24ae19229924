/**
 * Processes that outlive an agent which is not started again: those that the town has on record as survivors of that life, and that
 * carry its mark now. The step keeps what was done to each, so that a restart goes on where the last cycle stood.
 */
import type { Proc, Remains } from '../../../machines/protocol.ts';
import { orphanAct, type OrphanDid } from '../../../machines/patrols/orphans.ts';
import { fingerprint } from '../../../state/files/checksum.ts';
import { coveredBy } from '../../config/glob.ts';
import { readSession } from '../../overview/records.ts';
import { age } from '../../ports/age.ts';
import type { Acting, Found } from './needs.ts';
import type { TownAct } from '../memory/outcome.ts';

/** Of what patrols start by themselves. */
const STARTED: ReadonlySet<string> = new Set(['polecat', 'refinery', 'witness']);
const DID: readonly OrphanDid[] = ['saw', 'TERM', 'KILL', 'told'];
/** A process in the memory of the step: `<pid>/<mark of its start> <what was done> <wall ms>`. */
const markOf = ({ pid, started }: Proc): string => `${String(pid)}/${fingerprint(started).slice(0, 12)}`;
const isSame = (one: Proc, other: Proc): boolean => one.pid === other.pid && one.started === other.started;

export async function orphanRound(needs: Acting, now: number): Promise<Found> {
  const acts: TownAct[] = [];
  const memory: string[] = [];
  let seen = 0;
  const protects = needs.settings.town.protected;
  for (const { name, state, tags, survivors } of await needs.sessions()) {
    if (state !== 'ended' || survivors.length === 0 || coveredBy(name, protects) !== null) continue;
    const record = await readSession(needs.disk, name);
    if (record?.state !== 'ended') continue;
    for (const remains of record.remains ?? [])
      for (const orphan of await provedOf(needs, remains)) {
        seen += 1;
        const whose = { isPatrols: tags.some((tag) => STARTED.has(tag)) };
        const before = lastOf(needs.memory, orphan, now);
        const did = await treat(needs, { ...whose, ...orphan }, before);
        const last = did === null ? before : { did, at: now };
        if (last !== null) memory.push([markOf(orphan), last.did, String(last.at)].join(' '));
        if (did !== null) acts.push(actOf(orphan, name, did));
      }
  }
  return { seen, acts, memory };
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

type Orphan = Remains['survivors'][number] & { readonly isPatrols: boolean };

interface Last {
  readonly did: OrphanDid;
  readonly at: number;
  readonly agoMs: number;
}

function lastOf(memory: readonly string[], orphan: Proc, now: number): Last | null {
  const [, word, wall] = memory.map((line) => line.split(' ')).find(([mark]) => mark === markOf(orphan)) ?? [];
  const did = DID.find((one) => one === word);
  const at = Number(wall);
  return did === undefined ? null : { did, at, agoMs: age(at, now) };
}

/** A town that is killed behind the signal, and before the record, gives it once more: that changes nothing. */
async function treat(
  { processes, settings, doing }: Acting,
  orphan: Orphan,
  last: Last | null,
): Promise<OrphanDid | null> {
  const { survivors } = settings.policy.sessions;
  const did = orphanAct({ isPatrols: orphan.isPatrols, last }, settings.patrols.patrol, survivors);
  if (did === null) return null;
  if (did !== 'saw') await doing(`orphan pid ${String(orphan.pid)}: ${did}`);
  if (did === 'TERM' || did === 'KILL') processes.signal(orphan, did);
  return did;
}

const actOf = ({ pid, program }: Remains['survivors'][number], session: string, did: OrphanDid): TownAct => ({
  act: 'orphan',
  about: `pid ${pid} (${program}) of ${session}`,
  done: did !== 'told',
  text: TEXT[did](pid),
});
