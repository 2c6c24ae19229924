/**
 * What became of work, for `town report`. The ledger says which work there is, how it stands, and what a
 * witness proved in git, the witness's memory which polecat began it and when, git where a branch is now. No letter counts.
 */
import { isWorkType } from '../../ledger/walk.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { holderOf, isAtWork } from '../../../machines/ledger/changes.ts';
import { episodeOfEscalation } from '../../../machines/ledger/escalations.ts';
import { episodeOfGate } from '../../../machines/ledger/gates.ts';
import { polecatIn, refineryAddress, sessionOf, wordsOf } from '../../../machines/rigs/names.ts';
import type { TriageCase } from '../../../machines/triage/cases.ts';
import { FAILED, LAST_ATTEMPT, LAST_FAILURE } from '../../ledger/attempts.ts';
import { escalationOf } from '../../ledger/gates.ts';
import type { Worked } from '../../journal/digest.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { escalationsOf } from '../../triage/requests.ts';
import type { KeptBranch } from '../../rigs/earlier-branches.ts';
import { openText, saysClosed } from '../../rigs/pull-request.ts';
import type { PullRequest } from '../../../state/rigs/pull-requests.ts';
import { age, order } from '../../ports/age.ts';
import { keptText } from '../asking/kept-branches.ts';
import type { Question } from './asking.ts';

/**
 * `merged`: the remote's main branch has it. `closed`: closed by another word than a patrol's. `kept`: so, and its polecat finished it later:
 * its commits are kept. `waits`: for you.
 * `to_merge`: the refinery has it. `not_begun`: no agent had it.
 */
export const OUTCOMES = ['merged', 'failed', 'waits', 'to_merge', 'under_way', 'not_begun', 'kept', 'closed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface WorkItem {
  readonly bead: string;
  readonly title: string;
  readonly rig: string;
  readonly outcome: Outcome;
  /** Why it failed or waits, or how it was closed; empty = nothing to add. */
  readonly why: string;
  /** Command lines for a person, the likeliest first. */
  readonly type: readonly string[];
  /** Beads that it waits for. */
  readonly waits_for: readonly string[];
  /** Its branch, and the last commit of its work; null = none, or not known. */
  readonly branch: string | null;
  readonly commit: string | null;
  /** The polecat that had it last, as `<rig>/<name>`; null = none. */
  readonly agent: string | null;
  /** Polecats that began it. */
  readonly attempts: number;
  /** From the first attempt to its end, or to now; null = not begun. */
  readonly elapsed_ms: number | null;
}

/** What the town remembers of the attempts at a bead. */
export interface Attempts {
  readonly polecat: string;
  readonly branch: string;
  readonly count: number;
  /** Wall ms of the first and the last. */
  readonly firstAt: number;
  /** What was handed over of the last one, to be merged; null = nothing was, or not known. */
  readonly handed: string | null;
  /** Wall ms when that was; null = as above. */
  readonly handedAt: number | null;
}

/** All that a piece of work is judged by. */
export interface WorkSeen {
  readonly open: readonly Bead[];
  /** Closed in the stretch. */
  readonly closed: readonly Bead[];
  readonly waits: ReadonlyMap<string, readonly string[]>;
  /** Gates that a person opens, by their ids. */
  readonly gates: ReadonlySet<string>;
  readonly cases: readonly TriageCase[];
  readonly attempts: ReadonlyMap<string, Attempts>;
  /** Commit of a branch of a rig now, by `<rig> <branch>`. */
  readonly tips: ReadonlyMap<string, string>;
  /** Names of the rigs; null = not all are known. */
  readonly rigs: ReadonlySet<string> | null;
  /** Merged, and taken out of main by a forced push: the line that brings it back, by bead; null = there is none. */
  readonly lost: ReadonlyMap<string, string | null>;
  /** Merged, and earlier attempts left branches on the remote. */
  readonly kept: ReadonlyMap<string, readonly KeptBranch[]>;
  /** What patrols did in the stretch. */
  readonly worked: readonly Worked[];
  /** null = unknown. */
  readonly alerts: readonly OpenAlert[] | null;
  /** What alerts ask a person, by their episodes, with what to type. */
  readonly questions: readonly Question[];
  /** Pull requests of work that lies with a refinery, by bead. */
  readonly requests: ReadonlyMap<string, PullRequest>;
  /** Why the refinery could not merge a bead yet. */
  readonly waiting: ReadonlyMap<string, string>;
  /** A model decides what it may; else each case is a person's. */
  readonly hasReasoner: boolean;
  readonly now: number;
}

