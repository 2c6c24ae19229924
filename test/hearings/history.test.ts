/** What is remembered of closed dances (D-4, D-15), and that each episode they leave to a person has its end (law 8). */
import { describe, expect, test } from 'vitest';
import { isOtherQuestion } from '../../machines/alerts/question.ts';
import { freshDance } from '../../machines/hearings/dance.ts';
import { heardAfter, heardOf, leftOpen, oftenHeard, onWallNow, worthKeeping } from '../../machines/hearings/history.ts';
import { verdictAlertOf } from '../../machines/hearings/verdict-alerts.ts';
import type { Dance, PastHearing, OutcomeBody, Verdict } from '../../machines/protocol.ts';
import { Drive, SELDOM, townInput, WALL, warrant } from '../world/drive.ts';
import { danceAt, tools, TREE } from './lone.ts';

const TOOLS = tools();
const { policy } = TOOLS;
const dance = (verdict: Verdict, reason = 'answered', more: Partial<Dance> = {}): Dance => ({
  ...freshDance('dog-1', 1, warrant('w1'), TOOLS, { wall: WALL, escalate: false }),
  verdict,
  reason,
  closedAt: WALL,
  ...more,
});
const DAY = 86_400_000;
const memory = (heard: readonly PastHearing[]) => ({ tools: TOOLS, pastHearings: heard });
const past = (n: number, ageMs: number, verdict: Verdict = 'pardoned'): PastHearing[] =>
  Array.from({ length: n }, () => heardOf(dance(verdict), WALL - ageMs));

test.each<[string, Dance, string | undefined]>([
  ['an escalation', dance('escalated'), 'dance-escalated/gt-rig-1'],
  ['a failure', dance('failed'), 'dance-failed/dog-1'],
  ['a dialog', dance('pardoned', 'blocked on a person: Proceed?'), 'needs-input/gt-rig-1'],
  ['a usage limit', dance('pardoned', 'stopped by a usage limit: resets 3am'), 'usage-limit/gt-rig-1'],
  // The sessions see it, heard or not.
  ['an error', dance('pardoned', 'its last turn ended with an error: 529'), undefined],
  ['an answer', dance('pardoned'), undefined],
  ['an execution', dance('executed', 'silent'), undefined],
  ['one with survivors', dance('executed', 'silent', { survivors: TREE }), 'dance-survivors/dog-1'],
  ['a void one', dance('void', 'expired'), undefined],
])('what %s leaves open', (_, closed, episode) => {
  expect(verdictAlertOf(closed)?.episode).toBe(episode);
  expect(heardOf(closed, WALL).open).toBe(episode);
});

// Rules: A-4.
test('each escalation asks a person anew: a second one of a life is another question', () => {
  const [first, second] = ['dog-1', 'dog-2'].map((id) => verdictAlertOf(dance('escalated', 'unclear', { id })));
  expect(isOtherQuestion(first?.question, second?.question)).toBe(true);
  expect(second?.episode).toBe(first?.episode);
});

test('what a person decides about is told with what was saved of it, where signals were sent', () => {
  const rescue = { folder: 'rescue/dog-1', ref: null, repos: 0, files: 0 };
  const told = (killing: boolean): string =>
    verdictAlertOf(dance('escalated', 'it answered late', { killing, rescue }))?.text ?? '';
  expect(told(true)).toContain('Rescue: its folder is in no git worktree');
  expect(told(false)).toContain('Nothing was killed.');
});

test('a failure is about the life that was heard, unless signals were sent and no rescue is on record', () => {
  const rescue = { folder: 'rescue/dog-1', ref: null, repos: 0, files: 0 };
  const failed = (more: Partial<Dance>) => verdictAlertOf(dance('failed', 'the dog crashed', more));
  const { uuid } = dance('failed').target;
  expect([failed({})?.life, failed({ killing: true, rescue })?.life]).toEqual([uuid, uuid]);
  expect(failed({ killing: true, rescue: null })?.life).toBeUndefined();
  expect(failed({ killing: true, rescue: null })?.text).toContain('It is not known whether its work was saved.');
});

