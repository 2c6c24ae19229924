/** The hands of the owner of episodes: what they look at, what a person's command reads, and whose order came to what. */
import { expect, test } from 'vitest';
import { episodeIn, type NewsBody, type OutcomeBody } from '../../machines/protocol.ts';
import { alertHands } from '../../src/alerts/hands.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { episode, putAlerts } from '../state/make.ts';
import { SimDisk } from '../world/disk.ts';
import { WALL } from '../world/drive.ts';
import { noOffers } from '../channels/make.ts';

const never = new AbortController().signal;
const ALERT = { episode: episodeIn('needs-input/nux'), severity: 'high', session: 'nux', text: 'it burns' } as const;

/** Of sessions that have some. */
const TAGS = new Map([
  ['one', ['b', 'a']],
  ['two', ['a', 'b']],
  ['three', ['c']],
]);

function desk(offers: Parameters<typeof alertHands>[0]['offers'] = noOffers) {
  const sim = new SimDisk();
  const disk = sim.mount();
  const [told, logged, news]: [Notice[], string[], NewsBody[]] = [[], [], []];
  const causes: string[] = [];
  const alerts = new Alerts({
    disk,
    quarantine: new Quarantine({ disk, wall: () => WALL, onRefused: () => undefined }),
  });
  const hands = alertHands({
    disk,
    alerts,
    clock: { wall: () => WALL },
    announce: (one) => news.push(one),
    notify: async (notice, { name }) => {
      told.push(notice);
      causes.push(name);
    },
    log: (text) => void logged.push(text),
    session: (name) => Promise.resolve(TAGS.has(name) ? ({ spec: { tags: TAGS.get(name) } } as never) : null),
    offers,
    asks: () => Promise.resolve(null),
    stands: (session) => (session === 'blind' ? Promise.reject(new Error('silent')) : Promise.resolve(false)),
  });
  return { disk, alerts, hands, told, causes, logged, news };
}

// Rules: C-16.
test('a person’s command and the log are told what it is, whether it asks and what to type', async () => {
  const { hands, told, logged } = desk();
  const order = {
    type: 'notify',
    id: { name: 'n' },
    what: 'alert',
    alert: ALERT,
    count: 2,
    asks: ['town session attach nux'],
  } as const;
  expect(await hands.notify(order, never)).toEqual({ type: 'NOTIFIED' });
  await hands.notify({ ...order, what: 'recovered', asks: null }, never);
  const about = { schema: 'notice/1', ...ALERT, count: 2, at: new Date(WALL).toISOString() };
  expect(told).toEqual([
    { ...about, kind: 'alert', question: true, type: ['town session attach nux'] },
    { ...about, kind: 'recovered', question: false, type: [], ends_question: true },
  ]);
  expect(logged).toEqual(['it burns', 'it burns']);
});

test('only notices about sessions with the same tags are told as one, since a route is chosen by them', async () => {
  const { hands, causes } = desk();
  for (const session of ['nux', 'one', 'two', 'three']) {
    const alert = { ...ALERT, episode: episodeIn(`needs-input/${session}`), session };
    await hands.notify({ type: 'notify', id: { name: session }, what: 'alert', alert, count: 1, asks: null }, never);
  }
  const [none, one, two, three] = causes;
  expect(two).toBe(one);
  expect(new Set([none, one, three]).size).toBe(3);
});

// Rules: law 8.
test('a notice names the answers that its alert has, and its end names none', async () => {
  const { hands, told } = desk();
  const alert = { ...ALERT, session: null, episode: episodeIn('dance-escalated/d-1') };
  const order = { type: 'notify', id: { name: 'n' }, alert, count: 1, asks: [] } as const;
  await hands.notify({ ...order, what: 'alert' }, never);
  await hands.notify({ ...order, what: 'recovered', asks: null }, never);
  await hands.notify({ ...order, what: 'alert', alert: { ...alert, episode: episodeIn('send-failed/1') } }, never);
  expect(told.map((notice) => notice['answers'])).toEqual([['pardon', 'hear', 'execute'], undefined, undefined]);
});

test('alerts that may be answered each by itself are not told as one', async () => {
  const { hands, causes } = desk({ ...noOffers, mayOffer: ({ episode }) => String(episode).startsWith('escalation/') });
  for (const name of ['escalation/tw-1', 'escalation/tw-2', 'disk', 'disk']) {
    const alert = { ...ALERT, episode: episodeIn(name), session: null };
    await hands.notify({ type: 'notify', id: { name }, what: 'alert', alert, count: 1, asks: [] }, never);
  }
  expect(new Set(causes).size).toBe(3);
});

// Rules: A-2, law 8.
test('an alert about a dialog asks for the answers to its own question', async () => {
  const asked: unknown[] = [];
  const { hands, told } = desk({ ...noOffers, offer: (...of) => Promise.resolve((asked.push(of), null)) });
  const order = { type: 'notify', id: { name: 'n' }, what: 'alert', count: 1, asks: [] } as const;
  await hands.notify({ ...order, alert: { ...ALERT, question: 'screen:1' } }, never);
  expect([asked, told[0]?.question]).toEqual([[['nux', 'screen:1']], true]);
});

test('episodes are read with who took note of them; what cannot be looked at is not gone', async () => {
  const { disk, alerts, hands } = desk();
  const [own, other] = [episode('disk'), episode('output-unsaved/nux', { count: 3, ended_at: 5 })];
  await putAlerts(disk, own, other);
  await alerts.ack('disk', 'operator', 9);
  const acked = { disk: { since: own.since, by: 'operator', at: 9 } };
  expect(await hands.readAlerts({ type: 'readAlerts', id: { name: 'r' } }, never)).toEqual({
    type: 'ALERTS_READ',
    episodes: [own, other],
    acked,
  });
  const of = ['blind', 'nux'].map((name) => ({ episode: episodeIn(`output-unsaved/${name}`), count: 3 }));
  expect(await hands.checkAlerts({ type: 'checkAlerts', id: { name: 'c' }, of }, never)).toEqual({
    type: 'ALERTS_CHECKED',
    acked,
    over: [{ ...of[1], text: 'No dead pane of nux stands in tmux.' }],
  });
});

test('an order about an episode goes to its owner, whose word is its outcome; one that was given up has none', async () => {
  const { hands, news } = desk();
  const heard: OutcomeBody[] = [];
  const disk = episodeIn('disk');
  const order = { type: 'endAlert', id: { name: 'x' }, episode: disk, text: 'it is out' } as const;
  void hands.endAlert(order, never).then((outcome) => heard.push(outcome));
  expect(news).toEqual([
    { type: 'ALERT_ORDERED', by: { name: 'x' }, change: { type: 'endAlert', episode: disk, text: 'it is out' } },
  ]);
  const ended = [{ episode: disk, text: 'it is out' }];
  const confirm = { type: 'confirmAlert', id: { name: 'confirm' }, to: { name: 'x' }, ended } as const;
  for (let twice = 0; twice < 2; twice++) expect(await hands.confirmAlert(confirm, never)).toEqual({ type: 'REPLIED' });
  expect(heard).toEqual([{ type: 'ALERTED', ended }]);
  const limit = new AbortController();
  void hands
    .alert({ type: 'alert', id: { name: 'y' }, alert: ALERT }, limit.signal)
    .then((outcome) => heard.push(outcome));
  limit.abort(new Error('its limit'));
  await hands.confirmAlert({ ...confirm, to: { name: 'y' } }, never);
  expect(heard).toHaveLength(1);
});
