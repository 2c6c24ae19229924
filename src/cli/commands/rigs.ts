/** `town rig …`: the repositories that polecats work in. Records, so they work with the town down. */
import { resolve } from 'node:path';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { refineryAddress, unfitRig } from '../../../machines/rigs/names.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { firstOf, isWorkType } from '../../ledger/walk.ts';
import { withLedger } from '../asking/ledger.ts';
import type { RigRecord, RigRemote } from '../../../machines/rigs/records.ts';
import { textOf } from '../../../state/files/disk.ts';
import { FILES, FOLDERS, PACKS } from '../../../state/files/layout.ts';
import { forgetLoneNotes } from '../../../state/patrols/notes.ts';
import { witnessOf } from '../../ledger/evidence-names.ts';
import { removeTree, treeFolder } from '../../refinery/tree.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { repositoryAt } from '../../rigs/repository.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { when } from '../../journal/when.ts';
import { listing, note, table } from '../../terminal/print.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { holding } from '../../rigs/lock.ts';
import { forgetSeen, mainOf, mainText, type Main } from '../../rigs/main-branch.ts';
import { claimRepository, leaveRepository, ownerTrouble, refuseOtherTown } from '../../rigs/owner.ts';
import { relativeText, remoteNow, remoteText, urlText } from '../../rigs/remote.ts';
import { refuseFolder } from '../../rigs/branch-conflicts.ts';
import type { Context } from '../context.ts';
import { quoteName } from '../naming/names.ts';
import { wakeTown } from '../asking/notes.ts';
import { recordsOf, rigNamed, yardOf } from '../asking/yard.ts';
import { firstNames } from '../../../machines/kernel/span.ts';

export interface AddOptions {
  readonly repo?: string;
  readonly agent?: string;
  readonly base?: string;
}

/** The one folder that the line names: in its place, or behind --repo. */
function folderIn(rig: string, path: string | undefined, repo: string | undefined): string {
  const folder = path ?? repo;
  if (folder === undefined) {
    const text = `town rig add needs the repository's folder: town rig add ${rig} <path>`;
    throw new Failure(EXIT.usage, 'no_repository', text);
  }
  if (path === undefined || repo === undefined || path === repo) return folder;
  const text = `${quoteName(path)} and --repo ${quoteName(repo)} are two folders; give one`;
  throw new Failure(EXIT.usage, 'two_repositories', text);
}

const iso = (wall: number): string => new Date(wall).toISOString();

/** First words of everything in the root, which no rig's folder may be. */
const TAKEN = [...Object.values(FOLDERS), FILES.config, PACKS].map((path) => path.split('/')[0] ?? path);

export async function add(context: Context, name: string, place: string | undefined, more: AddOptions): Promise<void> {
  await mustBeOperator(context, 'adding a rig');
  const { agent, base } = more;
  const path = folderIn(name, place, more.repo);
  const yard = await yardOf(context);
  const unfit = unfitRig(name, TAKEN);
  if (unfit !== null) throw new Failure(EXIT.usage, 'bad_name', `the name ${quoteName(name)} ${unfit}; choose another`);
  const repo = resolve(path);
  const commonDir = await repositoryAt(repo);
  if (commonDir === null) {
    const text = `${quoteName(path)} is no git repository; give the folder that holds its .git, or a bare one`;
    throw new Failure(EXIT.usage, 'no_repository', text);
  }
  const words = agent === undefined ? null : ['/bin/sh', '-c', agent];
  const remote = await remoteFor({ repo, commonDir });
  const rig: RigRecord = { name, repo, commonDir, agent: words, base: base ?? null, remote, addedAt: yard.wall() };
  await refuseFolder(rig, remote?.name ?? null);
  const main = await mainFor(
    base === undefined ? rig : { ...rig, adds: `town rig add ${name} ${path}` },
    base !== undefined,
  );
  await holding(yard, rig, async () => {
    const before = await yard.records.rig(name);
    if (before !== null) {
      const text = `the rig ${name} is there already, on ${before.repo}; remove it first: town rig remove ${name}`;
      throw new Failure(EXIT.refused, 'rig_exists', text);
    }
    await refuseOtherTown({ rig, yard });
    await yard.records.saveRig(rig);
    try {
      await claimRepository({ rig, yard });
    } catch (error) {
      await yard.records.removeRig(name);
      throw error;
    }
  });
  // Where the town gives work to agents by itself, work is what is missing.
  const { agent: own } = choicesOf(await context.settings(), rig);
  const next = own === null ? `town polecat spawn ${name} <polecat> -- <command>` : `town plan <file.md> --rig ${name}`;
  const from = main === null ? '' : `; work begins at ${mainText(main)}`;
  const text = `the rig ${name} is on ${repo}; its remote is ${remoteText(remote)}${from}; next: ${next}`;
  context.answer('rig-added', { ...(await viewOf(context, rig)), ...mainView(main) }, text);
}