/** Work that a person or an agent gave: the town's own notes are none. */
export const isWork = ({ isWisp, type }: Bead): boolean => !isWisp && isWorkType(type) && type !== 'epic';

interface Standing {
  readonly outcome: Outcome;
  readonly why?: string;
  readonly type?: readonly string[];
}

/** In the order of OUTCOMES; of one outcome the latest or most urgent first. */
export function workOf(seen: WorkSeen): WorkItem[] {
  const open = seen.open.filter(isWork).map((bead) => itemOf(seen, bead, standingOf(seen, bead)));
  const closed = seen.closed
    .filter(isWork)
    .toSorted((a, b) => b.closedAt.localeCompare(a.closedAt))
    .map((bead) => itemOf(seen, bead, closedAs(seen, bead)));
  const all = [...closed, ...open];
  return OUTCOMES.flatMap((outcome) => all.filter((item) => item.outcome === outcome));
}

/** Merged by a witness, which closed it for that; what was opened again since is closed by another word. */
function closedAs(
  { worked, lost, kept, attempts }: WorkSeen,
  { id, rig, closeReason, closedAt, official }: Bead,
): Standing {
  if (lost.has(id)) {
    const back = lost.get(id);
    const type = [...(back ? [back] : []), `town bead reopen ${id}`];
    return { outcome: 'waits', why: 'it was merged, and a forced push took it out of main', type };
  }
  // The ledger of an older town does not tell it: the journal holds the witness's deed, which follows the close.
  const isDeed = ({ act, done, about, patrol, at }: Worked): boolean =>
    act === 'close' && done && about === id && patrol === rig && Date.parse(at) >= Date.parse(closedAt);
  const isMerged = official.merged === undefined ? worked.some(isDeed) : official.merged === closedAt;
  // What is handed over to be merged is handed over before its bead is closed.
  const keptAt = attempts.get(id)?.handedAt ?? 0;
  if (!isMerged && order(keptAt) >= order(Date.parse(closedAt)))
    return { outcome: 'kept', why: closeReason, type: [`town bead reopen ${id}`] };
  if (!isMerged) return { outcome: 'closed', why: closeReason };
  const left = kept.get(id);
  return left ? { outcome: 'merged', why: keptText(left), type: left.map(({ line }) => line) } : { outcome: 'merged' };
}

function standingOf(seen: WorkSeen, bead: Bead): Standing {
  const { id, status, labels, metadata, assignee, attempts } = bead;
  if (status === 'blocked' && labels.includes(FAILED)) {
    const type = [`town why ${id}`, `town deacon redispatch ${id}`];
    return { outcome: 'failed', why: metadata[LAST_FAILURE] ?? '', type };
  }
  const waits = waitsForPerson(seen, bead);
  if (waits !== null) return waits;
  if (holderOf(bead) !== null) {
    const outcome = assignee === refineryAddress(bead.rig) ? 'to_merge' : 'under_way';
    const request = seen.requests.get(id);
    if (!isAtWork(bead)) return { outcome, why: `it is ${status}` };
    if (request !== undefined) return { outcome, why: openText(request, seen.now) };
    const waiting = seen.waiting.get(id);
    return waiting === undefined ? { outcome } : { outcome, why: waiting, type: [`town mail inbox ${assignee}`] };
  }
  if (attempts > 0) {
    const why = `to be begun again; the last attempt: ${metadata[LAST_FAILURE] ?? 'unknown'}`;
    return { outcome: 'under_way', why };
  }
  // No agent begins what is assigned already.
  if (status === 'open' && assignee !== '')
    return { outcome: 'not_begun', why: `assigned to ${assignee}`, type: [`town bead update ${id} --assignee ""`] };
  return { outcome: 'not_begun', ...whyNotBegun(seen, bead) };
}

