/** What is remembered of closed dances (D-4, D-15), and that each episode they leave to a person has its end (law 8). */
import { describe, expect, test } from 'vitest';
import { freshDance } from '../../machines/hearings/dance.ts';
import {
  episodesOver,
  heardAfter,
  heardOf,
  leftToPerson,
  noLongerOften,
  oftenAlert,
  wereOften,
  worthKeeping,
} from '../../machines/hearings/history.ts';
import type { Dance, Heard, OutcomeBody, Verdict } from '../../machines/protocol.ts';
import { Drive, WALL, warrant } from '../world/drive.ts';
import { danceAt, tools, TREE } from './lone.ts';

const TOOLS = tools();
const { policy } = TOOLS;
const dance = (verdict: Verdict, reason = 'answered', more: Partial<Dance> = {}): Dance => ({
  ...freshDance('dog-1', 1, warrant('w1'), TOOLS, { wall: WALL, escalate: false }),
  ...{ verdict, reason, closedAt: WALL, ...more },
});
const memory = (heard: readonly Heard[]) => ({ tools: TOOLS, heard });
const past = (n: number, ageMs: number, verdict: Verdict = 'pardoned'): Heard[] =>
  Array.from({ length: n }, () => heardOf(dance(verdict), WALL - ageMs));

test.each<[string, Dance, string | undefined]>([
  ['an escalation', dance('escalated'), 'dance-escalated/gt-rig-1'],
  ['a failure', dance('failed'), 'dance-failed/dog-1'],
  ['a dialog', dance('pardoned', 'blocked on a person: Proceed?'), 'needs-input/gt-rig-1'],
  ['a usage limit', dance('pardoned', 'stopped by a usage limit: resets 3am'), 'usage-limit/gt-rig-1'],
  ['an error', dance('pardoned', 'its last turn ended with an error: 529'), 'agent-error/gt-rig-1'],
  ['an answer', dance('pardoned'), undefined],
  ['an execution', dance('executed', 'silent'), undefined],
  ['one with survivors', dance('executed', 'silent', { survivors: TREE }), 'dance-survivors/dog-1'],
  ['a void one', dance('void', 'expired'), undefined],
])('what %s leaves open', (_, closed, episode) => {
  expect(leftToPerson(closed)?.episode).toBe(episode);
  expect(heardOf(closed, WALL).open).toBe(episode);
});

test('what a person decides about is told with what was saved of it, where signals were sent', () => {
  const rescue = { folder: 'rescue/dog-1', ref: null, repos: 0, files: 0 };
  const told = (killing: boolean): string =>
    leftToPerson(dance('escalated', 'it answered late', { killing, rescue }))?.text ?? '';
  expect(told(true)).toContain('Rescue: its folder is in no git worktree');
  expect(told(false)).toContain('Nothing was killed.');
});

describe('a target that is heard often', () => {
  test.each<[string, Heard[], Verdict, boolean]>([
    ['for the second time', past(1, 1), 'pardoned', false],
    ['for the third time in 24 h', past(2, policy.heardWithinMs - 1), 'pardoned', true],
    ['for the third time, two of them a day ago', past(2, policy.heardWithinMs), 'pardoned', false],
    [
      'for the third time, two of them a day ago and open',
      past(2, policy.heardWithinMs, 'escalated'),
      'pardoned',
      false,
    ],
    ['after two that were void', past(2, 1, 'void'), 'pardoned', false],
    ['and is void itself', past(2, 1), 'void', false],
  ])('%s', (_, heard, verdict, isTold) => {
    const closed = dance(verdict);
    const alert = oftenAlert(memory(heard), heardAfter(memory(heard), closed), closed);
    expect(alert?.episode ?? null).toBe(isTold ? 'heard-often/gt-rig-1' : null);
  });

  test('is none any more when one of its hearings is a day old', () => {
    const heard = [...past(1, 0), ...past(2, 1_000)];
    expect(wereOften(memory(heard))).toEqual(['gt-rig-1']);
    expect(wereOften(memory(heard.slice(1)))).toEqual([]);
    const isOver = (now: number) => noLongerOften(memory(heard), ['gt-rig-1'], now).length > 0;
    expect([isOver(WALL), isOver(WALL - 1_000 + policy.heardWithinMs)]).toEqual([false, true]);
  });
});

const heardAt = (n: number): Heard => heardOf(dance('pardoned'), WALL + n * 1_000);
const reading = (more: Partial<OutcomeBody & { type: 'RECORDS_READ' }>): Drive =>
  new Drive({ readRecords: { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 0, ...more } });

