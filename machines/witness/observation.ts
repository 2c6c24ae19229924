/** What a witness sees of its rig in one cycle, and its possible acts. Ages are durations; `unknown` decides nothing. */
import type { PatrolAct } from '../patrols/dispatch.ts';
import type { AwaySeen, LeftSeen, RigSeen, UnreadSeen } from '../patrols/observation.ts';
import type { Ms } from '../protocol.ts';
import type { TriageType } from '../triage/cases.ts';
import type { CheckSeen } from './check-seen.ts';
import type { FormerWork } from './former-work.ts';
import type { PullRequestSeen, RefinerySeen } from './refinery-seen.ts';
import type { ShelfSeen } from './shelf-seen.ts';
import type { ProtocolMessage } from './messages.ts';

/**
 * going: it was being made or taken away, and that was cut off. clean: everything in it is elsewhere. unpushed: only
 * commits of its own branch are not. dirty: something else is not. wrong: it is not there, or is no worktree of its
 * own. unknown: not looked at, or not answered in time.
 */
export type TreeState = 'going' | 'clean' | 'unpushed' | 'dirty' | 'wrong' | 'unknown';

export interface PolecatSeen {
  readonly name: string;
  /** Another polecat of the name has another. */
  readonly uuid: string;
  /** As an assignee is written: `<rig>/polecats/<name>`. */
  readonly agent: string;
  readonly session: 'alive' | 'dead' | 'unknown';
  readonly tree: TreeState;
  /** What git says of it, for people; empty = not looked at. */
  readonly treeText: string;
  readonly branch: string;
  /** The commit of main that its branch held when it began; null = unknown. */
  readonly main: string | null;
  /** What git shows of its work; `unknown`: not looked at, or git cannot say. */
  readonly left: LeftSeen;
  /** What the rig's `done_check` says of the commit that it left; null = there is no check, or nothing to check. */
  readonly check: CheckSeen | null;
  /** Since it got the notice that its finished work has no commit; null = it got none. */
  readonly emptyToldMs: Ms | null;
  /** Since it got the list of what it left uncommitted, where no later decision says that it goes on; null = it got none. */
  readonly dirtyToldMs: Ms | null;
  /** The bead on its hook; null = none. `isHookClosed`: that bead is closed. */
  readonly hook: string | null;
  readonly isHookClosed: boolean;
  /** null = what it was started for is on its hook; or it was started without work. */
  readonly former: FormerWork | null;
  /** Since it was closed, and since its agent got the notice. null = not so, or unknown. */
  readonly closedMs: Ms | null;
  readonly closedToldMs: Ms | null;
  /** What the life that it has reports of itself (`town report-status`); null = nothing. */
  readonly report: 'working' | 'idle' | 'asks' | 'stuck' | null;
  /** The life that its session has, or had last; null = unknown. */
  readonly life: string | null;
  /** Since it began; null = not known. */
  readonly ageMs: Ms | null;
  /** Without a word of its own for so long; one with work that never said any: since its life began. null = not known. */
  readonly idleMs: Ms | null;
  /** Nothing was seen of its work for so long: no commit, no evidence but of its being there, no change of its bead. */
  readonly stillMs: Ms;
  /** What was done about that, as ages; null = it was not. */
  readonly hookMemory: HookMemory;
  /** The nudges of this idle spell: none, the gentle one, the one with a deadline so long ago. */
  readonly nudged: 'never' | 'gently' | 'with deadline';
  readonly deadlineMs: Ms | null;
  /** The previous cycle saw the same. */
  readonly isConfirmed: boolean;
  /** It was seen dead, and something was heard of it after that. */
  readonly isDisputed: boolean;
  /** It said that it begins to finish, so long ago; null = it did not. */
  readonly doneIntentMs: Ms | null;
  /** … in its own name; else a label says so, which anybody may have written. */
  readonly isOwnIntent: boolean;
  /** It was decided last that it goes on with what it has, or it got word that it is not done, so long ago; null = never. */
  readonly goesOnMs: Ms | null;
  /** A record about it does not count: its session, its worktree and its memory are `unknown` then. Absent = all were read. */
  readonly unread?: UnreadSeen;
}

/** The last of each. `nudged`: or could not be, by a screen that tells nothing. `exempt`: a nudge was refused, since it worked visibly or waited for a person; then `question` says for what. */
export interface HookMemory {
  readonly nudgedMs: Ms | null;
  readonly askedMs: Ms | null;
  readonly exemptMs: Ms | null;
  /** Since the last nudge was refused; null = it was typed. */
  readonly refusedMs: Ms | null;
  /** The reason, if it implies neither work nor a question: the screen does not show where to type. */
  readonly unspoken: string | null;
}

