/** Hands a polecat's work to the refinery, and takes back a request that needs no reader any more. */
import { HELD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { isClosedBy, withStatus } from '../../../machines/ledger/changes.ts';
import { refineryAddress } from '../../../machines/rigs/names.ts';
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
  readonly notify: Sending['notify'];
  /** Keeps the commit of handed work under a ref, by the polecat's life; null = removes that ref. */
  readonly keepCommit: (uuid: string, commit: string | null) => Promise<unknown>;
  /** Resolves with the ignored files that went along. Rejects with a sentence where it is refused. */
  readonly nuke: (polecat: string, how: Going) => Promise<readonly string[]>;
}

const iso = (now: number): string => new Date(now).toISOString();

/** Hands the bead to the refinery first, with what was seen of its work; hands it back if the removal fails. */
export async function handOver(
  deps: HandOverDeps,
  act: Extract<CycleAct, { act: 'nuke' }>,
  noteSuccess: () => Promise<void>,
): Promise<string> {
  const { ledger, disk, now, rig } = deps;
  const { bead, branch, commit, main, agent, ready, polecat, uuid } = act;
  const refinery = refineryAddress(rig);
  const move = async (from: string, to: string, status: 'hooked' | 'in_progress'): Promise<void> => {
    if (bead === null) return;
    const moved = (one: Bead): Bead => ({ ...withStatus(one, status, iso(now)), assignee: to });
    // Done work is merged also where a person set it aside meanwhile.
    const isHeld = (one: Bead): boolean => one.assignee === from && HELD_STATUSES.includes(one.status);
    // What its agent closed is in main no sooner than any other work.
    const isDone = (one: Bead): boolean => isHeld(one) || (one.assignee === from && isClosedBy(one, from));
    const after = await changeBead(ledger, bead, (one) => (isDone(one) ? moved(one) : one));
    if (after === null || after.assignee !== to || !HELD_STATUSES.includes(after.status))
      throw new Error(`${bead} is not the work of ${agent} any more`);
  };
  if (ready !== null) {
    // First: a town that is killed in between finds here what it has to hand over.
    const handed = [{ polecat, uuid, branch, commit, main, at: now }];
    await keepWork(disk, { rig, of: bead ?? polecat }, { handed });
    if (commit !== null) await deps.keepCommit(uuid, commit);
    if (bead !== null) await changeBead(ledger, bead, (one) => withHanded(withBranch(one, branch, commit), uuid));
    await move(agent, refinery, 'in_progress');
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
    if (ready !== null) await move(refinery, agent, 'hooked').catch(() => undefined);
    throw error;
  }
}

type Unmerged = Pick<Extract<CycleAct, { act: 'nuke' }>, 'uuid' | 'polecat' | 'branch' | 'main'>;

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
