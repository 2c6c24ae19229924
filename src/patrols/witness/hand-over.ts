/** Hands a polecat's work to the refinery, and takes back a request that needs no reader any more. */
import { HELD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { isClosedBy, withStatus } from '../../../machines/ledger/changes.ts';
import { isSameAgent, refineryAddress } from '../../../machines/rigs/names.ts';
import type { CycleAct } from '../../../machines/witness/cycle-step.ts';
import { nameOf } from '../../../state/files/layout.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { forgetPullRequest } from '../../../state/rigs/pull-requests.ts';
import { keepWork, workOn } from '../../../state/rigs/work.ts';
import { withBranch, withHanded } from '../../ledger/branches.ts';
import { changeBead } from '../../ledger/change.ts';
import { clean } from '../../terminal/print.ts';
import { PATROL_HANDS } from '../policy.ts';
import { sendLetter, type Sending } from './post.ts';
import type { Going } from './trees.ts';

export interface HandOverDeps {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly now: number;
  readonly boxOf: Sending['boxOf'];
  readonly tellPerson: Sending['tellPerson'];
  /** Keeps the commit of handed work under a ref, by the polecat's life; null = removes that ref. */
  readonly keepCommit: (uuid: string, commit: string | null) => Promise<unknown>;
  /** Resolves with the ignored files that went along. Rejects with a sentence where it is refused. */
  readonly nuke: (polecat: string, how: Going) => Promise<readonly string[]>;
}

const iso = (now: number): string => new Date(now).toISOString();

type Nuke = Extract<CycleAct, { act: 'nuke' }>;

/** Hands the bead to the refinery first, with what was seen of its work; hands it back if the removal fails. */
export async function handOver(deps: HandOverDeps, act: Nuke, noteSuccess: () => Promise<void>): Promise<string> {
  const { disk, now, rig } = deps;
  const { bead, branch, commit, main, ready, polecat, uuid } = act;
  if (ready !== null) {
    const of = { rig, of: bead ?? polecat };
    // While the record does not count, nothing moves.
    await workOn(disk, of);
    // First: a record of what is not handed over would hide it from the next attempt. A town that is killed in between does this again.
    if (bead !== null) await give(deps, { ...act, bead });
    await keepWork(disk, of, { handed: [{ polecat, uuid, branch, commit, main, at: now }] });
    if (commit !== null) await deps.keepCommit(uuid, commit);
  }
  if (act.keepsFor !== undefined && commit !== null) await keepUnmerged(deps, { ...act, commit, bead: act.keepsFor });
  try {
    const ignored = await deps.nuke(polecat, {
      pushes: act.push,
      handsOver: ready !== null,
      branch,
      before: async () => {
        // A clean worktree of who came to nothing is no success: the breaker would never open (P-8).
        if (ready === null) return;
        await noteSuccess();
        await sendLetter(deps, ready);
      },
    });
    return `${act.why}${alongText(ignored)}`;
  } catch (error) {
    // A person may have closed it meanwhile.
    if (ready !== null && bead !== null) await giveBack(deps, { ...act, bead }).catch(() => undefined);
    throw error;
  }
}

type Given = Pick<Nuke, 'agent' | 'branch' | 'commit' | 'uuid'> & { readonly bead: string };
const isWorkOf = ({ assignee, status }: Bead, agent: string): boolean =>
  isSameAgent(assignee, agent) && HELD_STATUSES.includes(status);

/** Done work is merged also where a person set it aside meanwhile, and what its agent closed is in main no sooner than any other work. */
async function give({ ledger, rig, now }: HandOverDeps, { bead, agent, branch, commit, uuid }: Given): Promise<void> {
  const refinery = refineryAddress(rig);
  const marked = (one: Bead): Bead => withHanded(withBranch(one, branch, commit), uuid);
  const after = await changeBead(ledger, bead, (one) => {
    if (isWorkOf(one, refinery)) return marked(one);
    if (!isWorkOf(one, agent) && !isClosedBy(one, agent)) return one;
    return marked({ ...withStatus(one, 'in_progress', iso(now)), assignee: refinery });
  });
  if (after === null || !isWorkOf(after, refinery)) throw new Error(`${bead} is not the work of ${agent} any more`);
}

const giveBack = ({ ledger, rig, now }: HandOverDeps, { bead, agent }: Given): Promise<unknown> =>
  changeBead(ledger, bead, (one) =>
    isWorkOf(one, refineryAddress(rig)) ? { ...withStatus(one, 'hooked', iso(now)), assignee: agent } : one,
  );

type Unmerged = Pick<Nuke, 'uuid' | 'polecat' | 'branch' | 'main'>;

/** No refinery hears of it. Where the bead has no holder, the next agent that begins it goes on with this commit. */
async function keepUnmerged(
  { rig, ledger, disk, now, keepCommit }: HandOverDeps,
  { uuid, polecat, branch, main, commit, bead }: Unmerged & { readonly commit: string; readonly bead: string },
): Promise<void> {
  await keepCommit(uuid, commit);
  const isFree = ({ status }: Bead): boolean => status === 'closed' || status === 'open';
  const known = (one: Bead): Bead => withHanded(withBranch(one, branch, commit), uuid);
  const after = await changeBead(ledger, bead, (one) => (isFree(one) ? known(one) : one));
  if (after === null || !isFree(after)) return;
  await keepWork(disk, { rig, of: bead }, { handed: [{ polecat, uuid, branch, commit, main, at: now }] });
}

/** No commit holds them, and they may be what the work was to make: the journal and the report name them. */
function alongText(ignored: readonly string[]): string {
  if (ignored.length === 0) return '';
  const names = ignored.slice(0, PATROL_HANDS.maxNamed).map((name) => clean(name));
  const more = ignored.length > names.length ? `, and ${ignored.length - names.length} more` : '';
  return `; ignored files went along: ${names.join(', ')}${more}`;
}

/** Its work is in main, or was closed: what kept its commits goes. The life whose work was handed over last; null = there is none. */
export async function forgetHanded(
  { disk, rig, keepCommit }: Pick<HandOverDeps, 'disk' | 'rig' | 'keepCommit'>,
  bead: string,
): Promise<string | null> {
  const { handed } = await workOn(disk, { rig, of: bead });
  for (const { uuid } of handed) await keepCommit(uuid, null);
  await forgetPullRequest(disk, { rig, of: bead });
  return handed.at(-1)?.uuid ?? null;
}

/** Takes a request out of the refinery's mailbox; null = it is not there. */
export async function withdraw(
  { boxOf, rig }: Pick<HandOverDeps, 'boxOf' | 'rig'>,
  { mail, why }: Extract<CycleAct, { act: 'withdraw' }>,
): Promise<string | null> {
  const box = await boxOf(refineryAddress(rig));
  if (!(await box.names()).includes(nameOf(mail))) return null;
  await box.archiveAll([mail]);
  return why;
}
