/** The stream as viewers and guests get it, over real sockets: order, lateness and bounds. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createWebSocketInspector, createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { WebSocket } from 'ws';
import { createActor, createMachine } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { INSPECT } from '../../src/inspect/policy.ts';
import { openRig, TOKEN, until, view, type Message } from './rig.ts';

const CHANGE = { type: 'CHANGED', what: 'warrants' } as const;
const TURN = { type: 'CHANGED', what: 'sessions' } as const;
const named = (messages: readonly Message[], type: string): string[] =>
  messages.filter((m) => m.type === type).map((m) => m.name ?? m.sessionId);
const heard = (m: Message): unknown => m.snapshot?.context['heard'];

describe('a viewer that comes late', () => {
  // Rules: V-1.
  test('gets every actor, parents first, then every last snapshot, then past events, then what happens', async () => {
    const rig = await openRig();
    for (let n = 0; n < 3; n++) rig.news(CHANGE);
    const viewer = await view(rig.url);
    await viewer.until((m) => m.event?.type === 'CHANGED' && m.type === '@xstate.event');
    await viewer.until((m) => named([m], '@xstate.snapshot').length > 0);
    rig.news(CHANGE);
    const messages = await viewer.until((m) => heard(m) === 4);

    expect(named(messages, '@xstate.actor')).toEqual(['town', 'anna', 'bert']);
    const kinds = messages.map(({ type }) => type.replace('@xstate.', '')).join(' ');
    expect(kinds).toMatch(/^(actor ){3}(snapshot ){3}(event )+(snapshot ?)+$/);
    const [office, anna] = messages;
    expect(anna).toMatchObject({
      parentId: office!.sessionId,
      rootId: office!.sessionId,
      _version: '0.7.2',
      snapshot: { status: 'active', value: 'idle', context: { heard: 3 } },
    });
    expect(JSON.parse(anna!.definition!)).toMatchObject({
      id: 'clerk',
      initial: 'idle',
      states: { idle: { on: { CHANGED: { target: 'busy', actions: 'count' } } }, busy: { always: 'idle' } },
    });
    expect(new Set(messages.map(({ sessionId }) => sessionId)).size).toBe(3);
  });

  test('gets bounded values, and no token from any holder', async () => {
    const rig = await openRig();
    rig.news({ type: 'ALIVE_ANSWERED', code: `TOWN_TOKEN=${TOKEN}`, uuid: null });
    const viewer = await view(rig.url);
    const messages = await viewer.until((m) => m.event?.type === 'ALIVE_ANSWERED');
    expect(JSON.stringify(messages)).not.toContain(TOKEN.slice(0, 20));
    const anna = messages.find(({ name }) => name === 'anna');
    expect(anna!.snapshot!.context).toMatchObject({ token: '[redacted]', heard: 0 });
    expect(anna!.snapshot!.context['records']).toHaveLength(INSPECT.maxEntries + 1);
  });

  test('gets a bounded number of events and of actors that ended', async () => {
    const rig = await openRig({ ringEvents: 10, maxEnded: 2 });
    for (let n = 0; n < 40; n++) {
      rig.news(TURN);
      await pause(6);
    }
    const { messages, until: seen } = await view(rig.url);
    rig.news(CHANGE);
    await seen((m) => heard(m) === 1);
    expect(named(messages, '@xstate.actor')).toEqual(['town', 'anna', 'bert', 'carl-18', 'carl-19']);
    expect(messages.find(({ name }) => name === 'carl-19')!.snapshot!.status).toBe('stopped');
  });
});

describe('a viewer that is there', () => {
  test('is told the latest of many snapshots, none twice, and of a new actor before anything else of it', async () => {
    const rig = await openRig({ batchMs: 40 });
    const viewer = await view(rig.url);
    await viewer.until((m) => m.event?.type === 'xstate.init' && m.type === '@xstate.event');
    const before = viewer.messages.length;
    for (let n = 0; n < 100; n++) rig.news(CHANGE);
    await viewer.until((m) => heard(m) === 100);
    rig.news({ type: 'ALIVE_ANSWERED', code: 'K73F', uuid: null });
    rig.news(TURN);
    await viewer.until(({ name }) => name === 'carl-0');
    rig.news(CHANGE);
    const messages = (await viewer.until((m) => heard(m) === 101)).slice(before);
    const told = messages
      .filter(({ type }) => type === '@xstate.snapshot')
      .map((m) => `${m.sessionId} ${String(heard(m))}`);
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBeLessThan(20);
    expect(messages.filter(({ type }) => type === '@xstate.event').length).toBeGreaterThan(200);
    const carl = messages.find(({ name }) => name === 'carl-0')!.sessionId;
    expect(messages.find(({ sessionId }) => sessionId === carl)!.type).toBe('@xstate.actor');
  });

  test('but does not read is dropped; the others and the town go on', async () => {
    const rig = await openRig({ maxBehindChars: 200_000, maxInFlightChars: 50_000, batchMs: 1 });
    const slow = await view(rig.url);
    const good = await view(rig.url);
    slow.socket.pause();
    const gone = () => rig.complaints.some((text) => text.includes('characters behind'));
    let wakes = 0;
    // The system's own buffers take some megabytes before it shows.
    while (!gone()) {
      for (let n = 0; n < 50; n++, wakes++) rig.news({ type: 'ALIVE_ANSWERED', code: 'word '.repeat(90), uuid: null });
      await pause(2);
    }
    rig.news(CHANGE);
    await good.until((m) => heard(m) === 1);
    expect(rig.complaints).toHaveLength(1);
    expect(wakes).toBeGreaterThan(100);
  });

  test('but is silent is dropped, also when nothing happens', async () => {
    const rig = await openRig({ pingEveryMs: 500 });
    const lively = await view(rig.url);
    const { socket } = await view(rig.url, { autoPong: false });
    await once(socket, 'close');
    expect(rig.complaints).toEqual(['inspector: a viewer was dropped: it did not answer']);
    expect(lively.socket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('the stock package', () => {
  // Rules: V-1.
  test('a receiver that connects late gets every actor with its definition and a snapshot', async () => {
    const rig = await openRig();
    rig.news(CHANGE);
    const got: StatelyInspectionEvent[] = [];
    createWebSocketReceiver({ server: rig.url }).subscribe((m) => got.push(m));
    await until(() => got.some((m) => m.type === '@xstate.event' && m.event.type === 'CHANGED'));
    const actors = got.filter((m) => m.type === '@xstate.actor');
    expect(actors.map(({ name }) => name)).toEqual(['town', 'anna', 'bert']);
    for (const { definition, snapshot, sessionId } of actors) {
      expect(JSON.parse(definition!)).toHaveProperty('id');
      expect(snapshot.status).toBe('active');
      expect(got.some((m) => m.type === '@xstate.snapshot' && m.sessionId === sessionId)).toBe(true);
    }
  });

  // Rules: V-1.
  test('an inspector of another program is passed on, to viewers that are there and to those that come', async () => {
    const rig = await openRig();
    const there: StatelyInspectionEvent[] = [];
    createWebSocketReceiver({ server: rig.url }).subscribe((m) => there.push(m));
    const light = createMachine({ id: 'light', initial: 'green', states: { green: { on: { GO: 'red' } }, red: {} } });
    const inspector = createWebSocketInspector({ url: rig.url });
    onTestFinished(() => inspector.stop());
    const actor = createActor(light, { inspect: inspector.inspect, id: 'crossing' });
    actor.start();
    actor.send({ type: 'GO' });
    const isRed = (m: StatelyInspectionEvent): boolean =>
      m.type === '@xstate.snapshot' &&
      m.sessionId === actor.sessionId &&
      (m.snapshot as { value?: unknown }).value === 'red';
    await until(() => there.some(isRed));
    const late: StatelyInspectionEvent[] = [];
    createWebSocketReceiver({ server: rig.url }).subscribe((m) => late.push(m));
    await until(() => late.some(isRed));
    for (const got of [there, late]) {
      expect(got.find((m) => m.type === '@xstate.actor' && m.sessionId === actor.sessionId)).toMatchObject({
        name: 'crossing',
        definition: JSON.stringify(light.config),
      });
    }
    expect(late.filter((m) => m.type === '@xstate.actor').map(({ name }) => name)).toEqual([
      'town',
      'anna',
      'bert',
      'crossing',
    ]);
  });
});

describe('a guest', () => {
  const frame = (sessionId: string, more: object = {}) =>
    JSON.stringify({ type: '@xstate.event', sessionId, event: { type: 'GO' }, ...more });

  test('that speaks nonsense is not passed on, and heard again when it speaks the protocol', async () => {
    const rig = await openRig();
    const [viewer, guest] = [await view(rig.url), await view(rig.url)];
    for (const text of ['{', '[]', '{"type":"@xstate.event"}', frame('town:x:0')]) guest.socket.send(text);
    guest.socket.send('['.repeat(100_000));
    guest.socket.send(frame('x:7'));
    const messages = await viewer.until((m) => m.sessionId === 'x:7');
    expect(messages.filter(({ sessionId }) => !sessionId.startsWith('town:'))).toHaveLength(1);
    expect(rig.complaints).toHaveLength(1);
  });

  test.each([
    ['sends a frame that is too large', frame('x:0', { more: 'y'.repeat(INSPECT.maxFrameBytes) }), 1009],
    ['sends bytes instead of text', Buffer.from(frame('x:0')), 1003],
  ])('that %s loses its connection', async (_, data, code) => {
    const rig = await openRig();
    const guest = await view(rig.url);
    guest.socket.send(data);
    expect((await once(guest.socket, 'close'))[0]).toBe(code);
  });

  test('that is too fast waits: it loses nothing, and takes no other’s turn', async () => {
    const rig = await openRig({ bytesPerS: 100_000 });
    const [viewer, guest] = [await view(rig.url), await view(rig.url)];
    const began = performance.now();
    for (let n = 0; n < 3_000; n++) guest.socket.send(frame(`x:${n}`, { more: 'y'.repeat(50) }));
    rig.news(CHANGE);
    await viewer.until((m) => heard(m) === 1);
    const messages = await viewer.until((m) => m.sessionId === 'x:2999');
    expect(messages.filter(({ sessionId }) => sessionId.startsWith('x:'))).toHaveLength(3_000);
    // A lower bound however slow the machine: 300 kB, of which 100 kB and one read of 64 kB are taken at once.
    expect(performance.now() - began).toBeGreaterThan(500);
  });
});
