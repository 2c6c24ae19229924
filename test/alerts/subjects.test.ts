/** Episodes whose subject is a thing that a person may take away end with it, each case by itself, across restarts (law 8). On a real disk. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import type { NewsBody } from '../../machines/protocol.ts';
import { createNotices, outputAlarm } from '../../src/alerts/notices.ts';
import type { Notice } from '../../src/alerts/notify.ts';
import { Office } from '../../src/alerts/office.ts';
import { Subjects } from '../../src/alerts/subjects.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { realDisk, type Stat } from '../../state/files/disk.ts';
import { makeFolders } from '../../state/folders.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';

const ACTIVE = 'deacon/dogs/active';
const FILE = `${ACTIVE}/dog-1.json`;

/** What these episodes are not about. */
const UNASKED = {
  ...{ everyMs: 1, log: () => undefined },
  session: () => Promise.resolve(null),
  asks: () => Promise.resolve(null),
};

async function house(standing: (session: string) => Promise<boolean> = () => Promise.resolve(false)) {
  const root = mkdtempSync(join(tmpdir(), 'subjects-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const disk = realDisk(root, 0);
  await makeFolders(disk, 0, 0);
  const told: string[] = [];
  const news: NewsBody[] = [];
  const clock = { now: Date.now, wall: Date.now, sleep: () => Promise.resolve() };
  /** A process of the town. */
  const process = () => {
    const refused: Promise<void>[] = [];
    const onRefused = (one: Refused): void => void refused.push(subjects.refused(one));
    const quarantine = new Quarantine({ disk, wall: Date.now, onRefused });
    const files = { disk, quarantine };
    const alerts = new Alerts({ ...files, policy: STATE });
    const notify = async ({ kind, episode }: Notice) => void told.push(`${kind} ${String(episode)}`);
    const said = { clock, notify, log: () => undefined };
    const notices = createNotices({
      ...{ ...said, office: new Office({ ...said, alerts, remindEveryMs: 1 }) },
      mailboxOf: (address) => new Mailbox(files, STATE.maxRecordBytes, address),
      correspondents: () => Promise.resolve({ rigs: [], sessions: [] }),
    });
    const stands = (session: string): Promise<boolean> => standing(session);
    const announce = (one: NewsBody): void => void news.push(one);
    const subjects = new Subjects({ ...UNASKED, notices, alerts, disk, clock, stands, announce });
    const refuse = async (how: 'move' | 'leave'): Promise<void> => {
      const stat = (await disk.stat(FILE)) as Stat;
      if (how === 'move') await quarantine.move(FILE, stat, 'it is not JSON');
      else quarantine.leave(FILE, stat, 'it is of a newer version');
      await Promise.all(refused);
    };
    return { alerts, notices, subjects, refuse };
  };
  const put = (text: string): void => writeFileSync(join(root, FILE), text);
  const moved = (): string[] => readdirSync(join(root, 'quarantine')).filter((name) => !name.endsWith('.why'));
  return { root, told, news, process, put, moved };
}

test('each file that was moved away is a case of its own, over when somebody took it', async () => {
  const { root, told, news, process, put, moved } = await house();
  const { alerts, subjects, refuse } = process();
  put('{');
  await refuse('move');
  const [first = ''] = moved();
  await alerts.ack(`file-refused/quarantine/${first}`, 'overseer', Date.now());
  put('{{');
  await refuse('move');
  const second = moved().find((name) => name !== first) ?? '';
  expect(told).toEqual([first, second].map((name) => `alert file-refused/quarantine/${name}`));
  await subjects.sweep();
  expect(told).toHaveLength(2);
  rmSync(join(root, 'quarantine', first));
  await subjects.sweep();
  expect(told.slice(2)).toEqual([`recovered file-refused/quarantine/${first}`]);
  expect(news).toMatchObject([{ type: 'ALERTS_OVER', ended: [{ episode: `file-refused/quarantine/${first}` }] }]);
  expect((await alerts.list()).map(({ episode }) => episode)).toEqual([`file-refused/quarantine/${second}`]);
});

test('one that was left in place is over when it changed, went, or a later process does not refuse it', async () => {
  const { root, told, process, put } = await house();
  const first = process();
  put('{"schema":"dance/9"}');
  await first.refuse('leave');
  await first.subjects.sweep();
  expect(told.splice(0)).toEqual([`alert file-refused/${FILE}`]);
  put('{"schema":"dance/1","now":"it counts"}');
  await first.subjects.sweep();
  expect(told.splice(0)).toEqual([`recovered file-refused/${FILE}`]);
  put('{"schema":"dance/8"}');
  await first.refuse('leave');
  const still = process();
  await still.refuse('leave');
  await still.subjects.sweep();
  expect(told.splice(0)).toEqual([`alert file-refused/${FILE}`]);
  await process().subjects.sweep();
  expect(told.splice(0)).toEqual([`recovered file-refused/${FILE}`]);
  await still.refuse('leave');
  await process().refuse('leave');
  rmSync(join(root, FILE));
  await still.subjects.sweep();
  expect(told.at(-1)).toBe(`recovered file-refused/${FILE}`);
});

test('a hearing that cannot go on is over when its record left active/', async () => {
  const { root, told, process, put } = await house();
  const { notices, subjects } = process();
  put('{}');
  for (const kind of ['dance-hopeless', 'crash-loop'] as const)
    await notices.alert(
      {
        ...{ type: 'alert', id: { name: kind } },
        alert: { episode: `${kind}/dog-1`, severity: 'high', session: null, text: 'a test' },
      },
      new AbortController().signal,
    );
  told.length = 0;
  await subjects.sweep();
  expect(told).toEqual([]);
  rmSync(join(root, FILE));
  await subjects.sweep();
  expect(told).toEqual(['recovered dance-hopeless/dog-1']);
});

test('a dead pane that could not be saved: over when none of its session stands in tmux, not while that cannot be told', async () => {
  let stands: () => Promise<boolean> = () => Promise.resolve(true);
  const { told, process } = await house(() => stands());
  const { notices, subjects, alerts } = process();
  await outputAlarm(notices, 'agent', 'the disk is full');
  for (const answer of [stands, () => Promise.reject(new Error('tmux is silent'))]) {
    stands = answer;
    await subjects.sweep();
    expect((await alerts.list()).map(({ episode }) => episode)).toEqual(['output-unsaved/agent']);
  }
  stands = () => Promise.resolve(false);
  await process().subjects.sweep();
  expect(told).toEqual(['alert output-unsaved/agent', 'recovered output-unsaved/agent']);
});

test('what cannot be looked at is not gone', async () => {
  const { told, process, put } = await house();
  const { alerts, notices, refuse } = process();
  put('{');
  await refuse('move');
  const blind = {
    ...{ ...UNASKED, notices, alerts, announce: () => undefined },
    disk: { stat: () => Promise.reject(new Error('EMFILE')) },
    stands: () => Promise.resolve(true),
    clock: { now: Date.now, wall: Date.now, sleep: () => Promise.resolve() },
  };
  await new Subjects(blind).sweep();
  expect(told.filter((one) => one.startsWith('recovered'))).toEqual([]);
});
