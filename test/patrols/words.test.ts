/** What counts as a polecat's own word, and for how long. */
import { expect, test } from 'vitest';
import type { StatusReport } from '../../machines/protocol.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { wordsOfIt } from '../../src/patrols/witness/words.ts';
import { bead } from '../ledger/beads.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const BORN = NOW - 10 * MINUTE;
const RECORD: PolecatRecord = {
  rig: 'shop',
  name: 'nux',
  uuid: 'u',
  bead: 'tw-1',
  command: ['x'],
  at: BORN,
  step: 'running',
  base: 'a'.repeat(40),
  main: null,
  tip: null,
};
const evidence = (kind: string, text: string, agoMs: number) => ({
  id: 'e',
  author: 'shop/polecats/nux',
  kind,
  text,
  at: NOW - agoMs,
});
const labelled = (agoMs: number, status: 'hooked' | 'closed' = 'hooked') =>
  bead('tw-1', { status, labels: [`done-intent:COMPLETED:${Math.floor((NOW - agoMs) / 1_000)}`] });
type Asked = Parameters<typeof wordsOfIt>;
const LIFE = { uuid: 'life-1', at: BORN };
const reported = (status: StatusReport['status'], agoMs: number, more: Partial<StatusReport> = {}): StatusReport => ({
  session: 'gt-shop-nux',
  uuid: LIFE.uuid,
  status,
  message: null,
  outcome: null,
  at: NOW - agoMs,
  ...more,
});
const words = (
  newest: Asked[2]['newest'],
  beads: Asked[3],
  goesOnMs: number | null = null,
  more: Partial<Pick<Asked[2], 'life' | 'report' | 'end'>> & { readonly bead?: null } = {},
) => {
  const { doneIntentMs, isOwnIntent, isOver, report } = wordsOfIt(
    { now: NOW, policy: { doneIntentMs: MINUTE } },
    { ...RECORD, ...(more.bead === null && { bead: null }) },
    {
      life: LIFE,
      report: undefined,
      end: undefined,
      ...more,
      newest,
      goesOnAt: goesOnMs === null ? null : NOW - goesOnMs,
    },
    beads,
  );
  return { doneIntentMs, isOwnIntent, isOver, report };
};
const NONE = { doneIntentMs: null, isOwnIntent: false, isOver: false, report: null };

test.each<[string, ReturnType<typeof words>, Partial<ReturnType<typeof words>>]>([
  ['nothing', words(null, []), NONE],
  ['evidence that says that it is done, by the kind of a report', words(evidence('report', 'done', 5), []), NONE],
  ['its own intent', words(evidence('done-intent', '', 5), []), { doneIntentMs: 5, isOwnIntent: true, isOver: false }],
  [
    'its own intent, of long ago',
    words(evidence('done-intent', '', 2 * MINUTE), []),
    { isOwnIntent: true, isOver: true },
  ],
  ['a label', words(null, [labelled(2 * MINUTE)]), { doneIntentMs: 2 * MINUTE, isOwnIntent: false, isOver: true }],
  ['a label of tomorrow', words(null, [labelled(-1_000 * MINUTE)]), NONE],
  ['a label of before its life', words(null, [labelled(11 * MINUTE)]), NONE],
  ['a label, and a word after that', words(evidence('heartbeat', '', MINUTE), [labelled(2 * MINUTE)]), NONE],
  ['its own intent, and such a decision', words(evidence('done-intent', '', MINUTE), [], 5), NONE],
  ['a label, and such a decision', words(null, [labelled(2 * MINUTE)], MINUTE), NONE],
  ['a label of work that is closed', words(null, [labelled(2 * MINUTE, 'closed'), undefined]), NONE],
])('%s', (_, said, expected) => {
  expect(said).toMatchObject(expected);
});

const says = (report: StatusReport, more: Parameters<typeof words>[3] = {}, goesOnMs: number | null = null) =>
  words(null, [], goesOnMs, { report, ...more });

const ended = (kind: 'over' | 'done', uuid: string = LIFE.uuid) => ({ end: { kind, text: uuid, at: NOW - MINUTE } });

// Rules: P-3, P-4, law 3.
test.each<[string, ReturnType<typeof words>, ReturnType<typeof words>['report']]>([
  ['that it works', says(reported('working', 5)), 'working'],
  ['that it waits for a person', says(reported('waiting_for_input', 5)), 'asks'],
  ['that it is blocked', says(reported('blocked', 5)), 'asks'],
  ['that it is blocked, a while ago', says(reported('blocked', 9 * MINUTE)), 'asks'],
  ['an error', says(reported('error', 5)), 'stuck'],
  ['that it is idle', says(reported('idle', 5)), 'idle'],
  ['that it is idle, having been started without work', says(reported('idle', 5), { bead: null }), null],
  ['that it is idle, after a hearing that it outlived', says(reported('idle', 5), ended('over')), null],
  ['that it is idle, after a hearing of an earlier life', says(reported('idle', 5), ended('over', 'life-0')), 'idle'],
  ['that it is idle, which its end was asked for', says(reported('idle', 5), ended('done')), 'idle'],
  ['that it is blocked, after such a hearing', says(reported('blocked', 5), ended('over')), 'asks'],
  ['that it is complete', says(reported('complete', 5)), null],
  ['that it is blocked, in an earlier life', says(reported('blocked', 5, { uuid: 'life-0' })), null],
  ['that it is blocked, in an unknown life', says(reported('blocked', 5), { life: null }), null],
  ['that it is blocked, and a later decision lets it go on', says(reported('blocked', MINUTE), {}, 5), null],
  ['that it is blocked since such a decision', says(reported('blocked', 5), {}, MINUTE), 'asks'],
])('a report %s', (_, said, report) => {
  expect(said).toMatchObject({ report, isOver: false, doneIntentMs: null });
});

const idleOf = (heard: Partial<Asked[2]>, beads: Asked[3] = [bead('tw-1', { status: 'hooked' })]) =>
  wordsOfIt(
    { now: NOW, policy: { doneIntentMs: MINUTE } },
    RECORD,
    {
      life: { ...LIFE, at: NOW - 4 * MINUTE },
      report: undefined,
      newest: null,
      goesOnAt: null,
      end: undefined,
      ...heard,
    },
    beads,
  ).idleMs;

// Rules: W-4, law 3.
test.each<[string, ReturnType<typeof idleOf>, ReturnType<typeof idleOf>]>([
  ['since its last word', idleOf({ newest: evidence('heartbeat', '', MINUTE) }), MINUTE],
  ['since its life began, where it never said one', idleOf({}), 4 * MINUTE],
  ['… and it was decided later that it goes on', idleOf({ goesOnAt: NOW - 2 * MINUTE }), 2 * MINUTE],
  ['… which is unknown of an unknown life', idleOf({ life: null }), null],
  ['… and not of one without work, which waits for a person', idleOf({}, [undefined]), null],
])('without a word %s', (_, idleMs, expected) => {
  expect(idleMs).toBe(expected);
});