/**
 * Who wrote a letter, by the door that it came through: without a token the operator, with one the session that has it. `polecat`:
 * which polecat of this rig the sender is, or speaks for.
 */
export interface Sender {
  readonly is: 'operator' | 'town' | 'refinery' | 'polecat' | 'other';
  readonly polecat: string | null;
}

/** Work that a MERGE_READY handed to the refinery, as the town itself kept it. */
export interface HandedSeen {
  /** null = its polecat had none on its hook. */
  readonly bead: string | null;
  readonly polecat: string | null;
  /** The town handed it over: its polecat is gone, and another one may have its name. false = a person or an agent asks for the merge. */
  readonly isOfGone: boolean;
  readonly branch: string | null;
  readonly commit: string | null;
  /** Its bead is closed. */
  readonly isClosed: boolean;
  /**
   * Whether the remote's main branch has it; `unknown`: git was not asked, or cannot tell. `dropped`: it does not, and a forced push took
   * out of main what the work began with, so that its merge would bring that back. `out`: main had it and took it out again.
   */
  readonly isMerged: 'yes' | 'no' | 'dropped' | 'out' | 'unknown';
  /** How its merge brought back what a forced push had taken out of main, in a sentence for a person; null = it did not. */
  readonly broughtBack: string | null;
  /** Letters about it that wait in the refinery's mailbox. */
  readonly requests: readonly string[];
  /** The pull request that its refinery opened for it. Absent = none is on record. */
  readonly pullRequest?: PullRequestSeen;
  /** What was handed over is unknown, and so is its merge. Absent = it is known. */
  readonly unread?: UnreadSeen;
}

/** `ref`: with the name of the remote that it is on. `text`: a sentence for a person. */
export interface ShadowSeen {
  readonly ref: string;
  readonly text: string;
}

export interface ReturnedSeen {
  /** The commit of main before that push. */
  readonly commit: string;
  /** A sentence for a person. */
  readonly text: string;
}

/** Merged work that forced pushes took out of main, of each push in a sentence for a person. */
export type LostSeen = readonly { readonly text: string; readonly beads: readonly string[] }[];

/** Merged beads whose branch got commits later that main lacks, in a sentence for a person; null = git does not tell of this one now. */
export type LaterSeen = readonly { readonly bead: string; readonly text: string | null }[];

export interface LetterSeen {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
  /** null = no message of the protocol. */
  readonly message: ProtocolMessage | null;
  readonly sender: Sender;
  /** The life of the agent that wrote it, by its token; null = unknown, or no agent wrote it. */
  readonly life: string | null;
  /** The life that wrote it is over, and another has its name. */
  readonly isStale: boolean;
  readonly ageMs: Ms;
  /** It exceeded its sender's budget in an earlier hour, and waits apart from the others. */
  readonly isLate: boolean;
  /** Beads that it wants to be followed, and that the ledger does not have. */
  readonly unknownBeads: readonly string[];
  /** The swarm that it starts has the name of another one: of other beads, or one that is over. */
  readonly isNameTaken: boolean;
}

/** Who wished the end of a polecat. `life`: that of the polecat, by its token; null = unknown. */
export interface Wish {
  readonly by: string;
  readonly via: 'agent' | 'operator';
  readonly life: string | null;
}

/** Open wisps of this rig, by their labels. */
export interface WispSeen {
  readonly id: string;
  readonly kind: 'cleanup' | 'swarm';
  readonly polecat: string | null;
  readonly state: 'pending' | 'merge-requested' | null;
  readonly ageMs: Ms;
  /** RECOVERY_NEEDED was sent for it. */
  readonly wasTold: boolean;
  /** The polecat that lives said itself that it is done. */
  readonly isVoluntary: boolean;
  /** The life that said so by its own token; null = none did, or it is unknown. */
  readonly wishLife: string | null;
  /** Of a swarm. */
  readonly swarm: { readonly id: string; readonly total: number; readonly closed: number } | null;
}

/** An overdue gate that was not escalated yet. */
export type GateSeen = Readonly<Record<'id' | 'title', string>>;

