/**
 * Makes a polecat: record, worktree and branch, hook, prompt, session, in this order. All or nothing: where one is
 * refused the others are undone, and where the process is killed the record says how far it came; the next command goes
 * on or undoes.
 */
import { randomUUID } from 'node:crypto';
import { times } from '../../machines/kernel/span.ts';
import { addressOf, branchOf, sessionOf, unfitPolecat, wordsOf, type PolecatName } from '../../machines/rigs/names.ts';
import { isHalfGone, isHalfMade, isLeft, type PolecatRecord } from '../../machines/rigs/records.ts';
import { isThere } from '../git/files.ts';
import { LAST_FAILURE } from '../ledger/attempts.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { GitFailed } from '../git/failure.ts';
import { nuke } from './nuke.ts';
import { dirOf, foldersOf, place } from './place.ts';
import { makeWhereRoom, noRoomIn } from './no-room.ts';
import { polecatPrompt } from './prompt.ts';
import { earlierOf, startOf, type Start } from './earlier-attempt.ts';
import { mainOf, mainText, type Main } from './main-branch.ts';
import { claimRepository } from './owner.ts';
import { isPublished, publishedOn } from './remote-contents.ts';
import { commitOf, withGit } from './repository.ts';
import type { Standing } from './sessions.ts';
import { refuseBranch } from './branch-conflicts.ts';
import type { WorkBranch } from '../../state/rigs/work.ts';
import type { Case } from './yard.ts';

export interface Wanted extends PolecatName {
  readonly command: readonly string[];
  readonly bead: string | null;
  /** What its branch begins with; null = main as the remote has it now, or what was saved of an earlier attempt. */
  readonly from: string | null;
  readonly maxPolecats: number;
}

/** The caller holds the rig's lock. Throws `Failure`; then nothing of it is there, or the error says what is. */
export async function spawn(at: Case, wanted: Wanted): Promise<PolecatRecord> {
  await claimRepository(at);
  const before = await mended(at, wanted);
  const record = before === null ? await intended(at, wanted) : await resumed(at, before, wanted);
  try {
    return await made(at, record, before === null);
  } catch (error) {
    // Whether it was started is not known: the next command looks.
    if (error instanceof Failure)
      await (before?.step === 'left' ? at.yard.records.savePolecat(before) : undo(at, record, error));
    throw error;
  }
}

/** Goes on from where the record stands. */
async function made(at: Case, from: PolecatRecord, isFresh: boolean): Promise<PolecatRecord> {
  const { records, hooks, sessions } = at.yard;
  const upTo = async (record: PolecatRecord, step: PolecatRecord['step']): Promise<PolecatRecord> => {
    await records.savePolecat({ ...record, step });
    return { ...record, step };
  };
  let record = from;
  if (record.step === 'intended') {
    // Without room nothing of it is left, and the refusal says where room is missing.
    await makeWhereRoom(at, record, () => place(at, record));
    record = await upTo(record, 'placed');
  }
  if (record.step === 'placed') {
    if (record.bead !== null) await hooks.hook(record.bead, addressOf(record));
    record = await upTo(record, 'hooked');
  }
  const dir = dirOf(at, record);
  await records.savePrompt(record, await promptOf(at, record, isFresh));
  await sessions.start(record, dir);
  return noteBegun(at, record);
}

interface Noting {
  readonly yard: Pick<Case['yard'], 'hooks' | 'records'>;
}

/** Its session was started: from here on its work counts as begun, and the next attempt hears of its branch. */
export async function noteBegun(at: Noting, record: PolecatRecord): Promise<PolecatRecord> {
  const { hooks, records } = at.yard;
  const { bead, rig } = record;
  const running = { ...record, step: 'running' } as const;
  if (bead !== null) await hooks.keepBranch(rig, bead, await branchKept(at, record, bead));
  await records.savePolecat(running);
  return running;
}