/** Throws `Failure` for one that no polecat could push to. */
async function remoteFor(rig: Pick<RigRecord, 'repo' | 'commonDir'>): Promise<RigRemote | null> {
  const remote = await remoteNow(rig);
  const why = relativeText(rig, remote);
  if (why !== null) throw new Failure(EXIT.refused, 'relative_remote', why);
  return remote;
}

/** null = it has none yet, which a note says: a repository may be added before its first commit. Throws where a person named it. */
async function mainFor(rig: Parameters<typeof mainOf>[0], isNamed: boolean): Promise<Main | null> {
  return mainOf(rig).catch((error: unknown) => {
    if (isNamed || !(error instanceof Failure)) throw error;
    note(error.message);
    return null;
  });
}

const mainView = (main: Main | null) => ({
  base: main?.branch ?? null,
  base_commit: main?.commit ?? null,
  base_is: main?.source ?? null,
  base_as_of: typeof main?.asOf === 'number' ? iso(main.asOf) : null,
});

export interface SetOptions {
  readonly base?: string;
  readonly remote?: boolean;
}

export async function set(context: Context, name: string, { base, remote = false }: SetOptions): Promise<void> {
  await mustBeOperator(context, 'changing a rig');
  if (base === undefined && !remote)
    throw new Failure(
      EXIT.usage,
      'nothing_to_set',
      `nothing to change about ${name}; write --base <branch> or --remote`,
    );
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, name);
  const [changed, main] = await holding(yard, rig, async ({ rig: now }) => {
    await claimRepository({ rig: now, yard });
    const next: RigRecord = {
      ...now,
      base: base === undefined ? now.base : base === '' ? null : base,
      ...(remote && { remote: await remoteFor(now) }),
    };
    const found = await mainFor(next, base !== undefined && base !== '');
    await yard.records.saveRig(next);
    return [next, found] as const;
  });
  await wakeTown(context, 'work');
  const from = main === null ? '' : `; work begins at ${mainText(main)}`;
  const text = `the remote of ${name} is ${remoteText(changed.remote ?? null)}${from}`;
  context.answer('rig-set', { ...(await viewOf(context, changed)), ...mainView(main) }, text);
}

async function viewOf(context: Context, rig: RigRecord) {
  const { agent, maxPolecats } = choicesOf(await context.settings(), rig);
  const polecats = (await (await recordsOf(context)).polecats()).found.filter((one) => one.rig === rig.name);
  return {
    name: rig.name,
    repo: rig.repo,
    agent,
    max_polecats: maxPolecats,
    remote: !rig.remote ? null : { ...rig.remote, url: urlText(rig.remote.url), pushUrl: urlText(rig.remote.pushUrl) },
    polecats: polecats.map((one) => one.name),
    added_at: iso(rig.addedAt),
  };
}

type RigView = Awaited<ReturnType<typeof viewOf>>;

const agentText = ({ agent }: RigView): string =>
  agent === null ? '-' : agent[0] === '/bin/sh' ? (agent[2] ?? '') : agent.join(' ');

export async function list(context: Context): Promise<void> {
  const { found, unreadable } = await (await recordsOf(context)).rigs();
  unreadable.forEach(note);
  const views = await Promise.all(found.map((rig) => viewOf(context, rig)));
  const row = (v: RigView): string[] => [v.name, `${v.polecats.length}`, `${v.max_polecats}`, agentText(v), v.repo];
  const none = 'no rigs; add one: town rig add <rig> <path>';
  context.answer('rigs', views, listing(views, none, ['RIG', 'POLECATS', 'MAX AT WORK', 'AGENT', 'REPOSITORY'], row));
}

