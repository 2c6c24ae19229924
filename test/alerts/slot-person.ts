/** A person whose command is started for notices, in virtual time. */
import { NOTIFY, type Cause } from '../../machines/alerts/policy.ts';
import {
  afterNotice,
  afterStart,
  afterTime,
  causeApart,
  type Slots,
  type Start,
  type Told,
} from '../../machines/alerts/slots.ts';

export const MINUTE = 60_000;
export const note = (text: string, more: object = {}): Told => ({ kind: 'mail', text, ...more });

/** A person with a command; `isWell`: how the command ends, null = the process dies before it does, 'slow' = well, by the next look. */
export class Person {
  slots: Slots = {};
  now = 1_000;
  isWell: boolean | 'slow' | null = true;
  readonly heard: string[] = [];
  readonly all: Told[] = [];
  #runs: Start[] = [];

  ring(notice: Told, cause: Partial<Cause> = {}): void {
    const of = { name: 'c', longestMs: NOTIFY.longestMs, ...cause };
    this.#take(afterNotice(this.slots, of, notice, { now: this.now, policy: NOTIFY }));
  }
  /** On a channel, a letter that asks. */
  write(id: string): void {
    const of = { name: 'mail/nux', longestMs: NOTIFY.longestMs };
    const notice = note(id, { id, question: true });
    this.ring(notice, causeApart(this.slots, of, notice, NOTIFY));
  }
  wait(ms: number): void {
    for (const until = this.now + ms; this.now < until;) {
      this.now = Math.min(until, this.now + NOTIFY.lookEveryMs);
      for (const start of this.#runs) this.slots = afterStart(this.slots, start, true, NOTIFY);
      this.#runs = [];
      this.#take(afterTime(this.slots, this.now));
    }
  }
  #take({ slots, starts }: { slots: Slots; starts: readonly Start[] }): void {
    this.slots = slots;
    for (const start of starts) {
      if (this.isWell === null) continue;
      this.heard.push(`${Math.floor((this.now - 1_000) / MINUTE)}m ${start.notice.text}`);
      this.all.push(start.notice);
      if (this.isWell === 'slow') this.#runs.push(start);
      else this.slots = afterStart(this.slots, start, this.isWell, NOTIFY);
    }
  }
}
