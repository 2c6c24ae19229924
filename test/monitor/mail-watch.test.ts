/** What a person hears of letters that their readers leave lying, and when that is over (M-7). */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Acked, NewsBody, OutcomeBody, WaitingLetter } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';

const { mailEveryMs, unansweredMs, urgentUnreadMs } = POLICY.monitor;

class Mail {
  letters: readonly WaitingLetter[] = [];
  isReadable = true;
  #passed = 0;
  readonly acked: Record<string, Acked> = {};
  readonly drive = new Drive(
    [
      { lookAtMail: () => this.#seen() },
      { checkAlerts: () => ({ type: 'ALERTS_CHECKED', acked: { ...this.acked }, over: [] }) },
    ],
    { input: townInput(POLICY, { monitors: true }) },
  );

  #seen(): OutcomeBody {
    return this.isReadable
      ? { type: 'MAIL_SEEN', letters: this.letters }
      : { type: 'ORDER_FAILED', why: 'EIO: the disk does not answer' };
  }

  send(id: string, more: Partial<WaitingLetter>): void {
    const about = { address: 'shop/witness', session: null, id, from: 'mayor', subject: 'main is red' };
    const letter = { ...about, sentAt: this.drive.wall, isUrgentUnread: false, isUnanswered: false, ...more };
    this.letters = [...this.letters, letter];
  }

  /** A person acknowledges all that is open. */
  acknowledge(): void {
    for (const { episode, since } of this.drive.episodes)
      this.acked[episode] = { since, by: 'operator', at: this.drive.wall };
    this.drive.run(2 * POLICY.alerts.remindEveryMs);
  }

  get told(): readonly string[] {
    return this.drive.given('notify').map(({ alert }) => alert.text.replace(/^.* from /, ''));
  }

  looks(count: number): void {
    for (let look = 0; look < count; look++) {
      this.drive.run(mailEveryMs);
      this.#pass();
    }
  }

  /** As the hand does: orders about alerts go to the actor. */
  #pass(): void {
    const ordered = this.drive.given('alert', 'endAlert');
    const news = ordered
      .slice(this.#passed)
      .map(({ id: by, ...change }): NewsBody => ({ type: 'ALERT_ORDERED', by, change }));
    this.#passed = ordered.length;
    this.drive.tell(...news);
    this.drive.run(100);
  }
}

// Rules: M-7, law 8.
test('an urgent letter that its reader leaves unread is one alert, which ends once it was read', () => {
  const mail = new Mail();
  mail.looks(3);
  mail.send('m-1', { isUrgentUnread: true });
  mail.drive.run(urgentUnreadMs / 2);
  expect(mail.drive.alerts).toEqual([]);
  mail.looks(5);
  expect(mail.drive.given('alert').map(({ alert }) => alert)).toEqual([
    {
      episode: 'mail-urgent/shop+witness/mayor',
      severity: 'high',
      session: null,
      question: 'request:m-1',
      text: 'shop/witness has not read an urgent letter from mayor: main is red',
    },
  ]);
  mail.letters = [];
  mail.looks(2);
  expect(mail.drive.ends).toEqual(['mail-urgent/shop+witness/mayor']);
});

// Rules: M-7, law 8.
test('a letter that needs a response is an alert after an hour without one, and not before', () => {
  const mail = new Mail();
  mail.send('m-2', { isUnanswered: true, address: 'builder', session: 'builder' });
  mail.drive.run(unansweredMs - 2 * mailEveryMs);
  expect(mail.drive.alerts).toEqual([]);
  mail.looks(4);
  expect(mail.drive.alerts).toEqual(['mail-unanswered/builder/mayor']);
  mail.letters = [];
  mail.looks(2);
  expect(mail.drive.ends).toEqual(['mail-unanswered/builder/mayor']);
});

// Rules: M-7, law 1, law 8.
test('mail that cannot be looked at ends no alert, and a restarted town tells none twice', () => {
  const mail = new Mail();
  mail.send('m-3', { isUrgentUnread: true });
  mail.looks(4);
  mail.isReadable = false;
  mail.looks(10);
  expect([mail.drive.alerts, mail.drive.ends]).toEqual([['mail-urgent/shop+witness/mayor'], []]);
  mail.isReadable = true;
  mail.letters = [];
  mail.looks(2);
  expect(mail.drive.ends).toEqual(['mail-urgent/shop+witness/mayor']);
});

// Rules: M-7, M-13, law 8.
test('many letters of one sender to one reader are one alert with a count; those of another sender are another', () => {
  const mail = new Mail();
  for (let n = 1; n <= 8; n++) mail.send(`m-${n}`, { isUrgentUnread: true, subject: `urgent ${n}` });
  mail.send('m-9', { isUrgentUnread: true, from: 'shop/polecats/ada' });
  mail.looks(10);
  expect(mail.drive.given('alert').map(({ alert }) => [alert.episode, alert.text])).toEqual([
    ['mail-urgent/shop+witness/mayor', 'shop/witness has not read an urgent letter from mayor: urgent 8 (and 7 more)'],
    [
      'mail-urgent/shop+witness/shop+polecats+ada',
      'shop/witness has not read an urgent letter from shop/polecats/ada: main is red',
    ],
  ]);
  mail.letters = mail.letters.slice(1, 2);
  mail.looks(2);
  expect(mail.drive.ends).toEqual(['mail-urgent/shop+witness/shop+polecats+ada']);
});

// Rules: M-7, M-13, law 8.
test.each([
  ['mail-urgent', { isUrgentUnread: true }, 0],
  ['mail-unanswered', { isUnanswered: true }, unansweredMs],
] as const)(
  'a newer letter in an open alert of %s is told at once, also after an acknowledgement',
  (_kind, is, afterMs) => {
    const mail = new Mail();
    const send = (id: string, subject: string): void => {
      mail.send(id, { ...is, subject });
      mail.drive.run(afterMs);
      mail.looks(4);
    };
    send('m-1', 'first');
    mail.acknowledge();
    send('m-2', 'second');
    const words = mail.told.map((text) => text.replace(/^mayor.*?: /, ''));
    expect(words).toEqual(['first', 'second (and 1 more)']);
    send('m-3', 'third');
    expect(mail.told.at(-1)).toContain('third (and 2 more)');
    const count = mail.told.length;
    mail.acknowledge();
    mail.looks(POLICY.alerts.realertMs / mailEveryMs + 5);
    expect(mail.told, 'acknowledged, and no news').toHaveLength(count);
  },
);

// Rules: M-7, law 8.
test('an older letter that is left when the newest was read is no news', () => {
  const mail = new Mail();
  for (const id of ['m-1', 'm-2']) {
    mail.send(id, { isUrgentUnread: true, subject: id });
    mail.looks(4);
  }
  mail.acknowledge();
  const { told } = mail;
  mail.letters = mail.letters.slice(0, 1);
  mail.looks(POLICY.alerts.realertMs / mailEveryMs + 5);
  expect(mail.told).toEqual(told);
  expect(mail.drive.episodes.map(({ text }) => text)).toEqual([expect.stringMatching(/mayor: m-1$/)]);
  mail.send('m-3', { isUrgentUnread: true, subject: 'm-3' });
  mail.looks(4);
  expect(mail.told.slice(told.length)).toEqual(['mayor: m-3 (and 1 more)']);
});
