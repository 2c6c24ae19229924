/** The daemon's tick (C-1), the chain behind Boot (C-8), lifecycle requests (C-10), the Deacon as an actor (C-3, C-4). */
import { describe, expect, test } from 'vitest';
import { STEPS } from '../../machines/watchdog/steps.ts';
import { rule } from '../../machines/watchdog/lifecycle-requests.ts';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order, SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import type { Letter } from '../../machines/protocol/watchdog.ts';
import { incarnation, WALL } from '../world/drive.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, LIFE, STALE, WELL } from './chain.ts';

const { watchdog } = POLICY;
const without = (more: Partial<Policy['watchdog']>): Policy => ({ ...POLICY, watchdog: { ...watchdog, ...more } });
/** Every step of one tick, by its order's id. */
const stepsOf = (orders: readonly Order[], tick: number): string[] =>
  orders.flatMap(({ id: { giver, round, verb = '' } }) =>
    giver === 'daemon' && round === tick && STEPS.some((step) => step === verb) ? [verb] : [],
  );

describe('the tick (C-1)', () => {
  // Rules: C-1.
  test('first at start, then every heartbeat, its steps in order', () => {
    const town = new ChainTown();
    town.run(3 * HEARTBEAT);
    for (const n of [1, 2, 3])
      expect(stepsOf(town.drive.orders, n)).toEqual(['boot', 'deacon', 'discovery', 'lifecycle']);
  });

  // Rules: C-1.
  test('witnesses and refineries keep their place', () => {
    expect(STEPS).toEqual(['boot', 'deacon', 'witnesses', 'refineries', 'discovery', 'lifecycle']);
  });

  // Rules: C-1.
  test.each(['announce', 'observeDeacon', 'discover', 'readDeaconMail'] as const)(
    'a step whose %s never answers or fails stops no other, and the next tick comes',
    (type) => {
      for (const outcome of [null, { type: 'ORDER_FAILED', why: 'broken' }] as const) {
        const town = new ChainTown();
        Object.assign(town.instead, { [type]: outcome });
        town.run(4 * HEARTBEAT);
        expect(stepsOf(town.drive.orders, 4)).toEqual(['boot', 'deacon', 'discovery', 'lifecycle']);
      }
    },
  );

  test('a step that fails three ticks in a row is told once, and its recovery too', () => {
    const town = new ChainTown();
    town.instead.discover = { type: 'ORDER_FAILED', why: 'broken' };
    town.run(5 * HEARTBEAT);
    expect(town.alerts).toEqual(['daemon-step/discovery']);
    delete town.instead.discover;
    town.run(HEARTBEAT);
    expect(town.drive.given('endAlert').map(({ episode }) => episode)).toContain('daemon-step/discovery');
  });
});

describe('the chain (C-8): each link alone brings the Deacon back', () => {
  const noBoot = { ...watchdog.boot, enabled: false };
  test.each([
    ['Boot, without the check and discovery', without({ deaconCheck: false, discovery: false }), 'absent', true],
    ['the daemon’s check, without Boot and discovery', without({ boot: noBoot, discovery: false }), 'absent', true],
    ['discovery, without Boot and without the check', without({ boot: noBoot, deaconCheck: false }), 'absent', true],
    ['nobody: all three are off', without({ boot: noBoot, deaconCheck: false, discovery: false }), 'absent', false],
  ] as const)('%s', (_, policy, found, isStarted) => {
    const town = new ChainTown(DEACON, policy);
    town.seen = GONE;
    town.found = found;
    town.run(500);
    expect(town.drive.given('startSession')).toHaveLength(isStarted ? 1 : 0);
  });

  // Rules: law 7, C-8.
  test('down for two ticks though everything was tried: a person is told, once, and of its return', () => {
    const town = new ChainTown();
    town.seen = GONE;
    town.found = 'absent';
    town.instead.startSession = { type: 'SESSION_NOT_STARTED', why: 'no such program', taken: false };
    town.run(4 * HEARTBEAT);
    expect(town.alerts.filter((episode) => episode.startsWith('deacon-down'))).toEqual(['deacon-down/hq-deacon']);
    town.found = 'alive';
    town.seen = WELL;
    town.run(HEARTBEAT);
    expect(town.drive.given('endAlert').map(({ episode }) => episode)).toContain('deacon-down/hq-deacon');
  });

  test('a life in tmux that no record tells of is found again under its own uuid, not started twice', () => {
    const town = new ChainTown();
    town.foundUuid = 'f0f0f0f0-1111-4222-8333-444455556666';
    town.run(500);
    expect(town.drive.given('startSession')).toMatchObject([{ uuid: town.foundUuid }]);
    town.run(3 * HEARTBEAT);
    expect(town.drive.given('startSession')).toHaveLength(1);
  });

  test('somebody else’s session under its name is left alone and told', () => {
    const town = new ChainTown(DEACON, without({ boot: noBoot, deaconCheck: false }));
    town.found = 'foreign';
    town.run(2 * HEARTBEAT);
    expect([town.drive.given('startSession'), town.alerts]).toEqual([[], ['deacon-down/hq-deacon']]);
  });

  test('very stale for so many ticks without Boot mending it: a person is told', () => {
    const town = new ChainTown(DEACON, without({ boot: noBoot }));
    town.seen = STALE;
    town.run((watchdog.silentTicks - 1) * HEARTBEAT - 1_000);
    expect(town.alerts).toEqual([]);
    town.run(2 * HEARTBEAT);
    expect(town.alerts).toEqual(['deacon-silent/hq-deacon']);
  });

  test.each([
    ['unknown', { ...GONE, alive: 'unknown' }],
    ['paused', { ...GONE, paused: true }],
  ] as const)('%s: nothing is started, nobody is told', (_, seen) => {
    const town = new ChainTown();
    town.seen = seen;
    town.found = seen.paused ? 'absent' : 'unknown';
    town.run(5 * HEARTBEAT);
    expect([town.drive.given('startSession'), town.alerts]).toEqual([[], []]);
  });
});