export interface WitnessSeen {
  readonly rig: RigSeen;
  readonly away?: AwaySeen;
  readonly polecats: readonly PolecatSeen[];
  readonly letters: readonly LetterSeen[];
  readonly shelf: ShelfSeen;
  readonly wisps: readonly WispSeen[];
  /** A mayor lives, who reads mail; else what only a mayor would decide is a person's too. */
  readonly hasMayor: boolean;
  /** How far the Deacon is past its due beat; null = not late, or unknown. */
  readonly deaconLateMs: Ms | null;
  readonly refinery: RefinerySeen;
  readonly handed: readonly HandedSeen[];
  readonly returned: readonly ReturnedSeen[] | null;
  /** null = git does not tell now. */
  readonly lost: LostSeen | null;
  /** null = git does not tell now. */
  readonly later: LaterSeen | null;
  /** Refs that git takes for others; null = git does not tell now. */
  readonly shadows: readonly ShadowSeen[] | null;
  /** Of this rig. */
  readonly overdue: readonly GateSeen[];
  /** Open escalations of this rig by which an earlier version told what a level says now. */
  readonly older: readonly string[];
  /** Agents with a case that is decided and not yet carried out. */
  readonly decided: readonly string[];
}

/** Alerts a person of what happened, once for each cause, however often it occurs. What stands is claimed (`stand`). */
export interface TellAct {
  readonly act: 'tell';
  readonly severity: 'medium' | 'high' | 'critical';
  readonly about: string;
  readonly text: string;
  /** It may happen once more. */
  readonly count?: 'more';
}

/** `of`: what it is about (a letter, a wisp, a life). A subject is sent once for each `of`, even with other words. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
  readonly of: string;
}

/** `rests`: only once all of these were done in the same cycle; else the next one sees to it. */
interface Resting {
  readonly rests?: readonly (WitnessAct | PatrolAct)[];
}

export type WitnessAct =
  | ({ readonly act: 'archive'; readonly mail: string; readonly why: string } & Resting)
  /** Only if a look while acting agrees. `push`: its own branch first. The refinery holds the bead; `ready` is sent last. */
  | {
      readonly act: 'nuke';
      readonly polecat: string;
      readonly push: boolean;
      readonly why: string;
      readonly uuid: string;
      readonly bead: string | null;
      /** Where its work was seen; `commit`: the last one of it, null = none of its own is handed over. */
      readonly branch: string;
      readonly commit: string | null;
      /** The commit of main that it holds; null = unknown. */
      readonly main: string | null;
      readonly agent: string;
      readonly ready: Letter | null;
      /** No refinery hears of its work, and its commit is kept for a person: the bead that it was done for. */
      readonly keepsFor?: string;
    }
  /** Runs the rig's `done_check` in its worktree, in a process of its own. */
  | { readonly act: 'check'; readonly polecat: string; readonly agent: string; readonly commit: string }
  /** A request that the refinery need not read any more. */
  | { readonly act: 'withdraw'; readonly mail: string; readonly why: string }
  /** Kept where no cycle reads them, or not in this hour. */
  | {
      readonly act: 'shelve';
      readonly mails: readonly string[];
      readonly to: 'later' | 'aside';
      readonly about: string;
      readonly why: string;
    }
  /** As it was written, to whose business it is. */
  | { readonly act: 'forward'; readonly mail: string; readonly to: string }
  /** Its session. `endedSoon`: the last one had just been started. */
  | { readonly act: 'start'; readonly agent: string; readonly why: string; readonly endedSoon: boolean }
  /** The life that it has, by a warrant. `isVoluntary`: it asked for that, and needs no hearing. */
  | { readonly act: 'end'; readonly agent: string; readonly isVoluntary: boolean; readonly why: string }
  | ({ readonly act: 'send' } & Letter)
  | { readonly act: 'wisp'; readonly title: string; readonly labels: readonly string[]; readonly wish: Wish | null }
  | { readonly act: 'follow'; readonly swarm: string; readonly beads: readonly string[] }
  | ({ readonly act: 'label'; readonly wisp: string; readonly add: string } & Resting)
  /** A gate: put before a person, and it stays shut. */
  | { readonly act: 'escalate'; readonly gate: string; readonly title: string }
  | ({ readonly act: 'close'; readonly bead: string; readonly reason: string } & Resting)
  /** `of`: it is remembered with the hook. */
  | {
      readonly act: 'triage';
      readonly type: TriageType;
      readonly agent: string;
      readonly context: string;
      readonly of?: 'hook';
    }
  | {
      readonly act: 'nudge';
      readonly agent: string;
      readonly text: string;
      readonly kind: 'gentle' | 'deadline' | 'hook' | 'wake' | 'queue' | 'empty' | 'closed' | 'red' | 'dirty';
    }
  | TellAct;
