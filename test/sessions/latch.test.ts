/** Who undoes an end that was ordered (C-13): the operator's only the operator; and a patrol's order is none of the operator's (law 6). */
import { describe, expect, test } from 'vitest';
import { isOperators } from '../../machines/hearings/dance.ts';
import type { SessionRecord, Via } from '../../machines/protocol.ts';
import { decodeSession, sessionText } from '../../state/sessions/records.ts';
import { code, ended, LONG, town, type Say } from './intent.ts';
import { life, running as record, spec } from './one.ts';

const ordered = (by: object): Partial<SessionRecord> => ({ asked: { uuid: life.uuid, then: 'end', ...by } });
const [BY_OPERATOR, BY_TOWN, BY_AGENT] = [{ operatorAt: 1 }, { townAt: 1 }, {}];

describe('an ordered end', () => {
  // Rules: C-13.
  test.each<[what: string, found: SessionRecord | null, answers: Readonly<Record<Via, string>>]>([
    ['the operator, and is down', { ...ended, ...ordered(BY_OPERATOR) }, all('stopped_by_operator', 'ok')],
    ['the operator, and still runs', record(ordered(BY_OPERATOR)), all('stopped_by_operator', 'stopping')],
    ['the town, and is down', { ...ended, ...ordered(BY_TOWN) }, all('ok', 'ok')],
    ['the town, and still runs', record(ordered(BY_TOWN)), all('stopping', 'stopping')],
    ['its agent, and is down', { ...ended, ...ordered(BY_AGENT) }, all('ok', 'ok')],
    ['none, and ended', ended, all('ok', 'ok')],
    [
      'the operator in an earlier life',
      { ...ended, asked: { ...BY_OPERATOR, uuid: 'u0', then: 'end' } },
      all('ok', 'ok'),
    ],
  ])('that was asked by %s: who may start it', (_, found, answers) => {
    const now = (via: Via): string => code(town(found, { files: 'fails' }).start(via));
    expect({ town: now('town'), agent: now('agent'), operator: now('operator') }).toEqual(answers);
  });

  // Rules: C-13.
  test.each<Via>(['town', 'agent'])(
    'by the operator that came to nothing is not taken back by a start of %s',
    (via) => {
      const { drive, stop, start, now } = town(record(), { files: 'spares' });
      stop();
      drive.run(LONG);
      expect(code(start(via))).toBe('stopped_by_operator');
      expect(now()?.asked).toMatchObject({ then: 'end', operatorAt: expect.any(Number) as number });
    },
  );

  // Rules: C-13.
  test('by the operator stays his, though a patrol wants the session ended too', () => {
    const { drive, stop, start, now } = town(record());
    stop();
    drive.run(LONG);
    expect(code(stop(false, 'town'))).toBe('stopped_by_operator');
    drive.restart(1_000);
    drive.run(LONG);
    expect([now()?.note, code(start('town')), now()?.state]).toEqual([
      'stopped by the operator',
      'stopped_by_operator',
      'ended',
    ]);
    expect([code(start()), now()?.state]).toEqual(['ok', 'running']);
  });
});

