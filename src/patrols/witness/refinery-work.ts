/**
 * Work that the town handed to a rig's refinery, as it is on record: a bead's own fields are text that its holder may change.
 */
import type { HandedSeen } from '../../../machines/witness/observation.ts';
import type { PullRequestSeen } from '../../../machines/witness/refinery-seen.ts';
import { refineryAddress } from '../../../machines/rigs/names.ts';
import type { Disk } from '../../../state/files/disk.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Mailbox, Received } from '../../../state/mail/mailbox.ts';
import { HELD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { messageOf } from '../../../state/mail/messages.ts';
import { shellWord } from '../../../state/files/show-text.ts';
import { pullRequestOf, type PullRequest } from '../../../state/rigs/pull-requests.ts';
import { workOn, type Handover } from '../../../state/rigs/work.ts';
import type { Pushed } from '../../rigs/remote-branches.ts';
import { ifUnread, RecordUnread } from '../../../state/files/strict-read.ts';
import { isHandedAnew } from '../../ledger/branches.ts';
import { beadsCalled, beadsIn } from '../../ledger/walk.ts';
import { witnessOf } from '../memory/evidence.ts';
import type { Trees } from './trees.ts';
import { PATROL_HANDS } from '../policy.ts';
import { BY_WITNESS } from './post.ts';
import { unreadSeen } from '../memory/notes.ts';
import { order } from '../../ports/age.ts';

/** As it was last; null = nothing was. */
export const handoverOf = async (disk: Disk, rig: string, of: string): Promise<Handover | null> =>
  (await workOn(disk, { rig, of })).handed.at(-1) ?? null;

/** A MERGE_READY that the refinery has not put away. */
export interface Request {
  readonly mail: string;
  readonly sentAt: number;
  readonly bead: string | null;
  readonly polecat: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  /** The commit of main that the work began with. */
  readonly main: string | null;
}
interface Sent extends Request {
  /** The town wrote it, when it took the polecat away. */
  readonly isOfGone: boolean;
}

/** All of a witness, and a page of the others: a flood of those costs a cycle no more than a page. */
async function letters(box: Mailbox): Promise<Received[]> {
  const boxes = ['new', 'cur'] as const;
  const isWitness = (name: string): boolean => name.startsWith(BY_WITNESS);
  const own = await box.page(boxes, { limit: Infinity, from: 'oldest', of: isWitness });
  const { maxLetters: limit } = PATROL_HANDS;
  const others = await box.page(boxes, { limit, from: 'oldest', of: (name) => !isWitness(name) });
  return [...own, ...others].toSorted((a, b) => order(Date.parse(a.sent_at)) - order(Date.parse(b.sent_at)));
}

/** The oldest first. An agent's own letter of this kind asks for nothing: only the witness hands work over, or the operator. */
export async function requestsIn(box: Mailbox, rig: string): Promise<Sent[]> {
  return (await letters(box)).flatMap((mail) => {
    const message = messageOf(mail);
    const isHanded = mail.via !== 'agent' || mail.from === witnessOf(rig);
    if (message?.type !== 'MERGE_READY' || !isHanded) return [];
    const { issue: bead, polecat, branch, commit } = message;
    const main = /^Main: ([0-9a-f]{40,64})$/m.exec(mail.body)?.[1] ?? null;
    const isOfGone = mail.via === 'town';
    return [{ mail: mail.id, sentAt: Date.parse(mail.sent_at), bead, polecat, branch, commit, main, isOfGone }];
  });
}

type Handed = Omit<HandedSeen, 'isMerged' | 'broughtBack' | 'pullRequest'> & {
  readonly main: string | null;
  readonly opened?: PullRequest;
};

async function lastHandover(
  { disk, rig }: Pick<HandedNeeds, 'disk' | 'rig'>,
  bead: Bead,
): Promise<Handover | RecordUnread | 'handed anew' | null> {
  const all = await ifUnread(workOn(disk, { rig, of: bead.id }), (unread) => unread);
  if (all instanceof RecordUnread) return all;
  return isHandedAnew(bead, all.handed) ? 'handed anew' : (all.handed.at(-1) ?? null);
}

/** Work that lies with the refinery, and requests about what lies with it no more. */
async function standing({ ledger, disk, rig, requests }: HandedNeeds): Promise<Handed[]> {
  const found: Handed[] = [];
  const of = (bead: string): string[] => requests.flatMap((one) => (one.bead === bead ? [one.mail] : []));
  for await (const bead of beadsIn(ledger, { rig, assignee: refineryAddress(rig), statuses: HELD_STATUSES })) {
    const { id } = bead;
    const kept = await lastHandover({ disk, rig }, bead);
    if (kept === 'handed anew') continue;
    const request = requests.find(({ bead }) => bead === id);
    if (kept instanceof RecordUnread) {
      // No commit: git is not asked of it, and so nothing of it is closed or put away.
      const { polecat, branch } = request ?? NOTHING;
      const known = { bead: id, polecat, branch, commit: null, main: null, isOfGone: true, isClosed: false };
      found.push({ ...known, requests: of(id), unread: unreadSeen(kept) });
      continue;
    }
    const opened = await ifUnread(pullRequestOf(disk, { rig, of: id }), () => null);
    const { polecat, branch, commit } = kept ?? request ?? { ...NOTHING, ...opened };
    if (kept === null && request === undefined && opened === null) continue;
    const main = kept?.main ?? null;
    const isOfGone = kept !== null || request?.isOfGone === true;
    const one = { bead: id, polecat, branch, commit, main, isOfGone, isClosed: false, requests: of(id) };
    found.push({ ...one, ...(opened?.commit === commit && { opened }) });
  }
  const left = requests.filter(({ bead }) => bead === null || !found.some((one) => one.bead === bead));
  const beads = await beadsCalled(ledger, [...new Set(left.flatMap(({ bead }) => bead ?? []))]);
  for (const { mail, bead, polecat, branch, commit, isOfGone } of left) {
    const isClosed = beads.some(({ id, status }) => id === bead && status === 'closed');
    // Open again, it is no work of the refinery's.
    const about = isClosed ? bead : null;
    found.push({ bead: about, polecat, branch, commit, main: null, isOfGone, isClosed, requests: [mail] });
  }
  return found;
}
const NOTHING = { polecat: null, branch: null, commit: null };

interface HandedNeeds {
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly rig: string;
  readonly now: number;
  readonly trees: Pick<Trees, 'merged' | 'broughtBack' | 'gone'>;
  readonly requests: readonly Sent[];
  /** A letter is about it: git is asked now. */
  readonly isAsked: (one: Handed) => boolean;
  /** So often the remote is asked about work that waits, letter or none. */
  readonly everyMs: number;
}

/** When each rig's remote was asked last. A town that starts asks at once. */
const askedAt = new WeakMap<Ledger, Map<string, number>>();

export async function handedOf(needs: HandedNeeds): Promise<HandedSeen[]> {
  const { ledger, rig, now, trees, isAsked, everyMs } = needs;
  const found = await standing(needs);
  const open = found.filter(({ isClosed, commit }) => !isClosed && commit !== null);
  const times = askedAt.get(ledger) ?? new Map<string, number>();
  askedAt.set(ledger, times);
  const agoMs = now - (times.get(rig) ?? -Infinity);
  // A clock that went back makes nothing wait for long.
  const isDue = open.length > 0 && (agoMs >= everyMs || agoMs < 0 || open.some(isAsked));
  if (isDue) times.set(rig, now);
  // Before main is fetched: a host deletes the branch of what it has merged.
  const gone = isDue ? await trees.gone(open.flatMap((one) => one.opened ?? [])).catch(() => null) : null;
  const works = open.flatMap(({ commit, main: base }) => (commit === null ? [] : [{ commit, base }]));
  const merged = isDue ? await trees.merged(works) : new Map<string, never>();
  // Where that is unknown, nothing is closed: the next look sees to it.
  const back = await trees.broughtBack(works.filter(({ commit }) => merged.get(commit) === 'yes')).catch(() => null);
  return found.map(({ main: _, opened, ...one }) => {
    const is = merged.get(one.commit ?? '') ?? 'unknown';
    const isMerged = is === 'yes' && back === null ? 'unknown' : is;
    const seen = { ...one, isMerged, broughtBack: back?.get(one.commit ?? '') ?? null };
    return opened === undefined ? seen : { ...seen, pullRequest: pullRequestSeen(opened, one, gone) };
  });
}

function pullRequestSeen(
  { rig, branch, commit, url }: PullRequest,
  { bead, polecat }: Pick<Handed, 'bead' | 'polecat'>,
  gone: ReadonlyMap<string, string> | null,
): PullRequestSeen {
  const push = gone?.get(branch);
  if (push === undefined) return { url, isBranchThere: gone === null ? 'unknown' : 'yes', again: '' };
  const again = `${push} && ${readyLine(rig, { polecat, branch, commit, bead })}`;
  return { url, isBranchThere: 'no', again };
}

/** Hands this commit over, as a witness does. */
export function readyLine(
  rig: string,
  { branch, commit, polecat = null, bead = null }: Pushed & Partial<Pick<Handed, 'polecat' | 'bead'>>,
): string {
  const words = JSON.stringify({ Branch: branch, Commit: commit, ...(bead !== null && { Issue: bead }) });
  const subject = shellWord(`MERGE_READY ${polecat ?? branch}`);
  return `town mail send ${refineryAddress(rig)} -s ${subject} -m ${shellWord(words)}`;
}
