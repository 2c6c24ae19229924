/**
 * A letter × who sent it × what is seen besides: what follows. A letter decides about its sender alone, and about the bead that the
 * source shows on the sender's own hook; only the refinery and the operator say what became of a merge.
 */
import { describe, expect, test } from 'vitest';
import type { Sender, WitnessSeen } from '../../machines/witness/observation.ts';
import { senderOf } from '../../src/patrols/witness/letters.ts';
import { handed, hooked, letter, polecat, rig, SENDERS, work } from '../patrols/seen.ts';
import { cycleOf } from './acts.ts';

type From = keyof typeof SENDERS;
const EVERYBODY = Object.keys(SENDERS) as From[];

/** nux and ada have ended, clean; each has a bead on its hook. What nux did before is with the refinery, and main has it. */
const around: Partial<WitnessSeen> = {
  polecats: [
    polecat({ session: 'dead' }),
    polecat({
      name: 'ada',
      uuid: 'u-ada',
      agent: 'shop/polecats/ada',
      session: 'dead',
      hook: 'tw-2',
      branch: 'polecat/ada',
    }),
  ],
  rig: rig({
    hasAgent: false,
    work: [hooked(), work({ id: 'tw-2', status: 'hooked', assignee: 'shop/polecats/ada' })],
  }),
};
const HANDED = handed({ bead: 'tw-3', branch: 'polecat/old', polecat: 'old', isMerged: 'no', requests: ['r1'] });

/** What the letter itself leads to, in short; the reason of one that decides nothing. */
function follows(subject: string, body: string, from: From, more: Partial<WitnessSeen> = {}): string {
  const letters = [letter(subject, { body, sender: SENDERS[from], from })];
  const acts = cycleOf({ ...around, ...more, letters }).filter(({ act }) => act !== 'strand');
  const said = acts.flatMap((act) => {
    if (act.act === 'nuke') return [`${act.polecat} goes, ${act.bead ?? 'no bead'} is handed over`];
    if (act.act === 'close' || act.act === 'reopen') return [`${act.act} ${act.bead}`];
    if (act.act === 'send') return [`write ${act.subject}`];
    if (act.act === 'follow') return ['a swarm is tracked'];
    if (act.act === 'archive') return act.why.startsWith('it decides nothing') ? ['nothing'] : [];
    return [act.act];
  });
  return [...new Set(said)].join(', ') || 'put away';
}

type Cells = Readonly<Record<From, string>>;
const all = (cell: string, others: Partial<Cells> = {}): Cells =>
  ({ ...Object.fromEntries(EVERYBODY.map((from) => [from, cell])), ...others }) as Cells;

const NUX = 'nux goes, tw-1 is handed over';
const ADA = 'ada goes, tw-2 is handed over';

const TABLE: readonly (readonly [subject: string, body: string, cells: Cells])[] = [
  ['POLECAT_STARTED nux', '', all('put away')],
  ['POLECAT_DONE nux', '', all('nothing', { operator: NUX, itself: NUX })],
  ['POLECAT_DONE nux', 'Issue: tw-1', all('nothing', { operator: NUX, itself: NUX })],
  // A wrong bead is ignored: what is on its own hook was done.
  ['POLECAT_DONE nux', 'Issue: tw-2', all('nothing', { operator: NUX, itself: NUX })],
  ['POLECAT_DONE nux', 'Issue: tw-9', all('nothing', { operator: NUX, itself: NUX })],
  ['POLECAT_DONE ada', 'Issue: tw-2', all('nothing', { operator: ADA, 'another polecat': ADA })],
  // Its sender is known without a name, and by a word that names no polecat.
  ['POLECAT_DONE everything', '', all('nothing', { itself: NUX, 'another polecat': ADA })],
  ['POLECAT_DONE', '', all('nothing', { itself: NUX, 'another polecat': ADA })],
  ['POLECAT_DONE', 'Issue: tw-2', all('nothing', { itself: NUX, 'another polecat': ADA })],
  ['LIFECYCLE:Shutdown nux', '', all('nothing', { operator: NUX, itself: NUX })],
  ['LIFECYCLE:Shutdown', 'Polecat: nux', all('nothing', { operator: NUX, itself: NUX })],
  // Without a name it is about its sender's own life, which is the Deacon's to judge where the sender is no polecat.
  ['LIFECYCLE:Shutdown', '', all('forward', { itself: NUX, 'another polecat': ADA })],
  ['LIFECYCLE:Restart nux', '', all('forward')],
  [
    'MERGED old',
    '',
    all('nothing', { operator: 'write RECOVERY_NEEDED shop/old', refinery: 'write RECOVERY_NEEDED shop/old' }),
  ],
  // Work that was not handed over cannot be merged by a letter of any writer.
  ['MERGED nux', 'Issue: tw-1', all('nothing')],
  ['MERGED old', 'Issue: tw-1', all('nothing')],
  ['MERGED old', `Issue: tw-2\nMerge-Commit: ${'a'.repeat(40)}`, all('nothing')],
  [
    'MERGE_FAILED old',
    'Error: x',
    all('nothing', { operator: 'reopen tw-3, withdraw', refinery: 'reopen tw-3, withdraw' }),
  ],
  ['MERGE_FAILED x', 'Issue: tw-2', all('nothing', { operator: 'triage', refinery: 'triage' })],
  ['HELP: it failed', '', all('triage')],
  ['HANDOFF', '', all('put away')],
  ['SWARM_START s', 'SwarmID: s\nBeads: tw-1', all('a swarm is tracked')],
  ['MERGE_READY nux', '', all('put away')],
  ['ALERT: x', '', all('put away')],
];