test('the alarm of one who was heard often ends by itself, though the town was restarted or away meanwhile', () => {
  const drive = reading({ heard: [0, 1, 2].map(heardAt) });
  drive.run(policy.heardWithinMs - 60_000);
  expect(drive.ends).toEqual([]);
  drive.run(2 * 60_000);
  expect(drive.ends).toEqual(['heard-often/gt-rig-1']);
  const away = reading({ heard: [0, 1, 2].map((n) => ({ ...heardAt(n), closedAt: WALL - 2 * policy.heardWithinMs })) });
  away.run(60_000);
  expect(away.ends).toEqual(['heard-often/gt-rig-1']);
});

test.each<[string, Partial<Dance>, string[]]>([
  ['whose dog could not even fail', { stage: 'failed', verdict: 'failed' }, ['dance-hopeless/dog-1']],
  ['whose dog fell at birth', { falls: policy.maxFalls }, ['dance-hopeless/dog-1']],
  ['that only waited for the town', {}, []],
])('a dance %s is another case when it is taken up again', (_, more, episodes) => {
  expect(reading({ dances: [danceAt(more)] }).ends).toEqual(episodes);
});

describe('the end of a dance ends what it or an earlier one left open', () => {
  const given = 420_000 + policy.overdueMs;
  const earlier = (verdict: Verdict, session = 'gt-rig-1', reason = 'a test'): Heard[] => [
    { ...heardOf({ ...dance(verdict, reason, { id: 'dog-0' }) }, WALL - 1), session },
  ];
  const dialog = earlier('pardoned', 'gt-rig-1', 'blocked on a person: Proceed?');
  const ended = (tookMs: number, verdict: Verdict, reason: string, more: Partial<Dance> = {}): Dance =>
    dance(verdict, reason, { closedAt: WALL + tookMs, ...more });
  test.each<[string, Heard[], Dance, string[]]>([
    ['in time', [], ended(given, 'executed', 'silent'), []],
    ['late', [], ended(given + 1, 'pardoned', 'answered'), ['dance-overdue/dog-1']],
    ['after an escalation', earlier('escalated'), ended(1, 'pardoned', 'answered'), ['dance-escalated/gt-rig-1']],
    ['escalated again', earlier('escalated'), ended(1, 'escalated', 'a person'), []],
    ['void after an escalation', earlier('escalated'), ended(1, 'void', 'expired'), []],
    ['after a failed one', earlier('failed'), ended(1, 'executed', 'silent'), ['dance-failed/dog-0']],
    ['failed again', earlier('failed'), ended(1, 'failed', 'fell'), []],
    ['well, at its second try', [], ended(1, 'escalated', 'a person', { retried: true }), ['dance-failed/dog-1']],
    ['failed, at its second try', [], ended(1, 'failed', 'fell', { retried: true }), []],
    ['answered after a dialog', dialog, ended(1, 'pardoned', 'answered'), ['needs-input/gt-rig-1']],
    ['answered after an answer', earlier('pardoned'), ended(1, 'pardoned', 'answered'), []],
    ['at a dialog again', dialog, ended(1, 'pardoned', 'blocked on a person: Proceed?'), []],
    ['after that of another session', earlier('escalated', 'gt-rig-2'), ended(1, 'executed', 'silent'), []],
  ])('%s', (_, heard, closed, episodes) => {
    expect(episodesOver(memory(heard), closed).map((e) => e.episode)).toEqual(episodes);
  });

  test('once, however old it is by then', () => {
    const old = [
      { ...earlier('escalated')[0]!, closedAt: WALL - 10 * policy.heardWithinMs },
      ...past(1, 9 * policy.heardWithinMs),
    ];
    const kept = worthKeeping(old, WALL, TOOLS);
    expect(kept.map(({ open }) => open)).toEqual(['dance-escalated/gt-rig-1']);
    const first = ended(1, 'pardoned', 'answered');
    expect(episodesOver(memory(kept), first)).toHaveLength(1);
    const after = heardAfter(memory(kept), first);
    expect(after).toEqual([heardOf(first, WALL + 1)]);
    expect(episodesOver(memory(after), ended(2, 'pardoned', 'answered'))).toEqual([]);
  });

  test('the same episode is remembered once', () => {
    const again = heardAfter(memory(earlier('escalated')), ended(1, 'escalated', 'a person'));
    expect(again.map(({ open }) => open)).toEqual([undefined, 'dance-escalated/gt-rig-1']);
  });
});
