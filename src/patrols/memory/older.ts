/**
 * What an older town kept as evidence of a witness or the Deacon becomes records once: notes of agents, and work. A kill in between
 * leaves the mark out, and the next process takes over what is left. What is on record by then is newer.
 */
import { addressOf, isPolecat } from '../../../machines/rigs/names.ts';
import { writeFiles } from '../../../state/files/atomic-write.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { FILES, FOLDERS } from '../../../state/files/layout.ts';
import type { Evidence, Ledger } from '../../../state/ledger/port.ts';
import { keepNote, NOTED, noteOf, type Noted } from '../../../state/patrols/notes.ts';
import { orNull } from '../../../state/files/or-null.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { takeOlderEntries } from '../../../state/patrols/plugins.ts';
import { PLUGINS } from '../../plugins/policy.ts';
import { takeOlderWork } from '../../../state/rigs/work.ts';
import { evidenceOf, first, items, newestOf } from '../../ledger/walk.ts';

interface Taking {
  readonly disk: Disk;
  readonly ledger: Ledger;
  readonly records: Pick<RigRecords, 'polecatNames'>;
}

export async function takeOlder({ disk, ledger, records }: Taking): Promise<void> {
  if ((await disk.stat(FILES.notesTaken)) !== null) return;
  const polecats = new Set((await records.polecatNames()).map(addressOf));
  for await (const one of items((page) => ledger.newestOfEach(page))) {
    if ((await takeWork(disk, ledger, one)) || (await takePlugin(disk, ledger, one))) continue;
    const [agent, what] = agentOf(one) ?? [];
    if (agent === undefined || what === undefined || (await noteOf(disk, agent, what)) !== null) continue;
    // Of a polecat that is gone its name alone counts.
    if (isPolecat(agent) && what !== 'session' && !polecats.has(agent)) continue;
    const { kind, text, at } = (await newestOf(ledger, one.author)) ?? one;
    const cycles = what === 'cycle' ? ` ${String(await cyclesOf(ledger, one.author, text))}` : '';
    await keepNote(disk, agent, what, { kind, text: text + cycles, at });
  }
  await disk.mkdir(FOLDERS.notes);
  await writeFiles(disk, [{ path: FILES.notesTaken, text: '' }]);
}

/** Once in a process, at the first call; one that failed is tried again. */
export function takingOlder(): typeof takeOlder {
  let taken: Promise<void> | null = null;
  return (taking) =>
    (taken ??= takeOlder(taking).catch((error: unknown) => {
      taken = null;
      throw error;
    }));
}

const WORK = { branch: 'begun', handed: 'handed' } as const;

/** Whether that is about work. */
async function takeWork(disk: Disk, ledger: Ledger, { author }: Evidence): Promise<boolean> {
  const [, rig, kind, of] = /^([^/]+)\/witness\/(branch|handed)\/(.+)$/.exec(author) ?? [];
  if (rig === undefined || of === undefined || (kind !== 'branch' && kind !== 'handed')) return false;
  const older = (await entriesOf(ledger, author)).map(({ value, at }) => ({ ...value, at }));
  await takeOlderWork(disk, { rig, of }, WORK[kind], older.toReversed());
  return true;
}

/** Whether that is about a plugin. */
async function takePlugin(disk: Disk, ledger: Ledger, { author }: Evidence): Promise<boolean> {
  const [, name] = /^deacon\/plugin\/([^/]+)$/.exec(author) ?? [];
  if (name === undefined) return false;
  const entries = await entriesOf(ledger, author);
  await takeOlderEntries(
    disk,
    name,
    entries.map(({ value, kind, at }) => ({ ...value, kind, at })),
  );
  return true;
}

/** The newest first; as many as a record holds. */
async function entriesOf(ledger: Ledger, author: string) {
  const all = await first(evidenceOf(ledger, author), PLUGINS.maxRunsSeen);
  return all.map(({ text, kind, at }) => ({ value: orNull(() => JSON.parse(text) as object), kind, at }));
}

const notedAs = (word: string): Noted | undefined => NOTED.find((what) => what === word);

/** Whose note that is; null = it is none. */
function agentOf({ author, kind }: Evidence): readonly [agent: string, what: Noted | undefined] | null {
  const [of = '', witness, ...more] = author.split('/');
  if (kind === 'told') return null;
  if (of === 'deacon') return [of, notedAs(witness ?? '')];
  if (witness !== 'witness') return null;
  const [what = '', ...agent] = more;
  if (agent.length > 0) return [agent.join('/'), notedAs(what)];
  if (kind === 'session') return [addressOf({ rig: of, name: what }), 'session'];
  const [, refinery] = /^refinery-(.+)$/.exec(what) ?? [];
  return refinery === undefined ? [`${of}/witness`, notedAs(what)] : [`${of}/refinery`, notedAs(refinery)];
}

/** Cycles of the agent's last life. */
async function cyclesOf(ledger: Ledger, author: string, life: string): Promise<number> {
  let count = 0;
  for await (const { text } of evidenceOf(ledger, author)) {
    if (text !== life) break;
    count += 1;
  }
  return count;
}
