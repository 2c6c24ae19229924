/** What the daemon does with lifecycle requests: who may ask for the end or a restart of which session (C-10). */
import { describe, expect, test } from 'vitest';
import { rule } from '../../machines/watchdog/lifecycle-requests.ts';
import { POLICY } from '../../machines/policy.ts';
import type { SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import type { Letter } from '../../machines/protocol/watchdog.ts';
import { incarnation, SELDOM, WALL } from '../world/drive.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, LIFE } from './chain.ts';

describe('lifecycle requests (C-10)', () => {
  const SENT = WALL + 10_000;
  const letter = (more: Partial<Letter>): Letter => ({
    id: 'm1',
    from: 'worker',
    via: 'agent',
    subject: 'LIFECYCLE: restart',
    body: '',
    sentAt: SENT,
    writtenBy: 'uuid-1',
    sender: { session: 'worker', uuid: 'uuid-1' },
    ...more,
  });
  const HOUR = 3_600_000;
  const of = (session: string): Partial<Letter> => ({ from: session, sender: { session, uuid: 'uuid-1' } });
  const [app, nux, ada] = [of('app-builder'), of('gt-shop-nux'), of('gt-shop-ada')];
  const agents = ['worker', 'rival', 'builder', 'app-builder', 'app-worker', 'agent'];
  const polecats = ['shop/nux', 'shop/ada', 'mill/ada', 'shop/beta-work'].map((words) => {
    const [rig = '', name = ''] = words.split('/');
    return { name: `gt-${rig}-${name}`, address: `${rig}/polecats/${name}` };
  });
  const known = [...agents.map((name) => ({ name, address: name })), ...polecats];
  test.each<[string, Partial<Letter>, string, laterMs?: number]>([
    ['restart in the subject', {}, 'restart'],
    ['cycle in a bare body', { subject: 'LIFECYCLE', body: 'cycle please' }, 'restart'],
    ['shutdown in JSON', { subject: 'LIFECYCLE:', body: '{"action":"shutdown"}' }, 'end'],
    ['Shutdown, spelled large', { subject: 'LIFECYCLE:Shutdown' }, 'end'],
    ['for itself by name', { subject: 'LIFECYCLE:', body: '{"action":"cycle","session":"worker"}' }, 'restart'],
    ['for another one', { subject: 'LIFECYCLE:', body: '{"action":"cycle","session":"rival"}' }, 'refuse'],
    ['for another one, in the subject', { subject: 'LIFECYCLE: shutdown rival' }, 'refuse'],
    ['for another one, in the subject, with words', { subject: 'LIFECYCLE: restart gt-shop-nux, please' }, 'refuse'],
    ['for another one by its address, in the body', { subject: 'LIFECYCLE', body: 'shutdown shop/nux' }, 'refuse'],
    ['for itself by name, in the subject', { subject: 'LIFECYCLE: shutdown worker.' }, 'end'],
    ['for itself, with a reason behind it', { subject: 'LIFECYCLE: cycle context full' }, 'refuse'],
    [
      'for itself, with a reason in JSON',
      { body: '{"action":"cycle","session":"worker","reason":"context full"}' },
      'restart',
    ],
    [
      'with a reason in JSON that names another one',
      { body: '{"action":"cycle","session":"worker","reason":"rival hangs"}' },
      'restart',
    ],
    ['a reason that names another one, and no target', { body: '{"action":"cycle","reason":"rival hangs"}' }, 'refuse'],
    [
      'for another one, with a reason that names itself',
      { body: '{"action":"cycle","session":"rival","reason":"worker"}' },
      'refuse',
    ],
    ['for itself in JSON, and for another one', { body: '{"session":"worker","target":"rival"}' }, 'refuse'],
    ['in JSON, for one that no record has', { body: '{"action":"shutdown","name":"buidler"}' }, 'refuse'],
    ['its words in JSON are no names', { body: '{"action":"cycle","session":"worker","agent":"worker"}' }, 'restart'],
    ['the end of its own name is another one', { ...app, subject: 'LIFECYCLE: restart builder' }, 'refuse'],
    ['its own name ends with that of another one', { ...app, subject: 'LIFECYCLE: restart app-builder' }, 'restart'],
    ['its own name is the end of another one', { subject: 'LIFECYCLE: restart app-worker' }, 'refuse'],
    ['another one in the third word', { subject: 'LIFECYCLE: restart request for rival' }, 'refuse'],
    ['another one behind an article', { subject: 'LIFECYCLE: shutdown the rival session' }, 'refuse'],
    ['another one in a body', { body: 'Please shut down gt-shop-beta-work, it hangs.' }, 'refuse'],
    ['one that no record has, in a body', { body: 'Please shut down buidler.' }, 'refuse'],
    ['two actions in one text', { subject: 'LIFECYCLE: restart shutdown' }, 'refuse'],
    ['a polecat by its short name', { ...nux, subject: 'LIFECYCLE: restart nux' }, 'restart'],
    ['a polecat by its address', { ...nux, subject: 'LIFECYCLE: restart shop/polecats/nux' }, 'restart'],
    ['a polecat by a short name that two have', { ...ada, subject: 'LIFECYCLE: restart ada' }, 'refuse'],
    ['a polecat by its session, where two have the short name', { ...ada, body: 'cycle gt-shop-ada' }, 'restart'],
    ['for itself, politely', { subject: 'LIFECYCLE: restart please' }, 'restart'],
    ['written by the operator in its name', { via: 'operator' }, 'refuse'],
    ['no such action', { subject: 'LIFECYCLE: explode' }, 'refuse'],
    [
      'JSON, other words in the subject',
      { subject: 'LIFECYCLE: worker is stuck', body: '{"action":"cycle"}' },
      'refuse',
    ],
    ['JSON, another action in the subject', { body: '{"action":"shutdown"}' }, 'end'],
    ['JSON that names no such action', { body: '{"action":"explode"}' }, 'refuse'],
    ['JSON that names none', { body: '{"session":"worker"}' }, 'restart'],
    ['one word in the body, another in the subject', { body: 'Shutdown.\n' }, 'end'],
    ['a line that names the action, another in the subject', { body: 'action: shutdown\n' }, 'end'],
    ['a bare body, other words in the subject', { subject: 'LIFECYCLE: please', body: 'shutdown, please' }, 'end'],
    ['a sentence that begins like another action', { body: 'shutdown is not what I want' }, 'refuse'],
    ['no action anywhere', { subject: 'LIFECYCLE: please', body: 'help' }, 'refuse'],
    ['6 h old', {}, 'restart', 6 * HOUR],
    ['older than 6 h', {}, 'put_away', 6 * HOUR + 1],
    ['of a sender that does not live', { sender: null }, 'put_away'],
    ['of no life, as a file by hand', { writtenBy: null }, 'refuse'],
    ['by this life, before it began by a clock that stepped back', { sentAt: WALL - HOUR }, 'restart'],
    ['by this life, of a clock that stepped ahead and back', { sentAt: WALL + HOUR }, 'restart'],
    ['by an earlier life, after this one began by the clock', { writtenBy: 'uuid-0' }, 'put_away'],
    ['half a JSON object', { subject: 'LIFECYCLE:', body: '{"action":' }, 'refuse'],
  ])('%s', (_, more, becomes, laterMs = 0) => {
    const ruling = rule(letter(more), SENT + laterMs, { expiresMs: 6 * HOUR, isProtected: () => false, known });
    expect(ruling.kind === 'act' ? ruling.news.then : ruling.kind).toBe(becomes);
  });

  const living = (restart: SessionRecord['spec']['restart']): SessionRecord => ({
    ...freshSession({ ...DEACON, name: 'worker', restart }, 'x'),
    state: 'running',
    pending: null,
    incarnation: incarnation(1, { session: 'worker' }),
    startedAt: WALL,
  });
  // Rules: C-10.
  test.each([
    ['restart', 'temporary', 2],
    ['cycle', 'transient', 2],
    ['shutdown', 'permanent', 1],
  ] as const)('%s of a %s session: %i lives in the end', (action, restart, lives) => {
    const town = new ChainTown(null);
    town.sessions.set('worker', living(restart));
    town.drive.restart(1);
    town.letter({ subject: `LIFECYCLE: ${action}` });
    town.drive.tell({ type: 'CHANGED', what: 'mail' });
    town.run(100);
    expect(town.drive.given('fileWarrant')).toMatchObject([
      { warrant: { id: 'lifecycle-m-1', requester: 'worker', force: true, target: { uuid: 'uuid-1' } } },
    ]);
    town.kill();
    town.run(5_000);
    expect(town.drive.given('startSession')).toHaveLength(lives - 1);
    expect(town.sessions.get('worker')).toMatchObject(
      lives === 1 ? { state: 'ended' } : { state: 'running', streak: 0 },
    );
    town.run(2 * HEARTBEAT);
    expect(town.drive.given('startSession')).toHaveLength(lives - 1);
  });

  test.each([
    ['its present life', 'uuid-1', 0],
    ['an earlier life', 'uuid-0', 1],
  ])('a permanent agent of town.toml that ended because %s asked: %s, %i starts at the next up', (_, uuid, starts) => {
    const spec = { ...DEACON, name: 'worker' };
    const town = new ChainTown(null, POLICY, { agents: [spec] });
    town.sessions.set('worker', { ...living('permanent'), state: 'ended', asked: { uuid, then: 'end' } });
    town.run(HEARTBEAT);
    expect(town.drive.given('startSession')).toHaveLength(starts);
  });

  test('one that retired is started by a person, and then by the chain again', () => {
    const town = new ChainTown();
    const asked = { uuid: LIFE.uuid, then: 'end' } as const;
    const over = { state: 'ended', pending: null, incarnation: LIFE, startedAt: WALL, asked } as const;
    town.sessions.set(DEACON.name, { ...freshSession(DEACON, ''), ...over });
    town.seen = { ...GONE, retired: true };
    town.found = 'absent';
    town.run(3 * HEARTBEAT);
    expect([town.drive.given('startSession'), town.alerts]).toEqual([[], []]);
    town.drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec: DEACON } });
    town.run(1_000);
    expect(town.drive.given('startSession')).toHaveLength(1);
    expect(town.sessions.get(DEACON.name)).toMatchObject({ state: 'running' });
  });

  // Rules: C-7.
  test.each([
    ['restart', 2],
    ['shutdown', 1],
  ] as const)(
    '%s of an agent without a pane (C-7): a person is told once, and it is so once it ends',
    (action, lives) => {
      const town = new ChainTown(null);
      const life = incarnation(1, { session: 'worker', sessionId: '', paneId: '', origin: 'detached' });
      town.sessions.set('worker', { ...living('permanent'), incarnation: life });
      town.run(100);
      town.letter({ subject: `LIFECYCLE: ${action}`, sentAt: WALL + 10_000 });
      town.run(4 * HEARTBEAT);
      expect([town.drive.given('fileWarrant'), town.alerts]).toEqual([[], ['end-waits/worker']]);
      expect(town.drive.given('alert')[0]?.alert.text).toContain(`kill ${life.agent.pid}`);
      town.drive.restart(1_000);
      town.run(HEARTBEAT);
      town.kill();
      town.run(HEARTBEAT);
      expect([town.drive.given('startSession').length, [...town.episodes]]).toEqual([lives - 1, []]);
      expect(town.sessions.get('worker')?.state).toBe(lives === 1 ? 'ended' : 'running');
    },
  );

  // Rules: C-10.
  test('the request is durable before its warrant, and repeated under the same id until that life is over', () => {
    const town = new ChainTown(null);
    town.sessions.set('worker', living('transient'));
    town.drive.restart(1);
    town.letter();
    town.run(2 * HEARTBEAT);
    const ids = town.drive.given('fileWarrant').map(({ warrant }) => warrant.id);
    expect([...new Set(ids)]).toEqual(['lifecycle-m-1']);
    expect(town.sessions.get('worker')?.asked).toEqual({ uuid: 'uuid-1', then: 'restart' });
  });

  // Rules: C-10.
  test('refused and void letters are put away; a refusal is told to who asked and to a person, and is no episode', () => {
    const town = new ChainTown(null);
    town.letter({ via: 'operator' });
    town.letter({ sender: null });
    town.run(2 * HEARTBEAT);
    expect([town.letters, town.alerts]).toEqual([[], []]);
    const mails = town.drive.given('mail');
    const day = Math.floor(WALL / (24 * HOUR));
    expect(mails).toMatchObject([
      { to: 'overseer', id: { name: `lifecycle-refused.worker.${day}` } },
      { to: 'worker', id: { name: 'lifecycle-refused.m-1.back' } },
    ]);
    for (const { body } of mails) expect(body).toContain('town session stop worker');
  });

  // Rules: law 6.
  test('an agent with a protected name is told that only the operator ends it, and nothing is filed', () => {
    const town = new ChainTown(null, POLICY, { isProtected: (name) => name === 'worker' });
    town.sessions.set('worker', living('transient'));
    town.drive.restart(1);
    town.letter();
    town.run(2 * HEARTBEAT);
    expect([town.letters, town.drive.given('fileWarrant')]).toEqual([[], []]);
    expect(town.sessions.get('worker')?.asked).toBeUndefined();
    const mails = town.drive.given('mail');
    expect(mails.map(({ to }) => to)).toEqual(['overseer', 'worker']);
    for (const { body } of mails) expect(body).toContain('town session stop worker --force');
  });

  test('a hundred refused letters of one sender are one letter a day to a person, and an answer each', () => {
    const town = new ChainTown(null, SELDOM);
    for (let n = 0; n < 100; n += 1) town.letter({ via: 'operator' });
    town.run(2 * HEARTBEAT);
    const toPerson = () =>
      new Set(town.drive.given('mail').flatMap(({ id, to }) => (to === 'overseer' ? [id.name] : [])));
    expect([town.letters, toPerson().size]).toEqual([[], 1]);
    expect(town.drive.given('mail').filter(({ to }) => to === 'worker')).toHaveLength(100);
    town.run(24 * HOUR);
    town.letter({ via: 'operator', sentAt: WALL + 24 * HOUR });
    town.run(2 * HEARTBEAT);
    expect(toPerson().size).toBe(2);
  });
});
