import { describe, expect, test } from 'vitest';
import { closing } from '../../src/demo/closing.ts';
import { CAST } from '../../src/demo/cast.ts';
import { read, type Line } from '../../src/journal/lines.ts';
import type { RigEnd } from '../../src/demo/rig.ts';
import { condemnedProcs, isAllTold, reportOf, type Fall, type Played } from '../../src/demo/report.ts';

const START = Date.UTC(2026, 0, 1);
const REASONS: Record<string, string> = {
  deaf: 'silent through 3 questions',
  stubborn: 'silent through 3 questions',
  builder: 'signs of life: a new line: compiled module 9',
  listener: 'answered: code',
  caller: 'answered: town alive',
  claude: 'blocked on a person: Do you want to proceed?',
};
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const asked = { asked: START, windowMs: 1_000, seen: 'silent' };

/** The journal of a demo in which everything went as it has to. */
function journal(): Line[] {
  const accused = CAST.filter(({ reason }) => reason !== null);
  const closed = accused.map(({ name, expected }, n) => ({
    at: at(20 + n),
    kind: 'dance.closed',
    session: name,
    dance: `dog-${name}`,
    warrants: [`w-${name}`],
    verdict: expected.kind,
    reason: REASONS[name],
    attempts: [asked, asked, asked],
  }));
  const executed = accused.filter(({ expected }) => expected.kind === 'executed').map(({ name }) => name);
  return [
    { at: at(1), kind: 'session.running', session: 'phoenix', uuid: 'a', restarts: 0 },
    { at: at(5), kind: 'session.backing_off', session: 'phoenix', note: 'ended with exit code 3; starts again' },
    { at: at(6), kind: 'session.running', session: 'phoenix', uuid: 'b', restarts: 1 },
    { at: at(7), kind: 'session.running', session: HALF, uuid: 'c', restarts: 0 },
    ...executed.map((session) => ({ at: at(15), kind: 'intent', session, processes: [{ pid: 7, started: 's' }] })),
    ...executed.map((session) => ({ at: at(16), kind: 'rescued', session, ref: `refs/town/rescue/dog-${session}` })),
    ...closed,
  ].map(read);
}

/** Of the polecat that dies half way. */
const HALF = 'gt-shop-paint';

const fall: Fall = {
  at: START + 10_000,
  pid: 100,
  guardPid: 99,
  newPid: 101,
  newGuardPid: 99,
  before: { 'dog-deaf': 'K73F' },
  after: { 'dog-deaf': 'K73F' },
};

const rig: RigEnd = { beads: ['sweep-1', 'paint-2'], merged: ['sweep', 'paint'], isHalfKept: true };
const did = (act: string, about: string): Line => read({ at: at(17), kind: 'patrol.did', patrol: 'shop', act, about });
const patrols = [did('close', 'sweep-1'), did('reopen', 'paint-2'), did('close', 'paint-2')];

function played(more: Partial<Played> = {}): Played {
  const warrants = CAST.filter(({ reason }) => reason !== null).map(({ name }) => `w-${name}`);
  const lines = [...(more.lines ?? journal()), ...patrols];
  return { cast: CAST, warrants, fall, survivors: [], withWork: ['deaf', 'stubborn'], rig, ...more, lines };
}

const without = (kind: string, about: string): Line[] =>
  journal().filter(({ kind: of, session }) => of !== kind || session !== about);
const changed = (about: string, more: object): Line[] =>
  journal().map((line) =>
    line.kind === 'dance.closed' && line.session === about ? read({ ...line.written, ...more }) : line,
  );