describe('a target that is heard often', () => {
  const wish = { ...warrant('lifecycle-m-1'), requester: 'gt-rig-1', force: true };
  const own = [1, 2].map(() => heardOf(dance('executed', 'it asked itself', { warrants: [wish] }), WALL - 1));
  // Rules: D-15.
  test.each<[string, PastHearing[], Verdict, boolean]>([
    ['for the second time', past(1, 1), 'pardoned', false],
    ['for the third time in 24 h', past(2, policy.heardWithinMs - 1), 'pardoned', true],
    ['for the third time, two of them a day ago', past(2, policy.heardWithinMs), 'pardoned', false],
    ['for the third time, two a day ago and open', past(2, policy.heardWithinMs, 'escalated'), 'pardoned', false],
    ['after two that were void', past(2, 1, 'void'), 'pardoned', false],
    ['after two restarts that it asked for itself', own, 'pardoned', false],
    ['and is void itself', past(2, 1), 'void', false],
  ])('%s', (_, heard, verdict, isTold) => {
    const often = oftenHeard(heardAfter(memory(heard), dance(verdict)), WALL, TOOLS);
    expect(often).toEqual(isTold ? { 'gt-rig-1': 3 } : {});
  });

  test('is none any more when one of its hearings is a day old', () => {
    const heard = [...past(1, 0), ...past(2, 1_000)];
    const isOften = (now: number) => 'gt-rig-1' in oftenHeard(heard, now, TOOLS);
    expect([isOften(WALL), isOften(WALL - 1_000 + policy.heardWithinMs)]).toEqual([true, false]);
  });
});

const heardAt = (n: number): PastHearing => heardOf(dance('pardoned'), WALL + n * 1_000);
/** What a drive ended: of a kind, at its start, all but some; later one by one. */
const ends = (drive: Drive): string[] => [
  ...drive.given('endOthers').map(({ of, except }) => [of, ...except].join(' ')),
  ...drive.given('endAlert').map(({ episode, text }) => `${episode}: ${text}`),
];
const reading = (more: Partial<OutcomeBody & { type: 'RECORDS_READ' }>): Drive =>
  new Drive(
    { readRecords: { type: 'RECORDS_READ', dances: [], warrants: [], heard: [], lastDanceMs: 0, ...more } },
    { input: townInput(SELDOM) },
  );

test('the alarm of one who was heard often ends by itself, though the town was restarted or away meanwhile', () => {
  const drive = reading({ heard: [0, 1, 2].map(heardAt) });
  expect(ends(drive)).toContain('heard-often heard-often/gt-rig-1');
  const over = 'heard-often/gt-rig-1: gt-rig-1 is not heard so often any more.';
  drive.run(policy.heardWithinMs - 60_000);
  expect(ends(drive)).not.toContain(over);
  drive.run(2 * 60_000);
  expect(ends(drive)).toContain(over);
  const away = reading({ heard: [0, 1, 2].map((n) => ({ ...heardAt(n), closedAt: WALL - 2 * policy.heardWithinMs })) });
  expect(ends(away)).toContain('heard-often');
});

// Rules: D-4, D-15.
test.each([
  ['forward', 10 * DAY],
  ['back', -10 * DAY],
])('a clock that is set %s by ten days ends no alarm of one who was heard often, and keeps none', (_, byMs) => {
  const closedAt = WALL - policy.heardWithinMs + 10 * 60_000;
  const drive = reading({ heard: [0, 1, 2].map((n) => ({ ...heardAt(n), closedAt })) });
  const over = 'heard-often/gt-rig-1: gt-rig-1 is not heard so often any more.';
  drive.run(60_000);
  drive.stepMs += byMs;
  drive.run(7 * 60_000);
  expect(ends(drive)).not.toContain(over);
  drive.run(4 * 60_000);
  expect(ends(drive)).toContain(over);
});

