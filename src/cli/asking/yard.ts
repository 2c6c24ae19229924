/** The parts that commands on rigs and polecats need: the records, the town's sessions, the processes. */
import { heldBy } from '../../ledger/hook.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { standingsIn, type TownClient, type Standing } from '../../rigs/sessions.ts';
import { yardBehind } from '../../rigs/yard-behind.ts';
import type { Yard } from '../../rigs/yard.ts';
import { nearest } from '../../terminal/nearest.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { glance } from './glance.ts';
import { beadCalled, change, withLedger } from './ledger.ts';
import { quoteName } from '../naming/names.ts';
import { takeOlder } from '../../patrols/memory/older.ts';

export async function recordsOf(context: Context): Promise<RigRecords> {
  context.existing();
  return new RigRecords({ disk: await context.disk() });
}

/** Throws Failure (2) where no such rig was added. */
export async function rigNamed(records: RigRecords, name: string): Promise<RigRecord> {
  const rig = await records.rig(name).catch((error: unknown) => {
    throw new Failure(EXIT.failed, 'bad_record', error instanceof Error ? error.message : String(error));
  });
  if (rig !== null) return rig;
  const names = (await records.rigs()).found.map((one) => one.name);
  const near = nearest(name, names);
  const next = near === null ? `add it: town rig add ${name} <path>` : `did you mean ${near}? see \`town rig list\``;
  throw new Failure(EXIT.usage, 'unknown_rig', `no rig ${quoteName(name)} was added; ${next}`);
}

/** Work for a rig that was never added would wait for ever. `''` = of no rig. Throws as `rigNamed`. */
export async function mustBeRig(context: Context, name: string | undefined): Promise<void> {
  if (name !== undefined && name !== '') await rigNamed(await recordsOf(context), name);
}

/** The town's files, with what an older town kept in the ledger. */
export async function withOlder(context: Context): Promise<Disk> {
  const [disk, records] = [await context.disk(), await recordsOf(context)];
  await withLedger(context, (ledger) => takeOlder({ disk, ledger, records }));
  return disk;
}

export async function yardOf(context: Context): Promise<Yard> {
  return yardBehind({
    root: context.existing(),
    records: await recordsOf(context),
    // The ledger is opened for each.
    beads: {
      heldBy: (agent) => withLedger(context, (ledger) => heldBy(ledger, agent)),
      bead: (word) => withLedger(context, (ledger) => beadCalled(ledger, word)),
      change: (word, decide) => withLedger(context, (ledger) => change(ledger, word, decide)),
      disk: () => withOlder(context),
    },
    client: clientOf(context),
    note,
  });
}

/** How a command asks its town, or looks itself where none answers. */
export const clientOf = (context: Context): TownClient => ({
  ask: (request) => context.ask((town) => town.request(request)),
  askIfUp: (request) => context.askIfUp((town) => town.request(request)),
  overview: async () => (await glance(context)).overview,
  unrecorded: 'ended',
});

/** How all sessions are now, by name, from one look. */
export const standingsOf = async (context: Context): Promise<(name: string) => Standing> =>
  standingsIn(await clientOf(context).overview());
