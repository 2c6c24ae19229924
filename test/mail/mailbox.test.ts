import { describe, expect, test } from 'vitest';
import { addressOf, MailRefused } from '../../state/mail/addresses.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { SimDisk, systemError, type Operation } from '../world/disk.ts';

const known = { rigs: ['gastown'], polecats: [{ rig: 'gastown', name: 'rust' }], sessions: ['gt-nux'] };

// Rules: C-16.
test.each([
  ['mayor', 'mayor'],
  ['overseer/', 'overseer'],
  ['deacon', 'deacon'],
  ['gt-nux', 'gt-nux'],
  ['gastown/witness', 'gastown/witness'],
  ['gastown/refinery/', 'gastown/refinery'],
  ['gastown/nux', 'gastown/polecats/nux'],
  ['gastown/polecats/nux', 'gastown/polecats/nux'],
  ['channel/general', 'channel/general'],
  ['gt-gastown-refinery', 'gastown/refinery'],
  ['gt-gastown-witness', 'gastown/witness'],
  ['rust', 'gastown/polecats/rust'],
  ['gt-gastown-rust', 'gastown/polecats/rust'],
  ['witness', 'gastown/witness'],
  ['gt-gastown-gone', 'gastown/polecats/gone'],
])('%s is %s', (text, address) => {
  expect(addressOf(text, known)).toBe(address);
});

// Rules: C-16.
test.each([
  '',
  '/',
  'nobody',
  'mayor//',
  'other/witness',
  'gt-other-witness',
  'gastown',
  'gastown/polecats',
  'gastown/../mayor',
  'gastown/polecats/a/b',
  'channel',
  'channel/a b',
  '../etc',
  'gastown/a\n',
])('%j is no address, exit 2', (text) => {
  expect(() => addressOf(text, known)).toThrow(MailRefused);
  expect(() => addressOf(text, known)).toThrow(expect.objectContaining({ exit: 2, code: 'unknown_address' }) as Error);
});

test.each([
  ['shop/witness', true],
  ['../witness', false],
  ['a.b/witness', false],
  ['shop/witness/x', false],
  ['nobody', false],
])('%j lacks only its rig: %s', (text, isSo) => {
  const told = (): string => {
    try {
      return addressOf(text, known);
    } catch (error) {
      return String(error);
    }
  };
  expect(told().includes('[rig.')).toBe(isSo);
});

