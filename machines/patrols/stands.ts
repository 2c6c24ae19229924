/**
 * What a witness claims to stand for a person: one kind of alert each, and the alerts actor begins, repeats and ends it (law 8). A table
 * claims it by an act `stand`, which is no order; what may still stand, and is not known now, keeps its earlier words.
 */
import type { About, Alert } from '../protocol.ts';
import type { Stands } from '../protocol/patrols.ts';
import { refineryAddress, sessionOfAgent } from '../rigs/names.ts';
import { CLAIMS } from './policy.ts';

interface StandKindOf {
  readonly asks: (about: About) => readonly string[];
  readonly over: string;
}

export const STANDS = {
  'deacon-late': { asks: () => ['town deacon status'], over: 'The Deacon beats again.' },
  'cleanups-wait': {
    asks: () => ['town triage list'],
    over: 'Few polecats wait to be cleaned up by now.',
  },
  'refinery-missing': {
    asks: ({ of }) => [`town mail inbox ${of}/refinery`],
    over: 'No merge request waits without a refinery any more.',
  },
  'refinery-stopped': {
    asks: ({ of }) => [`town session start ${sessionOfAgent(refineryAddress(of))}`, `town mail inbox ${of}/refinery`],
    over: 'The refinery runs again, or no merge request waits.',
  },
  'merge-late': { asks: ({ of }) => [`town bead show ${of}`], over: 'It is with the refinery no more.' },
  'merge-unproved': {
    asks: ({ within }) => [`town mail inbox ${within}/witness`],
    over: 'It was judged, or its letter was put away.',
  },
  'main-returned': {
    asks: ({ within }) => [`town rig show ${within}`],
    over: 'Main does not hold again what a forced push took out.',
  },
  'merge-out': {
    asks: ({ of }) => [`town bead close ${of} --reason <why>`, `town bead update ${of} --assignee ""`],
    over: 'Main has its work, or it is with the refinery no more.',
  },
  'request-closed': {
    asks: ({ of }) => [`town bead close ${of} --reason <why>`, `town bead update ${of} --assignee ""`],
    over: 'Main has its work, its branch is on the remote again, or it is with the refinery no more.',
  },
  'branch-later': {
    asks: ({ of }) => [`town bead show ${of}`, 'town report'],
    over: 'Main has what its branch has, or that branch is gone.',
  },
  'ref-shadows': {
    asks: ({ within }) => [`town rig show ${within}`],
    over: 'That ref, which git took for another, is gone.',
  },
  'main-lost': {
    asks: ({ of }) => ['town report', `town rig show ${of}`],
    over: 'Main has that work again, or it is closed as merged no more.',
  },
  'remote-changed': {
    asks: ({ of }) => [`town rig show ${of}`],
    over: 'Nothing is in the way of its remote any more.',
  },
  'remote-away': {
    asks: ({ of }) => [`town rig show ${of}`],
    over: 'The remote answers again, or nothing waits for it.',
  },
  'other-town': {
    asks: ({ of }) => [`town rig show ${of}`],
    over: 'No other town works in its repository any more.',
  },
  'dispatch-rests': { asks: () => ['town report'], over: 'Work is given out again.' },
  'work-asked': {
    asks: ({ within }) => [`town bead list --rig ${within}`, `town bead approve --rig ${within}`],
    over: 'No bead waits for your yes any more.',
  },
  'work-restored': {
    asks: ({ within }) => [`town bead list --rig ${within}`],
    over: 'Main is known to have such work, or to lack it, or it was closed or begun again.',
  },
  'worktree-odd': {
    asks: ({ within, of }) => [`town polecat git-state ${within}/${of}`],
    over: 'Its worktree can be judged, or it is gone.',
  },
  'work-scattered': {
    asks: ({ within, of }) => [`town polecat git-state ${within}/${of}`],
    over: 'Its commits are on one branch, or it is gone.',
  },
  'idle-dirty': {
    asks: ({ within, of }) => [`town polecat git-state ${within}/${of}`],
    over: 'It works, it holds no uncommitted work, or it is gone.',
  },
  'check-unknown': {
    asks: ({ within, of }) => [`town polecat check ${within}/${of}`],
    over: 'Its done_check has a result, or it is gone.',
  },
  'record-unread': {
    asks: ({ within }) => [`town rig show ${within}`],
    over: 'The record can be read again, or it is needed no more.',
  },
  'witness-mail': { asks: ({ of }) => [`town mail inbox ${of}/witness`], over: 'No such letter lies there any more.' },
  'witness-budget': {
    asks: ({ of }) => [`town mail inbox ${of}/witness`],
    over: 'No letter waits for its hour any more.',
  },
} as const satisfies Readonly<Record<string, StandKindOf>>;

export type StandKind = keyof typeof STANDS;

export interface StandAct extends Stands {
  readonly act: 'stand';
  readonly kind: StandKind;
}

export const stand = (severity: Alert['severity'], kind: StandKind, text: string, name = ''): StandAct => {
  return { act: 'stand', severity, kind, name, text };
};

/** Names of a kind that may stand still, without being known to; null = all. */
export type StillMay = (kind: StandKind) => readonly string[] | null;

/** What stands after a look: what was claimed now, and of what stood before what may stand still. */
export function standsAfter(
  claimed: readonly StandAct[],
  before: readonly Stands[] | null,
  stillMay: StillMay,
): readonly Stands[] {
  return Object.keys(STANDS).flatMap((key) => {
    const kind = key as StandKind;
    const now = new Map<string, Stands>();
    for (const { act: _, ...one } of claimed)
      if (one.kind === kind) now.set(one.name, { ...one, text: one.text.slice(0, CLAIMS.maxText) });
    const names = stillMay(kind);
    for (const one of before ?? [])
      if (one.kind === kind && !now.has(one.name) && (names === null || names.includes(one.name)))
        now.set(one.name, one);
    return [...now.values()].slice(0, CLAIMS.ofKind);
  });
}