describe('lifecycle requests (C-10)', () => {
  const SENT = WALL + 10_000;
  const letter = (more: Partial<Letter>): Letter => ({
    id: 'm1',
    from: 'worker',
    via: 'agent',
    subject: 'LIFECYCLE: restart',
    body: '',
    sentAt: SENT,
    writtenBy: null,
    sender: { session: 'worker', uuid: 'uuid-1', startedAt: WALL },
    ...more,
  });
  const HOUR = 3_600_000;
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
    ['for itself, with a reason', { subject: 'LIFECYCLE: cycle context full' }, 'restart'],
    ['for itself, politely', { subject: 'LIFECYCLE: restart please' }, 'restart'],
    ['written by the operator in its name', { via: 'operator' }, 'refuse'],
    ['no such action', { subject: 'LIFECYCLE: explode' }, 'refuse'],
    [
      'JSON, other words in the subject',
      { subject: 'LIFECYCLE: worker is stuck', body: '{"action":"cycle"}' },
      'restart',
    ],
    ['JSON, another action in the subject', { body: '{"action":"shutdown"}' }, 'end'],
    ['JSON that names no such action', { body: '{"action":"explode"}' }, 'refuse'],
    ['JSON that names none', { body: '{"session":"worker"}' }, 'restart'],
    ['one word in the body, another in the subject', { body: 'Shutdown.\n' }, 'end'],
    ['a line that names the action, another in the subject', { body: 'action: shutdown\n' }, 'end'],
    ['a bare body, other words in the subject', { subject: 'LIFECYCLE: please', body: 'shutdown, please' }, 'end'],
    ['a sentence that begins like another action', { body: 'shutdown is not what I want' }, 'restart'],
    ['no action anywhere', { subject: 'LIFECYCLE: please', body: 'help' }, 'refuse'],
    ['6 h old', {}, 'restart', 6 * HOUR],
    ['older than 6 h', {}, 'put_away', 6 * HOUR + 1],
    ['of a sender that does not live', { sender: null }, 'put_away'],
    ['older than the present life', { sentAt: WALL - 1 }, 'put_away'],
    [
      'by this life, before it began by a clock that stepped back',
      { sentAt: WALL - HOUR, writtenBy: 'uuid-1' },
      'restart',
    ],
    ['by this life, of a clock that stepped ahead and back', { sentAt: WALL + HOUR, writtenBy: 'uuid-1' }, 'restart'],
    ['by an earlier life, after this one began by the clock', { writtenBy: 'uuid-0' }, 'put_away'],
    ['half a JSON object', { subject: 'LIFECYCLE:', body: '{"action":' }, 'refuse'],
  ])('%s', (_, more, becomes, laterMs = 0) => {
    const ruling = rule(letter(more), SENT + laterMs, { expiresMs: 6 * HOUR });
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
    town.drive.tell({ type: 'POKED', what: 'mail' });
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

  test('a hundred refused letters of one sender are one letter a day to a person, and an answer each', () => {
    const town = new ChainTown(null);
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

describe('the Deacon as an actor', () => {
  const beats = (town: ChainTown): number => town.note('heartbeat')?.at ?? 0;

  // Rules: C-4, P-1.
  test('beats at least every 60 s whatever its patrol pace, and announces the next', () => {
    const town = new ChainTown(null);
    let last = beats(town);
    for (let s = 0; s < 3_600; s += 10) {
      town.run(10_000);
      expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
      expect(beats(town)).toBeGreaterThanOrEqual(last);
      last = beats(town);
    }
    const beat = town.note('heartbeat');
    expect(beat).toMatchObject({ healthy: 1, unhealthy: 0, lastAction: 'health-scan', nextDueAt: last + 60_000 });
  });

  // Rules: C-4, P-1.
  test.each([
    ['never comes', null],
    ['fails', { type: 'ORDER_FAILED', why: 'broken' } as const],
  ])('a patrol whose outcome %s delays no beat', (_, outcome) => {
    const town = new ChainTown(null);
    town.instead.readDeaconMail = outcome;
    town.run(600_000);
    expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
  });

  test('paused it beats on and patrols not', () => {
    const town = new ChainTown(null);
    town.seen = { ...WELL, paused: true };
    town.letter({ subject: 'HANDOFF: x' });
    town.run(600_000);
    expect(town.note('heartbeat')).toMatchObject({ cycle: 0, lastAction: 'paused' });
    expect(WALL + town.drive.now - beats(town)).toBeLessThanOrEqual(watchdog.deacon.beatMs + 10);
    expect(town.letters).toHaveLength(1);
  });

  test('absorbs handoffs and the pings of witnesses; what it has no rule for stays and is told once', () => {
    const town = new ChainTown(null);
    town.letter({ subject: 'HANDOFF: routine cycle' });
    town.letter({ subject: 'what about lunch?' });
    town.letter({ subject: 'WITNESS_PING shop' });
    town.run(3_600_000);
    expect(town.letters.map(({ subject }) => subject)).toEqual(['what about lunch?']);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  // Rules: W-1.
  test('ten thousand letters without a rule are one alert, and lie apart', () => {
    const town = new ChainTown(null);
    for (let nth = 0; nth < 10_000; nth += 1) town.letter({ subject: `lunch ${nth}?` });
    town.letter({ subject: 'HANDOFF: routine cycle' });
    town.run(3_600_000);
    expect([town.letters, town.aside]).toEqual([[], 10_000]);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  test('absorbs the verdicts on warrants of its own; words like them from others are told', () => {
    const town = new ChainTown(null);
    town.letter({ from: 'town', subject: 'VERDICT: gt-rig-1 executed' });
    town.letter({ from: 'mayor', subject: 'VERDICT: gt-rig-1 executed' });
    town.run(3_600_000);
    expect(town.letters.map(({ from }) => from)).toEqual(['mayor']);
    expect(town.alerts).toEqual(['deacon-mail']);
  });

  test('woken it beats at once; stuck it falls and its supervisor starts it again (C-5)', () => {
    const town = new ChainTown(null);
    town.run(30_000);
    const before = beats(town);
    town.drive.tell({ type: 'DEACON_WOKEN', why: 'test' });
    town.run(10);
    expect(beats(town)).toBeGreaterThan(before);
    town.drive.tell({ type: 'DEACON_STUCK', why: 'test' });
    town.run(5_000);
    const actor = town.drive.street.actors.find(({ id }) => id === 'town/watch/deacon');
    expect(actor?.restarts).toBe(1);
  });

  // Rules: C-3.
  test('Boot wakes a silent one twice, then lets it fall', () => {
    const town = new ChainTown(null);
    town.seen = { ...STALE, life: null, pane: 'none' };
    town.run(2 * HEARTBEAT + 5_000);
    expect([town.announced('DEACON_WOKEN').length, town.announced('DEACON_STUCK').length]).toEqual([2, 1]);
    expect(town.drive.street.actors.find(({ id }) => id === 'town/watch/deacon')?.restarts).toBe(1);
    expect([town.drive.given('nudge'), town.drive.given('fileWarrant')]).toEqual([[], []]);
  });
});
