/** What a person hears of letters that their readers leave lying, and when that is over (M-7). */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, WaitingLetter } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';

const { mailEveryMs, unansweredMs, urgentUnreadMs } = POLICY.monitor;

class Mail {
  letters: readonly WaitingLetter[] = [];
  isReadable = true;
  readonly drive = new Drive([{ lookAtMail: () => this.#seen() }], { input: townInput(POLICY, { monitors: true }) });

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

  looks(count: number): void {
    this.drive.run(count * mailEveryMs);
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
    ['mail-urgent/shop+witness/mayor', 'shop/witness has not read an urgent letter from mayor: urgent 1 (and 7 more)'],
    [
      'mail-urgent/shop+witness/shop+polecats+ada',
      'shop/witness has not read an urgent letter from shop/polecats/ada: main is red',
    ],
  ]);
  mail.letters = mail.letters.slice(1, 2);
  mail.looks(2);
  expect(mail.drive.ends).toEqual(['mail-urgent/shop+witness/shop+polecats+ada']);
});