describe('the report', () => {
  test('is right when every outcome is the expected one', () => {
    const report = reportOf(played());
    expect(report.isRight).toBe(true);
    expect(report.recoveryMs).toBe(5_000);
    expect(report.outcomes.find(({ session }) => session === 'phoenix')?.why).toBe(
      'ended with exit code 3; lives again after 1.0 s',
    );
    const text = closing({ kind: 'played', report, tookMs: 1_000 }, { kept: null, left: [] });
    expect(text).toContain('Every outcome is the expected one');
    expect(text.split('\n').at(-1)).toMatch(/^Next, .*`npm run -s town -- watch`/);
  });

  test.each<[string, Partial<Played>, string]>([
    ['a deaf one that was pardoned', { lines: changed('deaf', { verdict: 'pardoned' }) }, 'deaf: expected executed'],
    [
      'an answer that was not heard',
      { lines: changed('listener', { verdict: 'executed' }) },
      'listener: expected pardoned',
    ],
    [
      'a right verdict for a wrong reason',
      { lines: changed('caller', { reason: 'signs of life: x' }) },
      'caller: expected',
    ],
    ['a hearing that never ended', { lines: without('dance.closed', 'claude') }, 'claude: expected pardoned'],
    ['a warrant that was lost', { warrants: ['w-deaf', 'w-lost'] }, '1 of 2 warrants have their verdict'],
    ['a dead one that stays dead', { lines: without('session.running', 'phoenix') }, 'phoenix: expected restarted'],
    [
      'two hearings of one warrant',
      { lines: [...journal(), ...changed('deaf', { dance: 'dog-2' })] },
      'deaf: expected',
    ],
    ['a town that never came back', { fall: { ...fall, newPid: null } }, 'it never came back'],
    ['a town that was not killed', { fall: null }, 'the town was not killed'],
    ['another question after the kill', { fall: { ...fall, after: { 'dog-deaf': 'X' } } }, '0 of 1 hearing went on'],
    ['another guard', { fall: { ...fall, newGuardPid: 98 } }, 'is another now'],
    ['a process that survived', { survivors: [{ pid: 7, started: 's' }] }, '1 process of executed agents left'],
    ['a bead that was not done', { rig: { ...rig, beads: [...rig.beads, 'mop-3'] } }, '2 of 3 beads closed'],
    ['work that was not merged', { rig: { ...rig, merged: ['sweep'] } }, '1 merged into the main branch'],
    ['half-done work that went with who died', { rig: { ...rig, isHalfKept: false } }, 'what it had done is lost'],
    ['work that was not saved', { lines: without('rescued', 'deaf') }, 'uncommitted work of stubborn is kept'],
  ])('%s makes it red, and is named', (_name, more, named) => {
    const report = reportOf(played(more));
    expect(report.isRight).toBe(false);
    const text = closing({ kind: 'played', report, tookMs: 1_000 }, { kept: '/kept', left: [] });
    const [, wrong = ''] = text.split('Not as expected');
    expect(wrong).toContain(named);
    expect(wrong).toContain('/kept');
    expect(text).not.toContain('Next,');
  });

  test('a polecat that fell with the town before it ran had nothing to be lost', () => {
    const lines = without('session.running', HALF);
    expect(reportOf(played({ lines, rig: { ...rig, isHalfKept: false } })).isRight).toBe(true);
  });

  test('a death that is seen so late that the next start is told at once counts as one', () => {
    const lines = journal().map((line) =>
      line.kind === 'session.backing_off' ? read({ ...line.written, kind: 'session.starting' }) : line,
    );
    const first = read({ at: at(0), kind: 'session.starting', session: 'phoenix', uuid: null, note: 'starting' });
    expect(reportOf(played({ lines: [first, ...lines] })).isRight).toBe(true);
  });

  test('what a crashed town told twice counts once', () => {
    expect(reportOf(played({ lines: [...journal(), ...journal()] })).isRight).toBe(true);
  });

  test('is waited for until the journal has the end of everybody and the verdict of every warrant', () => {
    const warrants = played().warrants;
    expect(isAllTold(CAST, warrants, journal())).toBe(true);
    expect(isAllTold(CAST, [...warrants, 'w-late'], journal())).toBe(false);
    expect(isAllTold(CAST, [], without('dance.closed', 'claude'))).toBe(false);
    expect(isAllTold(CAST, [], without('session.running', 'phoenix'))).toBe(false);
  });

  test('each process that a kill intent names is looked for', () => {
    expect(condemnedProcs(journal())).toEqual([
      { pid: 7, started: 's' },
      { pid: 7, started: 's' },
    ]);
  });
});
