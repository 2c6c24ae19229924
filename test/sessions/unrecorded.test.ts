/** Lives without a record, found when the records are read or by a later scan; and what is told when an adopted one ends. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { LostLife, SeenSession, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { emptyBook, NOT_LIVE, type SessionsState } from '../../machines/sessions/state.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { afterScan, BLIND, takeLost } from '../../machines/sessions/scan.ts';
import { doDue, decide } from '../../machines/sessions/machine.ts';
import { incarnation } from '../world/drive.ts';

const now = { at: 1_000, wall: 5_000 };
const spec: SessionSpec = { name: 's1', command: ['agent'], dir: '/', tags: [], restart: 'permanent', process: null };
const life = incarnation(1, { session: 's1' });
const lost: LostLife = { spec, incarnation: life, tokenHash: 'hash', startedAt: 17 };
const adopted: LostLife = { ...lost, incarnation: { ...life, origin: 'adopted' } };
const book = (more: Partial<SessionsState> = {}): SessionsState => ({
  ...emptyBook({ policy: POLICY.sessions, entropy: 'e', agents: [] }),
  ...more,
});

/** The records as they were read, with those that are made anew. */
function withLost(found: readonly SessionRecord[], all: readonly LostLife[]): readonly SessionRecord[] {
  const before = book({ records: Object.fromEntries(found.map((r) => [r.spec.name, r])) });
  return Object.values(takeLost(before, all, now).changes.records ?? before.records);
}
const other = incarnation(2, { session: 's1' });
const known: readonly (readonly [string, SessionRecord[], string | null])[] = [
  ['no record', [], life.uuid],
  ['a record of a start that never got through', [{ ...freshSession(spec, 'u'), state: 'backing_off' }], life.uuid],
  ['a record of its own start, which is repeated', [freshSession(spec, life.uuid)], null],
  ['a record of another life', [{ ...freshSession(spec, ''), state: 'ended', incarnation: other }], other.uuid],
];
test.each(['ended', 'running'] as const)('a record of an earlier life that is over gives way: %s', (state) => {
  const all = withLost([{ ...freshSession(spec, ''), state, incarnation: other }], [{ ...lost, isLater: true }]);
  expect(all).toMatchObject([{ state: 'running', incarnation: life, pending: null }]);
});

test.each(known)('beside %s', (_, records, uuid) => {
  const all = withLost(records, [lost]);
  expect(all.map((record) => record.incarnation?.uuid ?? null)).toEqual([uuid]);
});

test.each([
  [lost, 'running'],
  [adopted, 'observed'],
] as const)('it is what it was, with a budget that begins anew: %#', (one, state) => {
  expect(withLost([], [one])).toMatchObject([
    { spec, state, incarnation: one.incarnation, tokenHash: 'hash', startedAt: 17, pending: null, streak: 0 },
  ]);
});

describe('a tmux that told nothing when the town opened', () => {
  const opened = decide(book(), {
    type: 'SESSIONS_READ',
    sessions: [],
    lost: null,
    re: { issuer: 'sessions', verb: 'read' },
    ...now,
  });
  const asking = { ...book(), ...opened.changes };

  test('is asked by each scan, also with no session to look at, until it tells', () => {
    const { orders, changes: due } = doDue(asking, now);
    expect(orders).toMatchObject([{ type: 'scan', known: [], seek: true }]);
    for (const silent of [BLIND, { server: 'none', seen: [] }] as const)
      expect(afterScan({ ...asking, ...due }, silent, now).changes.seekLost).toBe(true);
    const told = afterScan({ ...asking, ...due }, { server: 'up', seen: [], lost: [lost] }, now);
    expect(told.changes).toMatchObject({ seekLost: false, records: { s1: { state: 'running', incarnation: life } } });
  });

  test('ends what its silence began: the start that waits, its caller, its alarm', () => {
    const waits: SessionRecord = { ...freshSession(spec, ''), state: 'backing_off', pending: null, nameTaken: true };
    const before = { ...asking, records: { s1: waits }, live: { s1: { ...NOT_LIVE, dueAt: 9_000, rpc: 'r1' } } };
    const { changes: after, orders } = afterScan(before, { server: 'up', seen: [], lost: [lost] }, now);
    expect(after).toMatchObject({ records: { s1: { state: 'running' } }, live: { s1: NOT_LIVE } });
    expect(after.records?.['s1']?.nameTaken).toBeUndefined();
    expect(orders).toContainEqual(expect.objectContaining({ type: 'reply', to: 'r1' }));
  });
});

describe('the end of what was adopted', () => {
  const names = ['a', 'b', 'c'];
  const records = Object.fromEntries(
    names.map((name, at) => {
      const one = { ...adopted, spec: { ...spec, name }, incarnation: { ...incarnation(at, { session: name }), origin: 'adopted' as const } }; // prettier-ignore
      return [name, withLost([], [one])[0]!];
    }),
  );
  const seen = (...maybeSignalled: string[]): SeenSession[] =>
    names.map((name) => ({
      name,
      uuid: records[name]!.incarnation!.uuid,
      life: 'absent',
      exit: { kind: 'unknown' },
      maybeSignalled: maybeSignalled.includes(name),
    }));
  const mails = (server: 'up' | 'gone', all: SeenSession[]) =>
    afterScan(book({ records }), { server, seen: all }, now).orders.filter(({ type }) => type === 'mail');

  test('is told once, of all that one look found, and not where a verdict tells it', () => {
    const [mail, ...more] = mails('gone', seen('b'));
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ to: 'overseer', subject: 'ENDED: a, c' });
    expect(mail).toMatchObject({
      body: expect.stringContaining('c: the adopted agent ended with its tmux server.') as string,
    });
    expect(mails('gone', seen('b'))).toEqual([mail]);
    expect(mails('up', seen(...names))).toEqual([]);
  });

  test('is told again by a town that was killed before the letter lay in the mailbox, and then no more', () => {
    const [re, stamp] = [{ name: 'read' }, { at: 2_000, wall: 6_000 }];
    const reads = (all: SessionsState['records'] = {}) =>
      decide(book(), { type: 'SESSIONS_READ', sessions: Object.values(all), re, began: 0, ...stamp });
    const letters = ({ orders }: ReturnType<typeof reads>) => orders.filter(({ type }) => type === 'mail');
    const dead = afterScan(book({ records }), { server: 'up', seen: seen('b') }, now);
    const again = reads(dead.changes.records);
    expect(letters(again)).toEqual(dead.orders.filter(({ type }) => type === 'mail'));
    expect(letters(again)).toHaveLength(1);
    const mailed = { type: 'MAILED', re: letters(again)[0]!.id, began: 0, ...stamp } as const;
    const told = decide(book(again.changes), mailed);
    expect(letters(reads(told.changes.records))).toEqual([]);
  });
});