test('a hearing of a time to come is as if it were over now', () => {
  const { heard } = onWallNow([heardAt(0), { ...heardAt(1), closedAt: WALL + 10 * DAY }], null, { at: 5, wall: WALL });
  expect(heard.map(({ closedAt }) => closedAt)).toEqual([WALL, WALL]);
});

test('a dance that could not go on is another case when it is taken up again', () => {
  const dances = [danceAt({ stage: 'failed', verdict: 'failed' }), danceAt({ crashes: policy.maxCrashes })];
  expect(ends(reading({ dances }))).toContain('dance-hopeless');
});

describe('what hearings left to a person stands until a later one of that session comes to a judgement', () => {
  const of = (id: string, verdict: Verdict, reason = 'a test', session = 'gt-rig-1'): PastHearing => {
    return { ...heardOf(dance(verdict, reason, { id }), WALL), session };
  };
  const DIALOG = 'blocked on a person: Proceed?';
  test.each<[string, PastHearing[], string[]]>([
    ['an escalation', [of('dog-0', 'escalated')], ['dance-escalated/gt-rig-1']],
    ['after an answer', [of('dog-0', 'escalated'), of('dog-1', 'pardoned')], []],
    ['escalated again', [of('dog-0', 'escalated'), of('dog-1', 'escalated')], ['dance-escalated/gt-rig-1']],
    ['void after it', [of('dog-0', 'escalated'), of('dog-1', 'void')], ['dance-escalated/gt-rig-1']],
    ['a failure, after an execution', [of('dog-0', 'failed'), of('dog-1', 'executed')], []],
    ['failed again', [of('dog-0', 'failed'), of('dog-1', 'failed')], ['dance-failed/dog-0', 'dance-failed/dog-1']],
    ['a dialog, after an answer', [of('dog-0', 'pardoned', DIALOG), of('dog-1', 'pardoned')], []],
    ['at a dialog again', [of('dog-0', 'pardoned', DIALOG), of('dog-1', 'pardoned', DIALOG)], ['needs-input/gt-rig-1']],
    [
      'after another’s',
      [of('dog-0', 'escalated'), of('dog-1', 'executed', 'x', 'gt-rig-2')],
      ['dance-escalated/gt-rig-1'],
    ],
  ])('%s', (_, heard, open) => {
    expect([...leftOpen(heard).keys()]).toEqual(open);
  });

  test('however old it is by then, and is forgotten afterwards', () => {
    const old = [
      { ...of('dog-0', 'escalated'), closedAt: WALL - 10 * policy.heardWithinMs },
      ...past(1, 9 * policy.heardWithinMs, 'void'),
    ];
    const kept = worthKeeping(old, WALL, TOOLS);
    expect(kept).toEqual([old[0]]);
    const after = heardAfter(memory(kept), dance('pardoned'));
    expect(leftOpen(after).size).toBe(0);
    expect(worthKeeping(after, WALL, TOOLS)).toEqual([heardOf(dance('pardoned'), WALL)]);
  });

  const RETRIED = danceAt({ stage: 'failed', verdict: 'failed' });
  const begins = (heard: readonly PastHearing[], dances: readonly Dance[] = []) => ends(reading({ heard, dances }));
  const LIMIT = 'stopped by a usage limit: resets at 3';
  const TOLD = danceAt({ stage: 'pardoned', verdict: 'pardoned', reason: LIMIT });
  const left = [of('dog-0', 'escalated')];
  test.each<[string, string[], string]>([
    ['what stands goes on, what is over ends', begins(left), 'dance-escalated dance-escalated/gt-rig-1'],
    ['of another kind nothing stands', begins(left), 'dance-survivors'],
    ['one that is tried once more goes on', begins([], [RETRIED]), `dance-failed dance-failed/${RETRIED.id}`],
    ['one that is told again goes on', begins([], [TOLD]), 'usage-limit usage-limit/gt-rig-1'],
  ])('at a start %s', (_, of, expected) => {
    expect(of).toContain(expected);
  });
});
