/**
 * What patrols saw of an agent and did about it, the last of each kind: patrols/notes/<session>.json. Kinds that a command writes too
 * have a file of their own, so that no process overwrites what another one noted.
 */
import { z } from 'zod';
import { sessionOfAgent } from '../../machines/rigs/names.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Disk } from '../files/disk.ts';
import { FOLDERS } from '../files/layout.ts';
import { recordsIn } from '../files/record-kind.ts';
import { Serial } from '../files/serial.ts';
import { wall } from '../files/shapes.ts';
import { readStrictly } from '../files/strict-read.ts';

export const NOTED = [
  /** How its session was seen. This one outlives the agent: its name was used. */
  'session',
  /** Since when its bead is on its hook. */
  'hook-since',
  /** What was typed to it: about silence, about work that stands still, about what it left. */
  'nudge',
  'hook-nudge',
  'empty',
  'closed',
  'red',
  'dirty',
  /** Why its pane took no words. */
  'hook-exempt',
  /** The case about its work. */
  'hook-case',
  /** A person or a case decided that it goes on. */
  'hook-goes-on',
  /** Its push was refused: the first time of a commit, and the last. */
  'hook-push',
  'push-again',
  /** Its end was asked for. */
  'end',
  /** What was done about a session that the town starts for a rig. */
  'start',
  'stop',
  'wake',
  'queue',
  'stand_in',
  /** The `done_check` of a commit. */
  'check',
  /** The rig's remote was asked whether main still has merged work. */
  'main-asked',
  /** Cycles of an agent that patrols. */
  'cycle',
] as const;
export type Noted = (typeof NOTED)[number];
const ALONE: ReadonlySet<Noted> = new Set(['check', 'cycle', 'main-asked']);

const note = z.strictObject({ kind: z.string(), text: z.string(), at: wall });
export type Note = Readonly<z.infer<typeof note>>;
const notes = z.strictObject({
  /** As an assignee is written: `<rig>/polecats/<name>`, `<rig>/refinery`, `<rig>/witness`, `deacon`. */
  agent: z.string().min(1),
  /** The one kind in this file; null = all that have no file of their own. */
  alone: z.enum(NOTED).nullable(),
  notes: z.partialRecord(z.enum(NOTED), note),
});
type OfAgent = z.infer<typeof notes>;
export type Notes = Readonly<Partial<Record<Noted, Note>>>;

const idOf = ({ agent, alone }: Pick<OfAgent, 'agent' | 'alone'>): string =>
  [sessionOfAgent(agent), alone ?? []].flat().join('.');
const NOTES = recordsIn<OfAgent>(FOLDERS.notes, 'notes', { shape: notes, idOf });

/** Rejects with `NotReadable` where a file stands there that does not count. */
async function read(disk: Pick<Disk, 'read'>, agent: string, alone: Noted | null): Promise<Notes> {
  const found = await readStrictly(disk, NOTES.place(idOf({ agent, alone })), NOTES);
  return found?.notes ?? {};
}

/** All but those that have a file of their own. */
export const notesOf = (disk: Pick<Disk, 'read'>, agent: string): Promise<Notes> => read(disk, agent, null);
export const noteOf = async (disk: Pick<Disk, 'read'>, agent: string, what: Noted): Promise<Note | null> =>
  (await read(disk, agent, ALONE.has(what) ? what : null))[what] ?? null;

/** A note is added to those that stand there: one after another. */
const turns = new WeakMap<Disk, Serial>();
function inTurn(disk: Disk, work: () => Promise<void>): Promise<void> {
  const turn = turns.get(disk) ?? new Serial();
  turns.set(disk, turn);
  return turn.run(work);
}

/** Durable when it resolves. */
export const keepNote = (disk: Disk, agent: string, what: Noted, { kind, text, at }: Note): Promise<void> =>
  inTurn(disk, async () => {
    const alone = ALONE.has(what) ? what : null;
    const before = await read(disk, agent, alone);
    await disk.mkdir(FOLDERS.notes);
    await writeFiles(disk, [NOTES.fileOf({ agent, alone, notes: { ...before, [what]: { kind, text, at } } })]);
  });

/** The agent is gone. */
export const forgetNotes = (disk: Disk, agent: string): Promise<void> =>
  inTurn(disk, async () => {
    const { session } = await read(disk, agent, null);
    if (session) await writeFiles(disk, [NOTES.fileOf({ agent, alone: null, notes: { session } })]);
    if (!session) await disk.remove(NOTES.place(idOf({ agent, alone: null })));
    await removeLone(disk, agent);
  });

/** Those that have a file of their own, of an agent whose session may still have to end. */
export const forgetLoneNotes = (disk: Disk, agent: string): Promise<void> =>
  inTurn(disk, () => removeLone(disk, agent));

async function removeLone(disk: Disk, agent: string): Promise<void> {
  for (const alone of ALONE) await disk.remove(NOTES.place(idOf({ agent, alone })));
}
