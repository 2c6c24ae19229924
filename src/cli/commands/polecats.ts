/** `town polecat …`: agents with a worktree, a branch and a session of their own. What is nowhere else is never taken away. */
import { textOf } from '../../../state/files/disk.ts';
import { addressOf, branchOf, sessionOf, wordsOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord, RigRecord } from '../../../machines/rigs/records.ts';
import { barriersOf, mayOf, NOTHING_SEEN, statesOf, type WorktreeFacts } from '../../../machines/rigs/worktree.ts';
import { askedOnce } from '../../git/answers.ts';
import { missingIn } from '../../overview/program.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { nuke as takeAway, optionsOf } from '../../rigs/nuke.ts';
import { dirOf, lookIn } from '../../rigs/place.ts';
import { fileText } from '../../rigs/publish.ts';
import { publicationOf, type Publication } from '../../rigs/uncommitted.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { remoteTrouble } from '../../rigs/remote.ts';
import { spawn as make } from '../../rigs/spawn.ts';
import type { Case, Yard } from '../../rigs/yard.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { when } from '../../journal/when.ts';
import { table } from '../../terminal/print.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { holding } from '../../rigs/lock.ts';
import type { Context } from '../context.ts';
import { polecatCalled, polecatNamed } from '../asking/polecat.ts';
import { rigNamed, standingsOf, yardOf } from '../asking/yard.ts';
import { firstLines } from '../../../machines/kernel/span.ts';

export interface SpawnOptions {
  readonly bead?: string;
  readonly from?: string;
}

export async function spawn(
  context: Context,
  rigName: string,
  name: string,
  words: readonly string[],
  { bead, from }: SpawnOptions,
): Promise<void> {
  await mustBeOperator(context, 'spawning a polecat');
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, rigName);
  const { agent, maxPolecats } = choicesOf(await context.settings(), rig);
  const command = words.length > 0 ? words : agent;
  if (command === null || command[0] === '') {
    const text = `no command for ${rigName}/${name}; write it after --, or set agent in [rig.${rigName}]`;
    throw new Failure(EXIT.usage, 'no_command', text);
  }
  await refuseMissing(context, rig, command[0] ?? '');
  if (bead !== undefined) await yard.hooks.check(bead);
  // A town that is down would leave it half made.
  await context.ask((town) => town.status());
  const wanted = { rig: rigName, name, command, bead: bead ?? null, from: from ?? null, maxPolecats };
  const record = await holding(yard, rig, (at) => make(at, wanted));
  const dir = dirOf({ yard }, record);
  const text = `${wordsOf(record)} works in ${dir}, on branch ${branchOf(record)}, which begins with ${beginText(record)}, in session ${sessionOf(record)}`;
  context.answer('polecat-spawned', plainView(yard, record), text);
}

const beginText = ({ main, base }: PolecatRecord): string => {
  const commit = base.slice(0, RIG_WORK.shortCommit);
  return main?.commit === base ? `${main.branch} at ${commit}` : commit;
};

/** Throws Failure (2) where its program is not there. A path from the worktree can be checked only there. */
export async function refuseMissing(context: Context, { repo }: RigRecord, program: string): Promise<void> {
  if (program.includes('/') && !program.startsWith('/')) return;
  const why = await missingIn(await context.settings(), await context.disk(), { program, dir: repo });
  if (why !== null) throw new Failure(EXIT.usage, 'no_program', why);
}

const plainView = (yard: Yard, record: PolecatRecord) => ({
  rig: record.rig,
  name: record.name,
  address: addressOf(record),
  session: sessionOf(record),
  branch: branchOf(record),
  dir: dirOf({ yard }, record),
  bead: record.bead,
  command: record.command,
  main: record.main,
  step: record.step,
  base: record.base,
  spawned_at: new Date(record.at).toISOString(),
});

type Standings = Awaited<ReturnType<typeof standingsOf>>;
interface Seen extends ReturnType<typeof plainView> {
  readonly session_state: ReturnType<Standings>;
  /** null = its rig is not on record. */
  readonly git: ReturnType<typeof gitView> | null;
}

/** With its session and its worktree as they are now. */
export async function seenOf(
  yard: Yard,
  record: PolecatRecord,
  rig: Pick<Case, 'rig' | 'answers'> | null,
  around: PromiseLike<{ readonly standings: Standings }>,
): Promise<Seen> {
  const looking = rig === null ? null : factsOf({ yard, ...rig }, record, 'glance');
  const [facts, { standings }] = await Promise.all([looking, around]);
  const session = standings(sessionOf(record));
  return { ...plainView(yard, record), session_state: session, git: facts === null ? null : gitView(facts) };
}

/** Never rejects: an unknown rig hides no other. */
async function factsOf(at: Case, record: PolecatRecord, depth: 'glance' | 'whole'): Promise<WorktreeFacts> {
  try {
    const facts = await lookIn(at, record, { ...(await optionsOf(at, record)), depth });
    return { ...facts, otherRemote: await askedOnce(at.answers, ['remote'], () => remoteTrouble(at.rig)) };
  } catch (error) {
    return { ...NOTHING_SEEN, why: `could not be looked at: ${textOf(error)}` };
  }
}

