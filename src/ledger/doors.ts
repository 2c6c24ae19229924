/**
 * The ledger as a caller may use it. The operator's records who made a bead; an agent's asks for each write whether that agent may have
 * it (`authority.ts`). What a command does for a caller beyond that, it does with the ledger itself, after a check of its own.
 */
import type { Bead, Official, Signature } from '../../machines/ledger/bead.ts';
import { isSetAside } from '../../machines/ledger/changes.ts';
import type { Comment, Evidence, Ledger, PutWanted, WriteCondition } from '../../state/ledger/port.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { changeDenied, strangerDenied, type AgentCaller } from './authority.ts';
import { consentAfter, tooManyHeld } from './consent.ts';

/** Of a refusal, for programs. */
export const NOT_YOURS = 'not_yours';

/** A bead that a caller makes. */
export const madeBy = (made: Signature): Official => ({ made, resolution: null });
export const signatureOfAgent = ({ address, life }: AgentCaller): Signature => ({
  by: address,
  via: 'agent',
  life,
  at: new Date().toISOString(),
});
export const signatureOfOperator = (): Signature => ({
  by: 'overseer',
  via: 'operator',
  life: null,
  at: new Date().toISOString(),
});

/** What an agent sets aside is its own to go on with; what the operator sets aside waits for the operator. */
const asideAfter = (before: Bead | null, after: Bead, agent?: string): Pick<Official, 'aside'> => {
  if (!isSetAside(after)) return { aside: undefined };
  return { aside: before?.status === after.status ? before.official.aside : agent };
};

/** What an agent closes is its own word. The operator's, which says why anew, takes its place. */
const closedAfter = (before: Bead | null, after: Bead, agent?: Signature): Pick<Official, 'closed'> => {
  if (after.status !== 'closed') return { closed: undefined };
  if (before?.status !== 'closed')
    return { closed: agent === undefined ? undefined : { ...agent, at: after.closedAt } };
  const isAnew = agent === undefined && before.closeReason !== after.closeReason;
  return { closed: isAnew ? undefined : before.official.closed };
};

type Write = 'put' | 'putAll' | 'remove' | 'comment' | 'commentAll' | 'addEvidence' | 'forgetEvidence';
type Writes = Pick<Ledger, Write>;
/** Each by itself: a refusal is about one of them. */
const oneByOne = ({ put, comment, ...rest }: Omit<Writes, 'putAll' | 'commentAll'>): Writes => ({
  ...rest,
  put,
  comment,
  putAll: (writes) => Array.fromAsync(writes, ({ bead, condition }) => put(bead, condition)),
  commentAll: (comments) => Array.fromAsync(comments, comment),
});
const behind = (ledger: Ledger, writes: Writes, again: (inner: Ledger) => Ledger): Ledger => ({
  beads: (ids) => ledger.beads(ids),
  list: (query, page) => ledger.list(query, page),
  ended: (ids) => ledger.ended(ids),
  tallies: (ids) => ledger.tallies(ids),
  comments: (id, page) => ledger.comments(id, page),
  newestEvidence: (author, until) => ledger.newestEvidence(author, until),
  newestOfEach: (page) => ledger.newestOfEach(page),
  evidence: (author, page, until) => ledger.evidence(author, page, until),
  within: (ms) => again(ledger.within(ms)),
  close: () => ledger.close(),
  ...writes,
});

/** All that the operator makes, and sets aside, is on record as the operator's. */
export function asOperator(ledger: Ledger): Ledger {
  const signed = async (bead: Bead, condition: WriteCondition): Promise<PutWanted> => {
    if (condition.official !== undefined) return { bead, condition };
    if (condition.expects === 0) return { bead, condition: { ...condition, official: madeBy(signatureOfOperator()) } };
    const [before] = isSetAside(bead) || bead.status === 'closed' ? await ledger.beads([bead.id]) : [];
    if (before?.official.aside === undefined && before?.official.closed === undefined) return { bead, condition };
    const official = { ...before.official, ...asideAfter(before, bead), ...closedAfter(before, bead) };
    return { bead, condition: { ...condition, official } };
  };
  const writes: Writes = {
    put: async (...given) => {
      const { bead, condition } = await signed(...given);
      return ledger.put(bead, condition);
    },
    // No write of the operator's is refused: all of them are one, and quick.
    putAll: async (all) => ledger.putAll(await Array.fromAsync(all, ({ bead, condition }) => signed(bead, condition))),
    remove: (id, expects) => ledger.remove(id, expects),
    comment: (comment) => ledger.comment(comment),
    commentAll: (comments) => ledger.commentAll(comments),
    addEvidence: (evidence) => ledger.addEvidence(evidence),
    forgetEvidence: (author, before) => ledger.forgetEvidence(author, before),
  };
  return behind(ledger, writes, asOperator);
}