/** What is saved of an attempt, or was handed over and is gone on with, stays where the next ones begin, until one more is. */
export async function branchKept({ yard }: Noting, record: PolecatRecord, bead: string): Promise<WorkBranch> {
  const { name, uuid, base, rig, main } = record;
  const last = await yard.hooks.lastBranch(rig, bead);
  const start = last?.handed?.commit === base ? last.handed : (last?.start ?? null);
  return { polecat: name, uuid, branch: branchOf(record), base, main: main?.commit ?? null, start };
}

async function promptOf(at: Case, record: PolecatRecord, isFresh: boolean): Promise<string> {
  const { hooks } = at.yard;
  const dir = dirOf(at, record);
  const { main, base } = record;
  const about = { polecat: record, dir, main, base, mark: randomUUID() };
  if (record.bead === null) return polecatPrompt({ ...about, bead: null, earlier: null });
  const bead = await hooks.bead(record.bead);
  const kept = await hooks.lastBranch(record.rig, bead.id);
  const why = bead.metadata[LAST_FAILURE] ?? '';
  // Main as it was when this one began: the remote was asked then.
  const then: Main | null = main && { ...main, remote: null, source: 'fetched', asOf: null, why: '' };
  // What is kept under its own name began with another agent, in the worktree that this one has now.
  const earlier =
    then === null || kept === null ? null : await earlierOf(at.rig, then, kept, { why, heir: { ...record, isFresh } });
  return polecatPrompt({ ...about, bead, earlier });
}

/** What is left of an earlier one of the name; null = nothing any more. Throws `Failure` (5) where one stands. */
async function mended(at: Case, wanted: Wanted): Promise<PolecatRecord | null> {
  const record = await at.yard.records.polecat(wanted);
  if (record === null) return null;
  if (isHalfGone(record) || (isHalfMade(record) && (await isThere(foldersOf(at, record).aside)))) {
    await nuke(at, record, { pushes: false });
    return null;
  }
  if (isHalfMade(record)) return record;
  // Its worktree is the next one's, with all that is in it.
  if (isLeft(record) && wanted.bead !== null && wanted.bead === record.bead) return record;
  const text = `${wordsOf(wanted)} is there already; see \`town polecat status ${wordsOf(wanted)}\`, or choose another name`;
  throw new Failure(EXIT.refused, 'polecat_exists', text);
}

async function intended(at: Case, wanted: Wanted): Promise<PolecatRecord> {
  const { yard, rig } = at;
  const unfit = unfitPolecat(wanted);
  if (unfit !== null) throw new Failure(EXIT.usage, 'bad_name', `the name ${JSON.stringify(wanted.name)} ${unfit}`);
  await refuseFull(at, wanted);
  const { name, rig: of, command, bead } = wanted;
  if (await isThere(dirOf(at, wanted))) {
    const text = `${dirOf(at, wanted)} is there already and no polecat's; move it away, or choose another name`;
    throw new Failure(EXIT.refused, 'folder_taken', text);
  }
  const now = await mainOf(rig);
  await refuseBranch(rig, branchOf(wanted), now);
  // A fetch that had no room: its agent would begin with an old main.
  const full = await noRoomIn(at, wanted, new Error(now.why));
  if (full !== null) throw full;
  if (now.source === 'stale') yard.note(`work begins at ${mainText(now)}`);
  const { commit: base, main: held } = await startAt(at, wanted, now);
  const main = { branch: now.branch, commit: held ?? now.commit };
  const record = { uuid: randomUUID(), rig: of, name, step: 'intended', base, main, tip: null, bead, command } as const;
  await yard.records.savePolecat({ ...record, at: yard.wall() });
  return { ...record, at: yard.wall() };
}