describe('a mailbox', () => {
  const mail = (id: string, sentAt = 1_000) =>
    ({
      id,
      from: 'town',
      subject: 's',
      body: 'línes\nof text',
      via: 'town',
      urgent: false,
      needs_response: false,
      sentAt,
    }) as const;
  function boxOf(sim: SimDisk, address = 'gastown/polecats/nux') {
    const refused: Refused[] = [];
    const disk = sim.mount();
    const quarantine = new Quarantine({ disk, wall: () => 1, onRefused: (one) => refused.push(one) });
    return { box: new Mailbox({ disk, quarantine }, address), refused };
  }

  // Rules: C-16.
  test('delivers durably, once by id, wherever the message has moved to', async () => {
    const sim = new SimDisk();
    const { box } = boxOf(sim);
    expect(await box.send(mail('m-1'))).toBe(true);
    sim.crash(() => true);
    const { box: next } = boxOf(sim);
    expect(await next.send(mail('m-1'))).toBe(false);
    await next.read('m-1');
    expect(await next.send(mail('m-1'))).toBe(false);
    await next.archive('m-1');
    expect(await next.send(mail('m-1'))).toBe(false);
    expect(await next.inbox()).toEqual([]);
    expect(await next.inbox({ archived: true })).toMatchObject([{ id: 'm-1', box: 'archive', body: 'línes\nof text' }]);
  });

  test('is not told as sent before its name is durable, though a try that failed wrote it', async () => {
    let isFull = true;
    const fault = (operation: Operation, path: string) =>
      isFull && operation === 'syncDir' && path.endsWith('/new') ? systemError('ENOSPC') : undefined;
    const sim = new SimDisk({ fault });
    const { box } = boxOf(sim);
    await expect(box.send(mail('m-1'))).rejects.toThrow('ENOSPC');
    await expect(box.send(mail('m-1'))).rejects.toThrow('ENOSPC');
    isFull = false;
    expect(await box.send(mail('m-1'))).toBe(false);
    sim.crash(() => true);
    expect(await boxOf(sim).box.inbox()).toMatchObject([{ id: 'm-1' }]);
  });

  test('lists the oldest first and tells read from unread', async () => {
    const { box } = boxOf(new SimDisk());
    await box.send(mail('later', 2_000));
    await box.send(mail('first', 1_000));
    expect(await box.read('first')).toMatchObject({ id: 'first', box: 'cur' });
    expect(await box.read('first')).toMatchObject({ id: 'first', box: 'cur' });
    expect((await box.inbox()).map(({ id, box: at }) => [id, at])).toEqual([
      ['first', 'cur'],
      ['later', 'new'],
    ]);
    await expect(box.read('other')).rejects.toMatchObject({ code: 'unknown_message', exit: 2 });
  });

  test('of one address never holds another’s, and hostile ids stay inside', async () => {
    const sim = new SimDisk();
    await boxOf(sim, 'gastown/polecats/nux').box.send(mail('../../../x'));
    expect(await boxOf(sim, 'gastown/witness').box.inbox()).toEqual([]);
    expect(await boxOf(sim, 'gastown/polecats/nux').box.inbox()).toHaveLength(1);
    expect([...sim.files().keys()]).toEqual([
      expect.stringMatching(/^mail\/gastown\+polecats\+nux\/new\/=[0-9a-f]{32}\.json$/),
    ]);
  });

  test('sets a broken message aside and shows the others', async () => {
    const sim = new SimDisk();
    const { box, refused } = boxOf(sim);
    await box.send(mail('m-1'));
    sim.put('mail/gastown+polecats+nux/new/bad.json', '{');
    expect(await box.inbox()).toHaveLength(1);
    expect(refused).toHaveLength(1);
  });

  test.each([
    ['an id that steers a terminal', { id: 'm\u001b[2J' }],
    ['an id that turns what follows', { id: 'm\u202e' }],
    ['no time', { sent_at: '2026-01-02T12:00:00Z (\u001b[2J)' }],
    ['a word for a time', { sent_at: 'yesterday' }],
  ])('takes no letter with %s, and keeps it with the reason', async (_, bad) => {
    const sim = new SimDisk();
    const { box, refused } = boxOf(sim);
    const { sentAt: __, ...words } = mail('m-1');
    const file = { schema: 'mail/1', ...words, to: 'x', sent_at: '2026-01-02T12:00:00+01:00' };
    sim.put('mail/gastown+polecats+nux/new/good.json', JSON.stringify(file));
    sim.put('mail/gastown+polecats+nux/new/bad.json', JSON.stringify({ ...file, ...bad }));
    expect(await box.inbox()).toHaveLength(1);
    expect(refused.map(({ why }) => why)).toEqual([expect.stringMatching(/^(id|sent_at): expected/)]);
  });

  test('that another program put a letter into is read and archived like any', async () => {
    const sim = new SimDisk();
    const { box } = boxOf(sim);
    const { sentAt: _, ...words } = mail('m-1');
    const file = { schema: 'mail/1', ...words, to: 'x', sent_at: '2026-01-02T12:00:00Z' };
    sim.put('mail/gastown+polecats+nux/new/m-1.json', JSON.stringify(file));
    expect(await box.read('m-1')).toMatchObject({ box: 'cur' });
    expect(await box.archive('m-1')).toMatchObject({ box: 'archive' });
  });

  test('takes what the town writes, under any name', async () => {
    const { box, refused } = boxOf(new SimDisk());
    const id = 'dog-1.w\u001b[2J.pardoned';
    expect([await box.send(mail(id)), await box.send(mail(id))]).toEqual([true, false]);
    expect(await box.inbox()).toMatchObject([{ body: 'línes\nof text' }]);
    expect(refused).toEqual([]);
  });

  test('that cannot be written says so, and the message can be sent again', async () => {
    const sim = new SimDisk();
    const { box } = boxOf(sim);
    sim.fault = (operation) => (operation === 'syncDir' ? systemError('ENOSPC') : undefined);
    await expect(box.send(mail('m-1'))).rejects.toThrow('ENOSPC');
    sim.fault = undefined;
    expect(await box.send(mail('m-1'))).toBe(true);
  });
});

describe('unread', () => {
  const at = (files: Readonly<Record<string, readonly [string, 'file' | 'other']>>): Mailbox => {
    const sim = new SimDisk({ wall: () => 1 });
    for (const [path, [text, kind]] of Object.entries(files)) sim.put(path, text, kind);
    const disk = sim.mount();
    const leaving = {
      wasLeft: () => false,
      leave: () => undefined,
      counts: () => undefined,
      move: () => Promise.resolve(),
    }; // as a command, which only looks
    return new Mailbox({ disk, quarantine: leaving as unknown as Quarantine }, 'deacon');
  };
  const letter = async (box: Mailbox, id: string): Promise<unknown> =>
    box.send({
      id,
      from: 'mayor',
      subject: 's',
      body: '',
      via: 'operator',
      urgent: false,
      needs_response: false,
      sentAt: 1,
    });

  test('none, and as many as there are', async () => {
    const box = at({});
    expect(await box.unread()).toBe(0);
    await letter(box, 'm-1');
    await letter(box, 'm-2');
    await box.read('m-1');
    expect(await box.unread()).toBe(1);
  });

  test.each([
    ['a file where its folder should be', { 'mail/deacon': ['', 'file'] }],
    ['a file where all mail should be', { mail: ['', 'file'] }],
    ['something else where its new messages should be', { 'mail/deacon/new': ['', 'other'] }],
    ['a message that cannot be read', { 'mail/deacon/new/m-9.json': ['{', 'file'] }],
  ] as const)('%s: unknown', async (_, files) => expect(await at(files).unread()).toBe(null));

  test.each([
    ['a file where its folder should be', { 'mail/deacon': ['', 'file'] }],
    ['a file where all mail should be', { mail: ['', 'file'] }],
  ] as const)('%s is no empty inbox', async (_, files) =>
    expect(at(files).inbox()).rejects.toThrow(/^mail\S* is no folder; move it away$/),
  );
});