const refuse = ({ address }: AgentCaller, why: string, id: string | null): never => {
  const next = id === null ? 'ask for it' : `say what you want: town bd comments add ${id} "…"`;
  const text = `TOWN_TOKEN says that ${address} calls, and ${why}; ${next}, or write to overseer: town mail send`;
  throw new Failure(EXIT.refused, NOT_YOURS, text);
};

/** Throws Failure (5) where the bead is not the caller's to change. */
export function mustBeYours(caller: AgentCaller, bead: Bead): void {
  const why = strangerDenied(caller, bead);
  if (why !== null) refuse(caller, why, bead.id);
}

/**
 * An id of evidence counts once, and the town derives its own from what it remembers: an agent's ids lie apart, so that none of them takes
 * one of the town's. No rig has a dot in its name.
 */
const ownEvidenceId = ({ address }: Pick<AgentCaller, 'address'>, id: string): string => `of.${address}/${id}`;

/** Whether the agent of this name wrote it under its own token. */
export const isOwnEvidence = (address: string, id: string): boolean => id.startsWith(ownEvidenceId({ address }, ''));

/** Commands take the time before they open the ledger. */
const EARLY_MS = 60_000;
/** A clock is read twice. */
const LATE_MS = 1_000;

/** `caller`: asked at the first write; it throws if the caller is no living agent. */
export function asAgent(ledger: Ledger, caller: () => Promise<AgentCaller>, openedAt = Date.now()): Ledger {
  const window = () => ({ since: openedAt - EARLY_MS, until: Date.now() + LATE_MS });
  const mustBeSelf = (who: AgentCaller, author: string): void => {
    if (author === who.address || author === who.session) return;
    throw new Failure(
      EXIT.refused,
      NOT_YOURS,
      `you are ${who.address}, and write in no other name than that: ${JSON.stringify(author)}`,
    );
  };
  const mustBeNow = (at: number, isPastFine: boolean): void => {
    const { since, until } = window();
    if (at <= until && (isPastFine || at >= since)) return;
    throw new Failure(
      EXIT.refused,
      NOT_YOURS,
      `its time ${new Date(at).toISOString()} is not yours to set; leave it out`,
    );
  };
  const writes = oneByOne({
    put: async (after, { expects, write }) => {
      const who = await caller();
      const [before = null] = await ledger.beads([after.id]);
      // What is stored is what was looked at.
      if ((before?.version ?? 0) !== expects) return { is: 'conflict', bead: before };
      const wish = { before, after };
      const why = changeDenied(who, { ...wish, ...window() }) ?? (await tooManyHeld(ledger, who, wish));
      if (why !== null) refuse(who, why, before?.id ?? null);
      const touched = signatureOfAgent(who);
      const known = before === null ? madeBy(touched) : { ...before.official, touched };
      const word = { ...asideAfter(before, after, who.address), ...closedAfter(before, after, touched) };
      const official = { ...known, ...word, ...(await consentAfter(ledger, who, wish)) };
      return ledger.put(after, { expects, write, official });
    },
    remove: async (id, expects) => {
      const who = await caller();
      const [before] = await ledger.beads([id]);
      if (before !== undefined) mustBeYours(who, before);
      return ledger.remove(id, expects);
    },
    comment: async (comment: Comment) => {
      mustBeSelf(await caller(), comment.author);
      mustBeNow(Date.parse(comment.createdAt), false);
      return ledger.comment(comment);
    },
    addEvidence: async (evidence: Evidence) => {
      const who = await caller();
      mustBeSelf(who, evidence.author);
      mustBeNow(evidence.at, true);
      return ledger.addEvidence({ ...evidence, id: ownEvidenceId(who, evidence.id) });
    },
    forgetEvidence: async () => refuse(await caller(), 'no agent removes evidence', null),
  });
  return behind(ledger, writes, (inner) => asAgent(inner, caller, openedAt));
}