/** A commit that a person names has to be on the remote: what is on none is not the town's to publish. */
async function startAt({ yard, rig }: Case, { from, bead }: Wanted, main: Main): Promise<Start> {
  if (from === null) return startOf(rig, main, bead === null ? null : await yard.hooks.lastBranch(rig.name, bead));
  const commit = await withGit(rig, ({ repo }) => commitOf(repo, from));
  if (commit === null) {
    const text = `${rig.repo} has no commit ${JSON.stringify(from)}; name one that it has`;
    throw new Failure(EXIT.usage, 'no_commit', text);
  }
  if (main.remote !== null) await refuseUnpublished(rig, main.remote, { from, commit });
  return { commit, main: main.commit };
}

async function refuseUnpublished(
  rig: Case['rig'],
  remote: string,
  { from, commit }: { readonly from: string; readonly commit: string },
): Promise<void> {
  const word = JSON.stringify(from);
  const published = await publishedOn(rig).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error;
    const why = error.message.replaceAll('\n', ' ');
    const text = `it is not known whether ${word} is on ${remote}, which does not answer: ${why}; type it again once it does, or leave --from out`;
    throw new Failure(EXIT.refused, 'unpublished', text);
  });
  if (published === null || (await isPublished(rig, commit, published))) return;
  const text = `${word} is on no branch of ${remote}, and the town publishes nothing of yours; push it first, then type it again`;
  throw new Failure(EXIT.refused, 'unpublished', text);
}

/** A name and a place for it: others that work or are half made count; of one that ended nothing costs any more (P-8). */
async function refuseFull({ yard, rig }: Case, wanted: Wanted): Promise<void> {
  const session = sessionOf(wanted);
  const all = (await yard.records.polecats()).found;
  const namesake = all.find((one) => sessionOf(one) === session);
  const standing = namesake === undefined ? await yard.sessions.standing(session) : 'lives';
  if (standing === 'lives' || standing === 'unknown') {
    const whose = namesake === undefined ? 'a session of the town' : `the session of ${wordsOf(namesake)}`;
    throw new Failure(EXIT.refused, 'session_taken', `${session} is ${whose} already; choose another name`);
  }
  const others = all.filter((one) => one.rig === rig.name);
  if (others.length < wanted.maxPolecats) return;
  const standings = await Promise.all(others.map((one) => yard.sessions.standing(sessionOf(one))));
  const working = others.filter((one, at) => isHalfMade(one) || !GONE.has(standings[at] ?? 'unknown'));
  if (working.length < wanted.maxPolecats) return;
  const text = `${rig.name} has ${times(working.length, 'polecat')} at work, as many as it may; end one, or raise max_polecats in [rig.${rig.name}]`;
  throw new Failure(EXIT.refused, 'rig_full', text);
}

const GONE: ReadonlySet<Standing> = new Set(['ended', 'none']);

/**
 * In the same place, with what is wanted now: another life, since what was seen of the last one's session is not about this one's.
 * Until the place is whole it is found by its life, and no session can have been seen.
 */
async function resumed(at: Case, record: PolecatRecord, { command, bead }: Wanted): Promise<PolecatRecord> {
  const isOther = bead !== record.bead;
  if (isOther && record.bead !== null) await at.yard.hooks.unhook(record.bead, addressOf(record));
  const step = isLeft(record) || (isOther && record.step === 'hooked') ? 'placed' : record.step;
  const uuid = step === 'intended' ? record.uuid : randomUUID();
  const now: PolecatRecord = { ...record, uuid, command, bead, step, at: at.yard.wall() };
  await at.yard.records.savePolecat(now);
  return now;
}

/** Takes back what was made. What cannot be taken back is noted beside the error, and stays on record. */
async function undo(at: Case, { rig, name }: PolecatRecord, why: Failure): Promise<void> {
  try {
    const record = await at.yard.records.polecat({ rig, name });
    if (record !== null && isHalfMade(record)) await nuke(at, record, { pushes: false });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    at.yard.note(`${rig}/${name} is half made and was not undone (${text}); first failed: ${why.code}`);
  }
}
