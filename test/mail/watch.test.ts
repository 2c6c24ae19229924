/** Which letters wait for their readers, as the files of all mailboxes show it (M-7). */
import { expect, test } from 'vitest';
import { Onlooker } from '../../src/overview/onlooker.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import type { Mailbox, Message } from '../../state/mail/mailbox.ts';
import { MailWatch } from '../../state/mail/watch.ts';
import { tempFolder } from '../world/over.ts';

/** Long after all that was written, so that each folder has settled. */
const later = (): number => Date.now() + 60_000;

const READERS = {
  sessions: [
    { name: 'builder', tags: [] },
    { name: 'lead', tags: ['reviewer'] },
    { name: 'gt-shop-nux', tags: [] },
  ],
  orchestratorTag: 'orchestrator',
};

class Post {
  readonly reads: string[] = [];
  readonly lists: string[] = [];
  readonly disk: Disk;
  /** Of a town that was started just now. */
  watch: MailWatch;
  #sent = 0;

  constructor() {
    const real = realDisk(tempFolder('watch'), 0);
    this.disk = {
      ...real,
      list: (dir) => (this.lists.push(dir), real.list(dir)),
      read: (path, max) => (this.reads.push(path), real.read(path, max)),
    };
    this.watch = this.started();
  }

  started(): MailWatch {
    const quarantine = new Onlooker(this.disk, () => undefined);
    return new MailWatch({ disk: this.disk, quarantine });
  }

  box = (address: string): Mailbox => boxAt({ disk: this.disk, note: () => undefined }, address);

  async send(from: string, to: string, more: Partial<Message> = {}): Promise<string> {
    this.#sent += 1;
    const sentAt = 1_700_000_000_000 + this.#sent;
    const id = `m-${String(sentAt)}-0`;
    const flags = { via: 'agent', urgent: false, needs_response: false } as const;
    await this.box(to).send({ id, from, subject: 's', body: '', sentAt, ...flags, ...more });
    return id;
  }

  async waits(): Promise<string[]> {
    const letters = await this.watch.look(later(), READERS);
    return letters.map(({ address, session, isUrgentUnread, isUnanswered }) =>
      [address, session ?? '-', ...(isUrgentUnread ? ['unread'] : []), ...(isUnanswered ? ['unanswered'] : [])].join(
        ' ',
      ),
    );
  }
}

// Rules: M-7.
test('an urgent letter waits until it was read, and a plain one never', async () => {
  const post = new Post();
  await post.send('mayor', 'builder');
  const id = await post.send('mayor', 'builder', { urgent: true });
  expect(await post.waits()).toEqual(['builder builder unread']);
  await post.box('builder').read(id);
  expect(await post.waits()).toEqual([]);
});

// Rules: M-7.
test.each([
  ['shop/polecats/nux', 'shop/polecats/nux gt-shop-nux unanswered'],
  ['builder', 'builder builder unanswered'],
  ['shop/witness', 'shop/witness - unanswered'],
])(
  'a letter to %s that needs a response waits until its reader wrote back, and reading it is none',
  async (to, waits) => {
    const post = new Post();
    await post.send(to, 'mayor');
    const id = await post.send('mayor', to, { needs_response: true });
    await post.send('other', 'mayor');
    expect(await post.waits()).toEqual([waits]);
    await post.box(to).read(id);
    expect(await post.waits()).toEqual([waits]);
    const answer = await post.send(to, 'mayor');
    expect(await post.waits()).toEqual([]);
    // What was answered stays so, though the answer was put away.
    await post.box('mayor').archive(answer);
    expect(await post.waits()).toEqual([]);
  },
);

// Rules: M-7.
test('a letter that was put away waits for nothing, and none of the person is watched here', async () => {
  const post = new Post();
  const id = await post.send('mayor', 'builder', { needs_response: true, urgent: true });
  await post.send('builder', 'overseer', { needs_response: true, urgent: true });
  await post.box('builder').archive(id);
  expect(await post.waits()).toEqual([]);
});

// Rules: M-7, I-15.
test('a letter that cannot be read hides no other, and stays where it is', async () => {
  const post = new Post();
  await post.send('mayor', 'builder', { urgent: true });
  await post.disk.write('mail/builder/new/broken.json', '{');
  await post.disk.write('mail/note.txt', 'no mailbox');
  expect(await post.waits()).toEqual(['builder builder unread']);
  expect(await post.disk.read('mail/builder/new/broken.json', 100)).toBe('{');
});

// Rules: M-7.
test('a quiet mailbox is neither opened nor listed again', async () => {
  const post = new Post();
  for (let n = 0; n < 5; n += 1) await post.send('mayor', 'builder', { urgent: n === 3 });
  await post.waits();
  post.reads.length = 0;
  post.lists.length = 0;
  expect(await post.waits()).toEqual(['builder builder unread']);
  expect([post.reads, post.lists]).toEqual([[], ['mail']]);
  await post.send('mayor', 'builder', { urgent: true });
  post.reads.length = 0;
  expect((await post.waits()).length).toBe(2);
  expect(post.reads.length).toBe(1);
});

// Rules: M-7.
test('an answer counts after a restart, however many notices came since, and none is read at each look', async () => {
  const post = new Post();
  await post.send('mayor', 'builder', { needs_response: true });
  await post.send('builder', 'mayor');
  await post.send('mayor', 'builder', { needs_response: true });
  for (let n = 0; n < 300; n += 1) await post.send('town', 'mayor', { id: `notice-${String(1_700_000_001_000 + n)}` });
  expect(await post.waits()).toEqual(['builder builder unanswered']);
  post.watch = post.started();
  expect(await post.waits()).toEqual(['builder builder unanswered']);
  post.reads.length = 0;
  post.lists.length = 0;
  expect(await post.waits()).toEqual(['builder builder unanswered']);
  expect([post.reads, post.lists]).toEqual([[], ['mail']]);
});

// Rules: M-7.
test('a letter to a tag is answered by a session that has the tag', async () => {
  const post = new Post();
  await post.send('mayor', 'tag/reviewer', { needs_response: true });
  await post.send('builder', 'mayor');
  expect(await post.waits()).toEqual(['tag/reviewer - unanswered']);
  await post.send('lead', 'mayor');
  expect(await post.waits()).toEqual([]);
});

// Rules: M-7.
test.each(['gone', 'shop/polecats/gone', 'channel/merges', 'tag/nothing', 'tag/orchestrator'])(
  'a letter to %s, whose mailbox no session reads, is none that a reader leaves lying',
  async (to) => {
    const post = new Post();
    await post.send('mayor', to, { urgent: true, needs_response: true });
    expect(await post.waits()).toEqual([]);
  },
);

// Rules: M-7.
test('an unread letter counts though many newer ones were read', async () => {
  const post = new Post();
  await post.send('mayor', 'builder', { urgent: true });
  for (let n = 0; n < 260; n += 1) await post.box('builder').read(await post.send('mayor', 'builder'));
  expect(await post.waits()).toEqual(['builder builder unread']);
});
