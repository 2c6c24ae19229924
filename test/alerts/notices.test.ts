/** What requesters and a person are told by mail. On a real disk. */
import { expect, test } from 'vitest';
import { freshDance } from '../../machines/hearings/dance.ts';
import { VERDICTS, type Dance, type Verdict } from '../../machines/protocol.ts';
import { createNotices, type Notices } from '../../src/alerts/notices.ts';
import { mailNotice, type Notice } from '../../src/alerts/notify.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { makeFolders } from '../../state/folders.ts';
import { incarnation, WALL, warrant } from '../world/drive.ts';
import { tools } from '../hearings/lone.ts';
import { tempFolder } from '../world/over.ts';

interface House {
  readonly notices: Notices;
  /** Over other mailboxes. */
  readonly over: (boxes: House['mailboxOf']) => Notices;
  readonly told: Notice[];
  readonly logged: string[];
  readonly mailboxOf: (address: string) => Mailbox;
}

async function office(): Promise<House> {
  const root = tempFolder('notices');
  const disk = realDisk(root, 0);
  const wall = () => WALL;
  await makeFolders(disk, WALL, 0);
  const files = { disk, quarantine: new Quarantine({ disk, wall, onRefused: () => undefined }) };
  const told: Notice[] = [];
  const logged: string[] = [];
  const mailboxOf = (address: string) => new Mailbox(files, address);
  const over = (boxes: House['mailboxOf']): Notices =>
    createNotices({
      mailboxOf: boxes,
      clock: { wall },
      keep: (notice) => Promise.resolve(async () => void told.push(notice)),
      log: (text) => void logged.push(text),
      correspondents: () => Promise.resolve({ rigs: ['gastown'], sessions: [], polecats: [] }),
    });
  return { notices: over(mailboxOf), over, told, logged, mailboxOf };
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

// Rules: D-14.
test.each(VERDICTS)('every requester gets the verdict %s with its reason by mail, once', async (verdict) => {
  const { notices, mailboxOf } = await office();
  const dance = judged(verdict, ['deacon', 'gastown/witness', 'a script of mine']);
  const order = { type: 'sendVerdict', id: { name: 'dog-1/sendVerdict' }, dance } as const;
  for (let twice = 0; twice < 2; twice++)
    expect(await notices.sendVerdict(order, never)).toEqual({ type: 'VERDICT_SENT' });
  for (const address of ['deacon', 'gastown/witness', 'overseer']) {
    const inbox = await mailboxOf(address).inbox();
    expect(inbox.map(({ subject }) => subject)).toEqual([`VERDICT: gt-rig-1 ${verdict}`]);
    expect(inbox[0]?.body).toContain('it was so');
    expect(inbox[0]?.body).toContain('town dog show dog-1');
    if (verdict === 'executed')
      expect(inbox[0]?.body).toMatch(/pids 77[^]*Rescue: its work was saved under refs\/town\/rescue\/dog-1/);
  }
});

// Rules: D-14, R-4.
test('what ended by its own wish is no execution in the letter about it', async () => {
  const { notices, mailboxOf } = await office();
  const dance = judged('executed', ['gastown/witness']);
  const wished = { ...dance, warrants: dance.warrants.map((one) => ({ ...one, force: true, via: 'town' as const })) };
  await notices.sendVerdict({ type: 'sendVerdict', id: { name: 'dog-1/sendVerdict' }, dance: wished }, never);
  const [letter] = await mailboxOf('gastown/witness').inbox();
  expect([letter?.subject, letter?.body]).toEqual([
    'VERDICT: gt-rig-1 stopped',
    expect.stringContaining('gt-rig-1 was stopped: it was so.'),
  ]);
});

// Rules: C-16.
test('what comes into the person’s mailbox is told to their command and the log, once; no other letter is', async () => {
  const { notices, told, logged } = await office();
  const order = {
    type: 'sendVerdict',
    id: { name: 'dog-1/sendVerdict' },
    dance: judged('pardoned', ['deacon', 'a script of mine']),
  } as const;
  await notices.sendVerdict(order, never);
  await notices.sendVerdict(order, never);
  const text = 'mail from town: VERDICT: gt-rig-1 pardoned';
  expect(told).toMatchObject([{ kind: 'mail', text, from: 'town', urgent: false, id: 'dog-1.w2.pardoned' }]);
  expect(logged).toEqual([text]);
});

test('a message of an agent asks the person, one of the town does not', () => {
  const mailed = { id: 'm-1', from: 'builder', subject: 'which?', urgent: false, sentAt: 0 };
  expect(mailNotice({ ...mailed, via: 'agent' })).toMatchObject({ question: true, type: ['town mail read m-1'] });
  expect(mailNotice({ ...mailed, via: 'town' })).toMatchObject({ question: false, type: [] });
});

test('a message of the town arrives once, however often it is ordered', async () => {
  const { notices, mailboxOf } = await office();
  const order = {
    type: 'mail',
    id: { name: 'lifecycle-refused.worker.1' },
    to: 'overseer',
    subject: 'REFUSED',
    body: 'why',
  } as const;
  for (let twice = 0; twice < 2; twice++) await notices.mail(order, new AbortController().signal);
  expect(await mailboxOf('overseer').inbox()).toMatchObject([
    { id: 'lifecycle-refused.worker.1', from: 'town', via: 'town', body: 'why' },
  ]);
});

test('what quarantine says of a file does not name it again', async () => {
  const refused: Refused[] = [];
  const disk = { ...realDisk('/nowhere', 0), rename: () => Promise.reject(new Error('no room')) };
  const quarantine = new Quarantine({ disk, wall: () => WALL, onRefused: (one) => refused.push(one) });
  const stat = { kind: 'file', bytes: 0, changedAt: WALL, movedAt: WALL, bornAt: WALL, mark: 'a' } as const;
  quarantine.leave('alerts/x.json', stat, { is: 'newer', why: 'it is empty' });
  await quarantine.move('alerts/y.json', stat, 'it is empty');
  expect(refused.map(({ why }) => why)).toEqual([
    'it is empty.',
    'it is empty; it could not be moved to quarantine/ (no room).',
  ]);
});