export async function show(context: Context, name: string): Promise<void> {
  const rig = await rigNamed(await recordsOf(context), name);
  const [main, why] = await mainOf(rig).then(
    (found) => [found, mainText(found)] as const,
    (error: unknown) => [null, textOf(error)] as const,
  );
  const view = { ...(await viewOf(context, rig)), ...mainView(main), base_why: main === null ? why : main.why };
  const lines = [
    ['rig', view.name],
    ['repository', view.repo],
    [
      'remote',
      rig.remote === undefined ? 'not on record yet' : (relativeText(rig, rig.remote) ?? remoteText(rig.remote)),
    ],
    ['main branch', why],
    ['agent', agentText(view)],
    ['polecats', `${view.polecats.length}${view.polecats.length === 0 ? '' : `: ${view.polecats.join(', ')}`}`],
    ['at work', `${view.max_polecats} at the most`],
    ['added', when(view.added_at)],
  ];
  context.answer('rig', view, () => table(['', ''], lines).split('\n').slice(1));
}

const NAMED = 3;
const idsOf = (beads: readonly Bead[]): string =>
  firstNames(
    beads.map(({ id }) => id),
    NAMED,
  );

/** Work that nothing would look after without its rig. Throws Failure (5), and as the ledger does. */
async function refuseUnfinished(context: Context, name: string): Promise<void> {
  // Opening a ledger makes one.
  if ((await (await context.disk()).stat(FILES.ledger)) === null) return;
  const open = await withLedger(context, (ledger) =>
    firstOf((page) => ledger.list({ rig: name, isWisp: false }, page), LEDGER.maxPage),
  );
  const work = open.filter(({ type }) => isWorkType(type));
  const isQueued = ({ assignee }: Bead): boolean => assignee === refineryAddress(name);
  const [queued, others] = [work.filter(isQueued), work.filter((bead) => !isQueued(bead))];
  const left = [
    ...(queued.length > 0 ? [`finished work that waits for its merge (${idsOf(queued)})`] : []),
    ...(others.length > 0 ? [`open beads (${idsOf(others)})`] : []),
  ];
  if (left.length === 0) return;
  const text = `the rig ${name} has ${left.join(' and ')}; close them (town bead close <id> --reason <why>), or leave them without a rig: town rig remove ${name} --force`;
  throw new Failure(EXIT.refused, 'rig_in_use', text);
}

export async function remove(context: Context, name: string, { force = false }: { force?: boolean }): Promise<void> {
  await mustBeOperator(context, 'removing a rig');
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, name);
  await holding(yard, rig, async () => {
    const { found, unreadable } = await yard.records.polecats();
    const left = found.filter((one) => one.rig === name).map((one) => `${name}/${one.name}`);
    if (left.length > 0) {
      const text = `the rig ${name} has polecats (${left.join(', ')}); first: town polecat nuke ${left[0] ?? ''}`;
      throw new Failure(EXIT.refused, 'rig_in_use', text);
    }
    if (unreadable.length > 0) throw new Failure(EXIT.refused, 'bad_record', unreadable.join('; '));
    if (!force) await refuseUnfinished(context, name);
    await removeTree(rig, treeFolder(yard.root, rig));
    await leaveRepository({ rig, yard }).catch((error: unknown) => note(textOf(error)));
    // Another town may have begun there after a kill of this command: what is there then is that town's.
    if ((await ownerTrouble({ rig, yard })) === null)
      await forgetSeen(rig).catch((error: unknown) => note(`refs/town/main stays in ${rig.repo}: ${textOf(error)}`));
    await forgetLoneNotes(await context.disk(), witnessOf(name));
    // Last: what a kill leaves behind is found by it, and goes when the line is typed again.
    await yard.records.removeRig(name);
  });
  // What the town started for it ends with its next cycle.
  await wakeTown(context, 'work');
  context.answer('rig-removed', { name }, `the rig ${name} is forgotten; its repository ${rig.repo} stays as it is`);
}
