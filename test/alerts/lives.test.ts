/** What a hearing left to a person ends with its subject, whoever told it: the life that was heard, or the dialog (law 8). On a real disk. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import type { Incarnation, NewsBody, SessionRecord } from '../../machines/protocol.ts';
import { createNotices } from '../../src/alerts/notices.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import { Office } from '../../src/alerts/office.ts';
import { Subjects } from '../../src/alerts/subjects.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { paths } from '../../state/files/layout.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { incarnation } from '../world/drive.ts';
import { awake, danceAt } from '../hearings/lone.ts';
import { open, savedSession, session } from '../state/make.ts';

const NAME = 'gt-rig-1';
const WAITS = `needs-input/${NAME}`;
const ESCALATED = `dance-escalated/${NAME}`;
const FILE = paths.session(NAME);
type Asks = (life: Incarnation) => Promise<boolean | null>;

/** The alerts of two hearings of one life: one met a dialog, one could not ask. */
function left(): readonly ReturnType<typeof awake>['orders'][number][] {
  const atDialog = awake(danceAt({}));
  atDialog.outcome({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what: 'Do you want to proceed?' } });
  const byPerson = awake(danceAt({ stage: 'interrogating.suspended', personMs: 24 * 3_600_000 }));
  byPerson.outcome({ type: 'LOOKED', sight: { kind: 'person', what: 'a key 3 s ago' }, tail: '' });
  byPerson.pass(60_000);
  byPerson.outcome({ type: 'LOOKED', sight: { kind: 'person', what: 'a key 3 s ago' }, tail: '' });
  return [...atDialog.orders, ...byPerson.orders].filter(({ type }) => type === 'alert');
}

async function town(asks: Asks = () => Promise.resolve(true)) {
  const root = mkdtempSync(join(tmpdir(), 'lives-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const disk = realDisk(root, 0);
  const told: string[] = [];
  const news: NewsBody[] = [];
  let asked = 0;
  /** A process of the town. */
  const process = async () => {
    const { store } = await open(disk);
    const files = { disk, quarantine: new Quarantine({ disk, wall: Date.now, onRefused: () => undefined }) };
    const clock = { now: Date.now, wall: Date.now, sleep: () => Promise.resolve() };
    const alerts = new Alerts({ ...files, policy: STATE });
    const notify = async ({ kind, episode }: Notice) => void told.push(`${kind} ${String(episode)}`);
    const said = { clock, notify, log: () => undefined };
    const notices = createNotices({
      ...{ ...said, office: new Office({ ...said, alerts, remindEveryMs: 1 }) },
      mailboxOf: (address) => new Mailbox(files, STATE.maxRecordBytes, address),
      correspondents: () => Promise.resolve({ rigs: [], sessions: [] }),
    });
    const subjects = new Subjects({
      ...{ notices, alerts, disk, clock, everyMs: 1, log: () => undefined },
      stands: () => Promise.resolve(true),
      session: (name) => store.session(name),
      announce: (one) => news.push(one),
      asks: (life) => {
        asked += 1;
        return asks(life);
      },
    });
    const put = (more: Partial<SessionRecord>): Promise<void> =>
      store.commit([savedSession(session(NAME, { incarnation: incarnation(1), ...more }))]);
    return { alerts, notices, subjects, put };
  };
  const first = await process();
  await first.put({});
  const signal = new AbortController().signal;
  for (const order of left()) if (order.type === 'alert') await first.notices.alert(order, signal);
  expect(told.splice(0)).toEqual([`alert ${WAITS}`, `alert ${ESCALATED}`]);
  return { root, told, news, process, first, asked: () => asked };
}

test('an agent that waited for a person: over when its pane shows no dialog any more, also for the next process', async () => {
  let answer: Asks = () => Promise.resolve(true);
  const { told, news, process } = await town((life) => answer(life));
  const later = await process();
  await later.subjects.sweep();
  answer = () => Promise.reject(new Error('tmux is silent'));
  await later.subjects.sweep();
  expect(told).toEqual([]);
  answer = ({ uuid }) => Promise.resolve(uuid !== 'uuid-1');
  await later.subjects.sweep();
  expect(told).toEqual([`recovered ${WAITS}`]);
  expect(news).toEqual([
    { type: 'ALERTS_OVER', ended: [{ episode: WAITS, text: `${NAME} shows no dialog any more.` }] },
  ]);
});

test.each<[string, Partial<SessionRecord>]>([
  ['ended', { state: 'ended' }],
  ['died and waits for its next start', { state: 'backing_off' }],
  ['is being started anew', { state: 'starting', pending: 'uuid-2' }],
  ['has another life', { incarnation: incarnation(1, { uuid: 'uuid-2' }) }],
])('what a hearing left to a person is over when the agent %s, though nobody looks at a pane', async (_how, more) => {
  const { told, process, first, asked } = await town(() => Promise.resolve(true));
  await first.put(more);
  await (await process()).subjects.sweep();
  expect(told.sort()).toEqual([`recovered ${ESCALATED}`, `recovered ${WAITS}`].sort());
  expect(asked()).toBe(0);
});

test('a life that is gone before a scan saw it: nobody waits any more, and the escalation is left to the scan', async () => {
  const { told, process } = await town(() => Promise.resolve(null));
  await (await process()).subjects.sweep();
  expect(told).toEqual([`recovered ${WAITS}`]);
});

test('a session whose record is gone is over; one whose record cannot be read is not', async () => {
  const { root, told, first, process } = await town();
  const text = readFileSync(join(root, FILE), 'utf8');
  writeFileSync(join(root, FILE), text.replace('session/1', 'session/9'));
  await first.subjects.sweep();
  expect(told).toEqual([]);
  rmSync(join(root, FILE));
  await (await process()).subjects.sweep();
  expect(told.sort()).toEqual([`recovered ${ESCALATED}`, `recovered ${WAITS}`].sort());
});

test('episodes of a town that named no life yet end with the session; a dialog with whoever runs there', async () => {
  const { told, first, process } = await town(() => Promise.resolve(false));
  const signal = new AbortController().signal;
  for (const order of left())
    if (order.type === 'alert')
      await first.notices.alert({ ...order, alert: { ...order.alert, life: undefined } }, signal);
  const { subjects } = await process();
  await first.put({ incarnation: incarnation(1, { uuid: 'uuid-2' }) });
  await subjects.sweep();
  expect(told).toEqual([`recovered ${WAITS}`]);
  await first.put({ state: 'ended' });
  await subjects.sweep();
  expect(told).toEqual([`recovered ${WAITS}`, `recovered ${ESCALATED}`]);
});

test('nothing is asked of tmux while nobody waits for a person', async () => {
  const { told, process, asked } = await town(() => Promise.resolve(false));
  const { subjects } = await process();
  await subjects.sweep();
  for (let rounds = 0; rounds < 5; rounds += 1) await subjects.sweep();
  expect(told).toEqual([`recovered ${WAITS}`]);
  expect(asked()).toBe(1);
});
