/** What requesters and a person are told: verdicts by mail, alerts as edges, a disk that refuses. On a real disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { freshDance } from '../../machines/hearings/dance.ts';
import { VERDICTS, type Dance, type Verdict } from '../../machines/protocol.ts';
import { Conditions } from '../../src/alerts/conditions.ts';
import { createNotices, fileAlarm, outputAlarm, type Notices } from '../../src/alerts/notices.ts';
import { mailNotice, type Notice } from '../../src/alerts/notify.ts';
import { Office } from '../../src/alerts/office.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { Store } from '../../state/store.ts';
import { incarnation, WALL, warrant } from '../world/drive.ts';
import { tools } from '../hearings/lone.ts';

interface House {
  readonly notices: Notices;
  /** What the next process of the town has. */
  readonly next: () => { readonly office: Office; readonly conditions: Conditions };
  readonly office: Office;
  readonly conditions: Conditions;
  readonly told: Notice[];
  readonly logged: string[];
  readonly mailboxOf: (address: string) => Mailbox;
  /** From now on nothing can be written, or it can again. */
  fill(isFull?: boolean): void;
  /** The person's command is as slow as this. */
  readonly slow: { wait: Promise<void> };
  readonly now: { wall: number };
}

async function office(): Promise<House> {
  const root = mkdtempSync(join(tmpdir(), 'notices-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let isFull = false;
  const real = realDisk(root, 0);
  const disk = {
    ...real,
    write: (path: string, bytes: string | Uint8Array) =>
      isFull ? Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })) : real.write(path, bytes),
  };
  const now = { wall: WALL };
  const wall = () => now.wall;
  await new Store({ disk, policy: STATE, heardWithinMs: 1, wall, onRefused: () => undefined }).open();
  const files = { disk, quarantine: new Quarantine({ disk, wall, onRefused: () => undefined }) };
  const told: Notice[] = [];
  const logged: string[] = [];
  const mailboxOf = (address: string) => new Mailbox(files, STATE.maxRecordBytes, address);
  const slow = { wait: Promise.resolve() };
  const said = {
    clock: { now: wall, wall, sleep: () => Promise.resolve() },
    notify: (notice: Notice) => {
      told.push(notice);
      return slow.wait;
    },
    log: (text: string) => void logged.push(text),
  };
  const next = () => {
    const made = new Office({ ...said, alerts: new Alerts({ ...files, policy: STATE }), remindEveryMs: 1 });
    return { office: made, conditions: new Conditions(made) };
  };
  const first = next();
  return {
    now,
    told,
    logged,
    mailboxOf,
    slow,
    next,
    ...first,
    fill: (full = true) => {
      isFull = full;
    },
    notices: createNotices({
      ...{ ...said, mailboxOf, office: first.office },
      correspondents: () => Promise.resolve({ rigs: ['gastown'], sessions: [] }),
    }),
  };
}

const judged = (verdict: Verdict, requesters: readonly string[]): Dance => ({
  ...freshDance('dog-1', 1, warrant('w1'), tools(), { wall: WALL, escalate: false }),
  warrants: requesters.map((requester, n) => warrant(`w${n + 1}`, incarnation(1), { requester })),
  stage: 'complete',
  verdict,
  reason: 'it was so',
  survivors: verdict === 'executed' ? [{ pid: 77, started: 'x' }] : [],
  rescue: verdict === 'executed' ? { folder: 'rescue/dog-1', ref: 'refs/town/rescue/dog-1' } : null,
});
const never = new AbortController().signal;

test.each(VERDICTS)('every requester gets the verdict %s with its reason by mail, once', async (verdict) => {
  const { notices, mailboxOf } = await office();
  const dance = judged(verdict, ['deacon', 'gastown/witness', 'a script of mine']);
  const order = { type: 'tell', id: { name: 'dog-1/tell' }, dance } as const;
  for (let twice = 0; twice < 2; twice++) expect(await notices.tell(order, never)).toEqual({ type: 'TOLD' });
  for (const address of ['deacon', 'gastown/witness', 'overseer']) {
    const inbox = await mailboxOf(address).inbox();
    expect(inbox.map(({ subject }) => subject)).toEqual([`VERDICT: gt-rig-1 ${verdict}`]);
    expect(inbox[0]?.body).toContain('it was so');
    expect(inbox[0]?.body).toContain('town dog show dog-1');
    if (verdict === 'executed')
      expect(inbox[0]?.body).toMatch(/pids 77[^]*Rescue: its work was saved under refs\/town\/rescue\/dog-1/);
  }
});