describe('an end that a patrol orders', () => {
  // Rules: law 6.
  test('is not the operator’s: a person at the keys suspends it, and no record says that the operator stopped it', () => {
    const { drive, stop, now } = town(record(), {});
    expect(code(stop(false, 'town'))).toBe('ok');
    const [{ warrant } = { warrant: null }] = drive.given('fileWarrant');
    expect(warrant).toMatchObject({ force: true, via: 'town', requester: 'daemon' });
    expect(isOperators({ warrants: [warrant!], target: life } as unknown as Parameters<typeof isOperators>[0])).toBe(
      false,
    );
    const text = sessionText(now()!);
    expect(decodeSession(text, 's1.json')).toMatchObject({ ok: true, value: { asked: now()!.asked } });
    drive.run(LONG);
    expect(now()).toMatchObject({
      state: 'ended',
      note: 'stopped by the town, which has no use for it any more',
      asked: { townAt: expect.any(Number) as number },
    });
    expect(now()?.asked).not.toHaveProperty('operatorAt');
  });

  test('is filed again under the same id after a kill -9, and becomes the operator’s by the operator’s own stop', () => {
    const say: Say = { files: 'fails' };
    const { drive, stop, start, now, warrants } = town(record(), say);
    stop(false, 'town');
    drive.restart(1_000);
    drive.run(5_000);
    expect(new Set(warrants()).size).toBe(1);
    expect(drive.given('fileWarrant').map(({ warrant }) => warrant.via)).not.toContain('operator');
    say.files = undefined;
    stop();
    drive.run(LONG);
    expect([now()?.note, code(start('town'))]).toEqual(['stopped by the operator', 'stopped_by_operator']);
  });

  test.each([
    ['waits', record({ state: 'backing_off', waitMs: 600_000 }), 'ended'],
    ['is being started', record({ state: 'starting', pending: 'u' }), 'ended'],
  ])('of one that %s leaves it down, and the town may start it again', (_, found, state) => {
    const { drive, stop, start, now } = town(found);
    expect(code(stop(false, 'town'))).toBe('ok');
    drive.run(LONG);
    expect([now()?.state, code(start('town')), now()?.state]).toEqual([state, 'ok', 'running']);
  });
});

describe('a session that a sibling wants', () => {
  // Rules: C-13.
  test.each<[what: string, by: object, starts: number]>([
    ['the operator', BY_OPERATOR, 0],
    ['its agent', BY_AGENT, 0],
    ['the town, which has a use for it again', BY_TOWN, 1],
  ])('and that was ended by %s', (_, by, count) => {
    const { drive, starts, now } = town({ ...ended, ...ordered(by) });
    drive.tell({ type: 'SESSION_WANTED', spec, uuid: null, why: 'a test' });
    drive.run(LONG);
    expect([starts(), now()?.state]).toEqual([count, count === 0 ? 'ended' : 'running']);
  });

  // Rules: C-13.
  test('starts again, though its suspended end was carried out after it was wanted again', () => {
    const say: Say = { files: 'spares' };
    const { drive, stop, now, starts } = town(record(), say);
    const want = (): void => drive.tell({ type: 'SESSION_WANTED', spec, uuid: null, why: 'a test' });
    stop(false, 'town');
    drive.run(LONG);
    want();
    drive.run(LONG);
    expect([now()?.state, starts()]).toEqual(['running', 0]);
    say.files = undefined;
    stop(false, 'town');
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
    drive.restart(1_000);
    want();
    drive.run(LONG);
    expect([now()?.state, starts()]).toEqual(['running', 1]);
  });

  test('and whose end the town orders again, after one that came to nothing, ends by a new warrant', () => {
    const say: Say = { files: 'spares' };
    const { drive, stop, now, warrants } = town(record(), say);
    stop(false, 'town');
    drive.run(LONG);
    drive.restart(1_000);
    drive.run(LONG);
    say.files = undefined;
    stop(false, 'town');
    drive.run(LONG);
    expect([new Set(warrants()).size, now()?.state]).toEqual([2, 'ended']);
  });
});

describe('a start', () => {
  // Rules: law 6, M-9.
  test.each<[Via, boolean]>([
    ['operator', true],
    ['agent', false],
    ['town', false],
  ])('that %s asks for: the operator alone passes a person at the keys and a dead login', (via, byHand) => {
    const { drive, start } = town(ended);
    start(via);
    expect(drive.given('startSession').map((order) => order.byHand ?? false)).toEqual([byHand]);
  });
});

/** What the town and an agent get, and what the operator gets. */
function all(others: string, operator: string): Readonly<Record<Via, string>> {
  return { town: others, agent: others, operator };
}