describe('a letter by its sender', () => {
  const cells = TABLE.flatMap(([subject, body, row]) =>
    EVERYBODY.map((from) => [subject, body, from, row[from]] as const),
  );
  // Rules: P-2.
  test.each(cells)('%s (%s) of %s: %s', (subject, body, from, cell) => {
    expect(follows(subject, body, from, { handed: [HANDED] })).toBe(cell);
  });
});

// Rules: P-2.
test('of two that share a name the commit says which one a letter is about; without it neither is', () => {
  const [first, second] = ['a', 'b'].map((one) =>
    handed({ ...HANDED, bead: `tw-${one}`, commit: one.repeat(40), requests: [] }),
  );
  const both = { handed: [first!, second!] };
  expect(follows('MERGE_FAILED old', `Commit: ${'b'.repeat(40)}`, 'refinery', both)).toBe('reopen tw-b');
  expect(follows('MERGE_FAILED old', '', 'refinery', both)).toBe('triage');
});

describe('a merge by what git shows', () => {
  // Rules: P-2.
  test.each([
    ['yes', 'MERGED old', 'refinery', 'close tw-3, withdraw'],
    ['yes', 'MERGED old', 'operator', 'close tw-3, withdraw'],
    // No letter is needed where the main branch has it: whose letter came along decides nothing.
    ['yes', 'MERGED old', 'another agent', 'nothing, close tw-3, withdraw'],
    ['yes', 'MERGE_FAILED old', 'refinery', 'close tw-3, withdraw'],
    ['yes', 'ALERT: x', 'town', 'close tw-3, withdraw'],
    ['no', 'ALERT: x', 'town', 'put away'],
    ['dropped', 'MERGED old', 'refinery', 'reopen tw-3, withdraw'],
    ['dropped', 'MERGED old', 'another agent', 'nothing, reopen tw-3, withdraw'],
    ['dropped', 'ALERT: x', 'town', 'reopen tw-3, withdraw'],
    ['unknown', 'MERGED old', 'refinery', 'put away'],
    ['unknown', 'ALERT: x', 'town', 'put away'],
  ] as const)('%s: %s of %s: %s', (isMerged, subject, from, cell) => {
    expect(follows(subject, '', from, { handed: [{ ...HANDED, isMerged }] })).toBe(cell);
  });

  test('a request about a closed bead is withdrawn, and nothing is closed twice', () => {
    expect(follows('ALERT: x', '', 'town', { handed: [{ ...HANDED, isClosed: true }] })).toBe('withdraw');
  });
});

test.each<[via: 'operator' | 'agent' | 'town', from: string, sender: Sender]>([
  ['agent', 'shop/polecats/nux', { is: 'polecat', polecat: 'nux' }],
  ['agent', 'gt-shop-nux', { is: 'polecat', polecat: 'nux' }],
  ['agent', 'shop/refinery', { is: 'refinery', polecat: null }],
  ['agent', 'gt-shop-refinery', { is: 'refinery', polecat: null }],
  ['agent', 'barn/refinery', { is: 'other', polecat: null }],
  ['agent', 'barn/polecats/nux', { is: 'other', polecat: null }],
  ['agent', 'mayor', { is: 'other', polecat: null }],
  ['operator', 'shop/refinery', { is: 'operator', polecat: null }],
  ['operator', 'shop/polecats/nux', { is: 'operator', polecat: 'nux' }],
  ['town', 'shop/witness', { is: 'town', polecat: null }],
])('a letter via %s of %s', (via, from, sender) => {
  expect(senderOf('shop', { via, from })).toEqual(sender);
});
