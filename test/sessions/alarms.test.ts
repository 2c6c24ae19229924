/** Alarms about a session: raised again after a kill, over with their cause, and those of a life that cannot be judged. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { Drive, incarnation } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { CLEAN } from '../world/machine.ts';
import { running, specOf } from './one.ts';
import { type Say, town } from './lasting.ts';

describe('an alarm that a crash of the town swallowed, or a hand took away, is raised again', () => {
  const { unknownAlarmMs, scanEveryMs } = POLICY.sessions;
  test.each<[string, Partial<SessionRecord>, Say]>([
    ['crash-loop/s1', { crashLoop: true, streak: 6 }, { life: 'dead' }],
    ['ends-at-once/s1', { restless: true, streak: 6 }, { life: 'dead', exit: { kind: 'code', code: 0 } }],
    ['life-unknown/s1', { unknownTold: true }, { life: 'unknown' }],
    [
      'name-taken/s1',
      { nameTaken: true, state: 'backing_off' },
      { life: 'alive', start: { type: 'SESSION_NOT_STARTED', why: 'a session s1 is there', taken: true } },
    ],
  ])('%s', (episode, before, say) => {
    const { drive, told } = town(running(before), say);
    drive.run(unknownAlarmMs + scanEveryMs);
    expect(new Set(told())).toEqual(new Set([episode]));
    drive.run(3 * unknownAlarmMs);
    drive.restart(unknownAlarmMs + scanEveryMs);
    expect(new Set(told())).toEqual(new Set([episode]));
  });
});

describe('an end that a kill -9 swallowed, between the record that says so and the order', () => {
  const open = [
    'crash-loop/s1',
    'ends-at-once/s1',
    'start-failing/s1',
    'name-taken/s1',
    'start-waits/s1',
    'life-unknown/s1',
  ];
  /** What stays open of these when a town starts with this record. */
  function left(record: SessionRecord): string[] {
    const { drive } = town(record, { life: 'alive' });
    const isOver = (episode: string): boolean =>
      drive.given('endOthers').some(({ of, except }) => episode.startsWith(`${of}/`) && !except.includes(episode));
    return open.filter((episode) => !isOver(episode));
  }
  // Rules: law 8.
  test('comes with the next start, so that the next episode of the name is told', () => {
    expect(left(running())).toEqual([]);
  });
  test.each<[string, Partial<SessionRecord>]>([
    ['crash-loop/s1', { crashLoop: true, streak: 6 }],
    ['ends-at-once/s1', { restless: true, streak: 6 }],
    ['start-failing/s1', { state: 'backing_off', failedStarts: POLICY.sessions.crashLoopRestarts }],
    ['name-taken/s1', { state: 'backing_off', nameTaken: true }],
    ['start-waits/s1', { state: 'backing_off', personThere: true }],
    ['life-unknown/s1', { unknownTold: true }],
  ])('but not for %s, whose cause stands in the record', (episode, more) => {
    expect(left(running(more))).toEqual([episode]);
  });
});

describe('a life that cannot be judged though tmux answers', () => {
  const { unknownAlarmMs, scanEveryMs } = POLICY.sessions;

  test.each<[SeenSession['life'], RegExp]>([
    ['alive', /^running$/],
    ['absent', /^(backing_off|starting)$/],
  ])('is told once a process when it lasts; over when it is %s', (known, state) => {
    const say: Say = { life: 'unknown' };
    const { drive, told, over, now } = town(running(), say);
    drive.run(unknownAlarmMs - scanEveryMs);
    expect(told()).toEqual([]);
    drive.run(2 * scanEveryMs);
    expect(told()).toEqual(['life-unknown/s1']);
    drive.restart(1_000);
    drive.run(3 * unknownAlarmMs);
    expect([told(), over(), now().state]).toEqual([['life-unknown/s1', 'life-unknown/s1'], [], 'running']);
    say.life = known;
    drive.run(scanEveryMs);
    expect([over(), now().unknownTold]).toEqual([['life-unknown/s1'], undefined]);
    expect(now().state).toMatch(state);
  });

  test('counts from its beginning anew when it was known in between', () => {
    const say: Say = { life: 'unknown' };
    const { drive, told } = town(running(), say);
    for (let round = 0; round < 4; round += 1) {
      say.life = 'unknown';
      drive.run(unknownAlarmMs - 2 * scanEveryMs);
      say.life = 'alive';
      drive.run(2 * scanEveryMs);
    }
    expect(told()).toEqual([]);
  });

  // Rules: law 9.
  test('is told by the alarm of tmux alone while tmux does not answer', () => {
    const { drive, told } = town(running(), { life: 'unknown', server: 'unknown' });
    drive.run(3 * unknownAlarmMs);
    expect(told()).toEqual(['tmux-unknown']);
  });
});