test('what comes into the person’s mailbox is told to their command and the log, once; nobody else’s is', async () => {
  const { notices, told, logged } = await office();
  const order = {
    type: 'tell',
    id: { name: 'dog-1/tell' },
    dance: judged('pardoned', ['deacon', 'a script of mine']),
  } as const;
  await notices.tell(order, never);
  await notices.tell(order, never);
  const text = 'mail from town: VERDICT: gt-rig-1 pardoned';
  expect(told).toMatchObject([{ kind: 'mail', text, from: 'town', urgent: false, id: 'dog-1.w2.pardoned' }]);
  expect(logged).toEqual([text]);
});

test('an alert is told as an edge, again when nobody took note for long, and its end once', async () => {
  const made = await office();
  const alert = { episode: 'disk', severity: 'high', session: null, text: 'it burns' } as const;
  const raise = () => made.notices.alert({ type: 'alert', id: { name: 'a' }, alert }, never);
  await raise();
  await raise();
  expect(made.told.map(({ kind }) => kind)).toEqual(['alert']);
  made.now.wall += STATE.realertMs;
  await raise();
  const end = { type: 'endAlert', id: { name: 'e' }, episode: 'disk', text: 'it is out' } as const;
  await made.notices.endAlert(end, never);
  await made.notices.endAlert(end, never);
  expect(made.told.map(({ kind, text }) => [kind, text])).toEqual([
    ['alert', 'it burns'],
    ['alert', 'it burns'],
    ['recovered', 'it is out'],
  ]);
});

test('what is told says whether it asks and what to type; news is told once, however long it lasts', async () => {
  const made = await office();
  const about = { severity: 'medium', session: 'builder', text: 'builder does nothing' } as const;
  const raise = (kind: 'usage-limit' | 'needs-input') =>
    made.notices.alert({ type: 'alert', id: { kind }, alert: { ...about, episode: `${kind}/builder` } }, never);
  for (const kind of ['usage-limit', 'needs-input'] as const) await raise(kind);
  made.now.wall += STATE.realertMs;
  for (const kind of ['usage-limit', 'needs-input'] as const) await raise(kind);
  const asked = { episode: 'needs-input/builder', question: true, type: ['town session attach builder'] };
  expect(made.told).toMatchObject([{ episode: 'usage-limit/builder', question: false, type: [] }, asked, asked]);
  const mailed = { id: 'm-1', from: 'builder', subject: 'which?', urgent: false, sentAt: 0 };
  expect(mailNotice({ ...mailed, via: 'agent' })).toMatchObject({ question: true, type: ['town mail read m-1'] });
  expect(mailNotice({ ...mailed, via: 'town' })).toMatchObject({ question: false, type: [] });
});

const kinds = (told: readonly Notice[]): string[] => told.map(({ kind }) => kind);

describe('the disk', () => {
  test('that is full is told though the alarm itself cannot be recorded: once, and its end', async () => {
    const { conditions, fill, told } = await office();
    fill();
    await conditions.set('disk', 'no space left');
    await conditions.set('disk', 'an error');
    await conditions.settle();
    expect(told).toMatchObject([{ kind: 'alert', severity: 'critical', episode: 'disk' }]);
    fill(false);
    await conditions.set('disk', null);
    expect(kinds(told)).toEqual(['alert', 'recovered']);
    await conditions.set('disk', 'no space left');
    expect(kinds(told)).toEqual(['alert', 'recovered', 'alert']);
  });

  test('that refuses and then is slow is one episode, told once, recorded when it can be', async () => {
    const { conditions, next, fill, told } = await office();
    fill();
    await conditions.set('disk', 'no space left');
    fill(false);
    await conditions.settle();
    expect(kinds(told)).toEqual(['alert']);
    await next().conditions.set('disk', null);
    expect(kinds(told)).toEqual(['alert', 'recovered']);
  });

  test('that was in trouble when the town was killed: the next one says that it is over, as soon as it is', async () => {
    const { conditions, next, told } = await office();
    await conditions.set('disk', 'waiting for disk');
    await next().conditions.set('disk', null);
    expect(kinds(told)).toEqual(['alert', 'recovered']);
  });

  test('whose end cannot be recorded has its end with a later reminder', async () => {
    const { conditions, fill, told } = await office();
    await conditions.set('disk', 'waiting for disk');
    fill();
    await conditions.set('disk', null);
    expect(kinds(told)).toEqual(['alert']);
    fill(false);
    await conditions.settle();
    await conditions.settle();
    expect(kinds(told)).toEqual(['alert', 'recovered']);
  });
});