const gitView = (facts: WorktreeFacts) => {
  const { submodules, indexLocked, otherRemote, ...plain } = facts;
  const barriers = barriersOf(facts).map(({ state, says }) => ({ state, says }));
  return {
    states: statesOf(facts),
    may: mayOf(facts),
    barriers,
    ...plain,
    index_locked: indexLocked,
    other_remote: otherRemote,
    submodules: submodules.map((one) => ({ path: one.path, states: statesOf(one.facts) })),
  };
};

const stateText = (seen: Seen): string[] => [halfText(seen) || seen.session_state, seen.git?.states.join(', ') ?? '-'];

/** A killed command left it so. One whose session lives was made. */
export const halfText = ({ step, session_state: session }: Pick<Seen, 'step' | 'session_state'>): string => {
  if (step === 'left') return 'waits for the next';
  if (step === 'leaving' || step === 'going') return 'half gone';
  return step === 'running' || session === 'lives' ? '' : 'half made';
};

export async function status(context: Context, text: string): Promise<void> {
  const yard = await yardOf(context);
  const { rig, record } = await polecatCalled(yard, text);
  const seen = await seenOf(
    yard,
    record,
    { rig },
    standingsOf(context).then((standings) => ({ standings })),
  );
  const [agent = '', worktree = ''] = stateText(seen);
  const lines = [
    ['polecat', wordsOf(record)],
    ['agent', agent],
    ['worktree', worktree],
    ['folder', seen.dir],
    ['branch', seen.branch],
    ['begins with', beginText(record)],
    ['session', seen.session],
    ['command', seen.command.join(' ')],
    ['bead', seen.bead ?? '-'],
    ['mail', seen.address],
    ['spawned', when(seen.spawned_at)],
  ];
  context.answer('polecat', seen, () => table(['', ''], lines).split('\n').slice(1));
}

const MAY = {
  remove: 'everything in it is elsewhere too: it may be nuked',
  push: 'everything in it is elsewhere too once its branch is pushed',
  keep: 'it holds work that is nowhere else, or that git cannot read: a nuke is refused',
} as const;

export async function gitState(context: Context, text: string): Promise<void> {
  const yard = await yardOf(context);
  const { rig, record } = await polecatCalled(yard, text);
  const facts = await factsOf({ yard, rig }, record, 'whole');
  const publication = await publicationOf({ yard, rig }, record).catch(() => null);
  const names = { rig: record.rig, name: record.name, dir: dirOf({ yard }, record) };
  const shown = publication?.files.map(({ name, is, bytes }) => ({ name, is, bytes })) ?? null;
  context.answer('git-state', { ...names, ...gitView(facts), files: shown }, () => [
    ...gitLines(facts, names, publication),
  ]);
}

function mayText(facts: WorktreeFacts, { rig, name }: Pick<Named, 'rig' | 'name'>): string {
  const may = mayOf(facts);
  const nuke = `town polecat nuke ${rig}/${name}${may === 'push' ? ' --push' : ''}`;
  if (facts.place === 'missing' && may !== 'keep')
    return `its folder is not there, and what was uncommitted in it is lost; to remove the polecat: ${nuke}`;
  return may === 'push' ? `${MAY.push}: ${nuke}` : MAY[may];
}

interface Named {
  readonly rig: string;
  readonly name: string;
  readonly dir: string;
}

function gitLines(facts: WorktreeFacts, named: Named, publication: Publication | null): string[] {
  const { dir, ...who } = named;
  const listed = (title: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${title}:`, ...firstLines(names, RIG_WORK.shown).map((one) => `  ${one}`)];
  return [
    `${dir}: ${statesOf(facts).join(', ')}`,
    `branch ${facts.branch ?? '-'}, at ${facts.head ?? '-'}`,
    ...barriersOf(facts).map(({ says }) => `it ${says}`),
    ...(publication === null
      ? [
          ...listed('changed', [...facts.changed, ...facts.deleted, ...facts.hidden]),
          ...listed('untracked', facts.untracked),
        ]
      : [
          ...listed('COMMIT_AND_PUSH would publish', publication.files.map(fileText)),
          ...(publication.refusal === null ? [] : [`COMMIT_AND_PUSH is refused now: ${publication.refusal}`]),
        ]),
    ...listed('on no remote', facts.unpushed),
    ...listed('ignored, goes with a nuke', facts.ignored),
    mayText(facts, who),
  ];
}

export async function nuke(
  context: Context,
  text: string,
  { push = false }: { readonly push?: boolean },
): Promise<void> {
  await mustBeOperator(context, 'nuking a polecat');
  const yard = await yardOf(context);
  const { rig, record: named } = await polecatNamed(yard, text);
  const gone = await holding(yard, rig, async (at) => {
    // Another command may have been at it while this one waited.
    const record = (await yard.records.polecat(named)) ?? named;
    return takeAway(at, record, { pushes: push });
  });
  const kept = [
    ...(gone.kept === null ? [] : [`commits that only its reflog held are under ${gone.kept}`]),
    ...(gone.branch === null ? [] : [`its branch ${gone.branch} stays`]),
    ...(gone.ignored.length === 0 ? [] : [`${gone.ignored.length} ignored went along`]),
  ];
  const words = [`${wordsOf(named)} is gone: worktree, branch and record`, ...kept].join('; ');
  context.answer('polecat-nuked', { rig: named.rig, name: named.name, ...gone }, words);
}