describe('a dialog on its screen (law 7)', () => {
  const ASKS = 'needs-input/s1';
  const LOOK = 10_000;

  test('is one episode from the look that shows it to the one that does not', () => {
    const say: Say = { life: 'alive', asks: 'Do you want to proceed?' };
    const { drive, told, over } = town(running({}), say);
    drive.run(LOOK);
    expect([told().filter((one) => one === ASKS), over()]).toEqual([[ASKS], []]);
    drive.run(10 * LOOK);
    say.asks = null;
    drive.run(LOOK);
    expect([told().filter((one) => one === ASKS), over()]).toEqual([[ASKS], [ASKS]]);
  });

  // Rules: law 8.
  test('is told with its question, and anew with another one in the same words; not while that only came', () => {
    const say: Say = { life: 'alive', asks: 'Proceed?', question: 'program:1' };
    const { drive, over } = town(running({}), say);
    drive.run(LOOK);
    Object.assign(say, { asks: '', question: undefined });
    drive.run(LOOK);
    const questions = () => drive.given('alert').map(({ alert }) => alert.question);
    expect(questions()).toEqual(['program:1']);
    Object.assign(say, { asks: 'Proceed?', question: 'program:2' });
    drive.run(LOOK);
    expect([questions(), over()]).toEqual([['program:1', 'program:2'], []]);
  });

  // Rules: P-4.
  test.each<[string, Say, string[]]>([
    ['its pack does not know the screen', { life: 'alive', asks: '' }, []],
    ['no scan looked', { life: 'alive' }, []],
    ['tmux does not answer', { life: 'unknown', server: 'unknown' }, []],
    ['it has ended', { life: 'absent', exit: CLEAN }, [ASKS]],
  ])('and then %s', (_, then, ended) => {
    const say: Say = { life: 'alive', asks: 'Do you want to proceed?' };
    const { drive, over } = town(running({}), say);
    drive.run(LOOK);
    delete say.asks;
    Object.assign(say, then);
    drive.run(LOOK);
    expect(over()).toEqual(ended);
  });

  // Rules: A-2, law 8.
  test('that was answered is over, though its pack does not know what stands there then; a next one is told', () => {
    const say: Say = { life: 'alive', asks: 'Proceed?' };
    const { drive, told, over } = town(running({}), say);
    drive.run(LOOK);
    say.asks = '';
    drive.run(LOOK);
    expect(over()).toEqual([]);
    drive.ask({ verb: 'answer', name: 's1', dialog: 'dialog-1', question: 'Proceed?', option: 'Yes' });
    drive.run(LOOK);
    expect(over()).toEqual([ASKS]);
    say.asks = 'And this?';
    drive.run(LOOK);
    expect(told().filter((one) => one === ASKS)).toEqual([ASKS, ASKS]);
  });

  test('told by an earlier process: it stands until its screen was seen', () => {
    const say: Say = { life: 'alive' };
    const { drive } = town(running({}), say);
    const [compared] = drive.given('endOthers').filter(({ of }) => of === 'needs-input');
    drive.run(LOOK);
    expect([compared?.except, drive.ends]).toEqual([[ASKS], []]);
    say.asks = null;
    drive.run(LOOK);
    expect(drive.ends).toEqual([ASKS]);
  });

  // Rules: law 1, law 7.
  test.each<[string, Pick<SeenSession, 'life' | 'asks'>, string[]]>([
    ['cannot be told to live', { life: 'unknown' }, []],
    ['was not looked at', { life: 'alive' }, []],
    ['asks nothing', { life: 'alive', asks: null }, ['needs-input/s2']],
  ])('is told though another one %s, and of that one nothing is', (_, other, ended) => {
    const two = running({ spec: specOf('s2'), incarnation: incarnation(2, { session: 's2' }) });
    const scan: SimHands['scan'] = ({ known }) => {
      const shows = (name: string) => (name === 's2' ? other : ({ life: 'alive', asks: 'Proceed?' } as const));
      const seen = known.map(({ session: name, uuid }) => ({
        name,
        uuid,
        exit: null,
        maybeSignalled: false,
        ...shows(name),
      }));
      return { type: 'SESSIONS_SEEN', server: 'up', seen };
    };
    const drive = new Drive({ scan }, { sessions: [running(), two] });
    drive.run(LOOK);
    const ofAsks = (episodes: readonly string[]) => episodes.filter((one) => one.startsWith('needs-input/'));
    expect([ofAsks(drive.alerts), ofAsks(drive.ends)]).toEqual([[ASKS], ended]);
  });
});