describe('while the person’s command takes its time', () => {
  const alert = { episode: 'disk', severity: 'high', session: null, text: 'it burns' } as const;
  test('nothing is told twice, and the end waits for its beginning', async () => {
    const { office: desk, slow, told } = await office();
    let done: () => void = () => undefined;
    slow.wait = new Promise((resolve) => (done = resolve));
    const stop = new AbortController();
    const all = [desk.raise(alert), desk.raise(alert), desk.remind(stop.signal), desk.end('disk', 'it is out')];
    stop.abort();
    await vi.waitFor(() => expect(told).not.toEqual([]));
    expect(kinds(told)).toEqual(['alert']);
    done();
    await Promise.all(all);
    expect(kinds(told)).toEqual(['alert', 'recovered']);
  });

  test('what begins again is told again: the end of the last time swallows nothing', async () => {
    const { office: desk, told } = await office();
    await Promise.all([desk.raise(alert), desk.end('disk', 'it is out'), desk.raise(alert)]);
    expect(kinds(told)).toEqual(['alert', 'recovered', 'alert']);
  });
});

test('a dead pane that could not be saved is one episode of its session, over when one could', async () => {
  const made = await office();
  for (const why of ['it is a folder', 'it is a folder', null, null]) await outputAlarm(made.notices, 'gt-max', why);
  expect(made.told.map(({ kind, episode }) => [kind, episode])).toEqual([
    ['alert', 'output-unsaved/gt-max'],
    ['recovered', 'output-unsaved/gt-max'],
  ]);
  expect(made.told[0]?.text).toContain('output/gt-max.log');
});

test('episodes that an earlier process told end by their kind, and only those; the ends are named', async () => {
  const { notices, told } = await office();
  const signal = new AbortController().signal;
  const tell = (episode: string) =>
    notices.alert(
      { type: 'alert', id: { name: episode }, alert: { episode, severity: 'low', session: null, text: 'it is bad' } },
      signal,
    );
  for (const episode of ['deacon-mail/m-1', 'deacon-mail/m-2', 'deacon-down/x'] as const) await tell(episode);
  const order = {
    type: 'endOthers',
    id: { name: 'x' },
    of: 'deacon-mail',
    except: ['deacon-mail/m-2'],
    text: 'read',
  } as const;
  expect(await notices.endOthers(order, signal)).toEqual({
    type: 'ALERTED',
    ended: [{ episode: 'deacon-mail/m-1', text: 'read' }],
  });
  expect(told.filter(({ kind }) => kind === 'recovered')).toHaveLength(1);
  expect(await notices.endOthers(order, signal)).toEqual({ type: 'ALERTED', ended: [] });
  const end = { type: 'endAlert', id: { name: 'y' }, episode: 'nothing/told', text: 'over' } as const;
  expect(await notices.endAlert(end, signal)).toEqual({ type: 'ALERTED', ended: [] });
});

test('a message of the town arrives once, however often it is ordered', async () => {
  const { notices, mailboxOf } = await office();
  const order = {
    type: 'mail',
    id: { name: 'lifecycle-refused.m-1' },
    to: 'overseer',
    subject: 'REFUSED',
    body: 'why',
  } as const;
  for (let twice = 0; twice < 2; twice++) await notices.mail(order, new AbortController().signal);
  expect(await mailboxOf('overseer').inbox()).toMatchObject([
    { id: 'lifecycle-refused.m-1', from: 'town', via: 'town', body: 'why' },
  ]);
});

test('a file that does not count is told by its name once', async () => {
  const { notices, told } = await office();
  const refused = { file: 'alerts/x.json', why: 'it is empty.', requester: null } as const;
  await fileAlarm(notices, { ...refused, movedTo: null }, 'file-refused/alerts/x.json');
  await fileAlarm(notices, { ...refused, movedTo: 'quarantine/1-x.json' }, 'file-refused/quarantine/1-x.json');
  expect(told.map(({ text }) => text)).toEqual([
    'alerts/x.json does not count: it is empty. It was left where it is.',
    'alerts/x.json does not count: it is empty. It is kept in quarantine/1-x.json.',
  ]);
});

test('what quarantine says of a file does not name it again', async () => {
  const refused: Refused[] = [];
  const disk = { ...realDisk('/nowhere', 0), rename: () => Promise.reject(new Error('no room')) };
  const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: (one) => refused.push(one) });
  const stat = { kind: 'file', bytes: 0, changedAt: WALL, mark: 'a' } as const;
  quarantine.leave('alerts/x.json', stat, 'it is empty');
  await quarantine.move('alerts/y.json', stat, 'it is empty');
  expect(refused.map(({ why }) => why)).toEqual([
    'it is empty.',
    'it is empty; it could not be moved to quarantine/ (no room).',
  ]);
});