/** Work without a rig that the town has goes to no agent. */
function whyNotBegun({ rigs }: WorkSeen, { id, rig, status }: Bead): Pick<Standing, 'why' | 'type'> {
  if (status !== 'open') return { why: status };
  const update = `town bead update ${id} --rig <rig>`;
  if (rigs === null || rigs.has(rig) || (rig === '' && rigs.size === 0)) return { why: '' };
  if (rig === '') return { why: 'it is of no rig', type: [update] };
  return { why: `there is no rig ${rig}`, type: [`town rig add ${rig} <path>`, update] };
}

function waitsForPerson(seen: WorkSeen, bead: Bead): Standing | null {
  const { id, assignee, status, official } = bead;
  if (status === 'open' && official.consent === 'asked') {
    const why = `${official.made?.by ?? 'an agent'} made it, and it waits for your yes`;
    return { outcome: 'waits', why, type: [`town bead approve ${id}`] };
  }
  const polecat = polecatIn(assignee);
  const session = polecat === null ? null : sessionOf(polecat);
  const isHeld = holderOf(bead) !== null;
  const ofSession = (one: OpenAlert): boolean => session !== null && one.session === session;
  const lineFor = (episodes: readonly string[]): readonly string[] | undefined =>
    seen.questions.find((one) => episodes.includes(one.id))?.type;
  const alert = seen.alerts?.find(
    (one) => isHeld && (ofSession(one) || saysClosed(one.episode, bead)) && (one.type ?? null) !== null,
  );
  if (alert !== undefined)
    return { outcome: 'waits', why: alert.text, type: lineFor([alert.episode]) ?? alert.type ?? [] };
  const of = (one: TriageCase): boolean => one.snapshot === id || (isHeld && one.agent === assignee);
  const open = seen.cases.find((one) => of(one) && one.state === 'open' && (one.isPersons || !seen.hasReasoner));
  if (open !== undefined) {
    const type = lineFor(escalationsOf(open.id).map(episodeOfEscalation)) ?? [`town triage show ${open.id}`];
    return { outcome: 'waits', why: open.context.split('\n')[0] ?? '', type };
  }
  const gate = isHeld ? undefined : seen.waits.get(id)?.find((one) => seen.gates.has(one));
  if (gate === undefined) return null;
  const type = lineFor([episodeOfGate(gate), episodeOfEscalation(escalationOf(gate))]);
  return { outcome: 'waits', why: `it waits for the gate ${gate}`, type: type ?? [`town bead gate close ${gate}`] };
}

const END: Readonly<Partial<Record<Outcome, (bead: Bead) => number>>> = {
  merged: ({ closedAt }) => Date.parse(closedAt),
  closed: ({ closedAt }) => Date.parse(closedAt),
  failed: ({ metadata }) => Date.parse(metadata[LAST_ATTEMPT] ?? ''),
};

/** From the first attempt on; null = not begun, or it is not known when it ended. */
function elapsedOf({ now }: WorkSeen, bead: Bead, outcome: Outcome, begun: Attempts | undefined): number | null {
  const endedAt = END[outcome]?.(bead) ?? now;
  return begun === undefined || Number.isNaN(endedAt) ? null : age(begun.firstAt, endedAt);
}

/** Where its work is: by git now, else as the witness saw it last. Of closed work what was handed over: its branch may have more by now. */
function placeOf(
  { tips }: WorkSeen,
  { rig, status, metadata }: Bead,
  begun: Attempts | undefined,
): Pick<WorkItem, 'branch' | 'commit'> {
  if (begun === undefined) return { branch: null, commit: null };
  const branch = metadata['branch'] ?? begun.branch;
  const [tip, seen] = [tips.get(`${rig} ${branch}`), metadata['branch_commit']];
  return { branch, commit: (status === 'closed' ? (begun.handed ?? seen ?? tip) : (tip ?? seen)) ?? null };
}

function itemOf(seen: WorkSeen, bead: Bead, { outcome, why = '', type = [] }: Standing): WorkItem {
  const { id, title, rig } = bead;
  const begun = seen.attempts.get(id);
  const waits = outcome === 'not_begun' || outcome === 'waits' ? seen.waits.get(id) : undefined;
  return {
    bead: id,
    title,
    rig,
    outcome,
    why,
    type,
    waits_for: waits ?? [],
    ...placeOf(seen, bead, begun),
    agent: begun === undefined ? null : wordsOf({ rig, name: begun.polecat }),
    attempts: begun?.count ?? 0,
    elapsed_ms: elapsedOf(seen, bead, outcome, begun),
  };
}
