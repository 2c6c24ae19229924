/** Agents that ask, over a simulated disk, a town that may be killed anywhere, and what a phone has in its hand. */
import { expect } from 'vitest';
import type { Told } from '../../machines/alerts/slots.ts';
import type { MayAnswer } from '../../machines/channels/answers.ts';
import type { Reply, Request } from '../../machines/protocol.ts';
import { Asks, type OfferedAsk, type Stands } from '../../src/channels/asks.ts';
import { askKeyOf, proofOf } from '../../src/channels/proof.ts';
import type { Dialog } from '../../src/screen/dialog.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const SECRET = 'ab'.repeat(32);
export const SESSIONS = ['builder', 'tester'] as const;
type Session = (typeof SESSIONS)[number];
type Answered = Extract<Request, { verb: 'answer' }>;
export const RULES: readonly MayAnswer[] = [{ from: 'ntfy', kinds: ['permission'], options: ['yes', 'no'], tag: null }];

/** All that can go on has. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

/** Two agents that ask, a town that may be killed at any call of its disk, and what a phone has in its hand. */
export class World {
  readonly sim = new SimDisk();
  readonly pressed: Answered[] = [];
  /** What the town was asked to press. */
  readonly asked: string[] = [];
  readonly messages: OfferedAsk[] = [];
  readonly said: string[] = [];
  /** What each number was a question about. */
  readonly meant = new Map<number, string>();
  readonly #standing = new Map<Session, { life: number; dialog: number | null }>();
  #shown = 0;
  /** Whether what is asked about is shown whole. */
  isWhole = true;
  key = '';
  asks: Asks | null = null;
  /** The kill comes before the key, or behind it. */
  cut: 'before' | 'behind' | null = null;

  constructor() {
    for (const name of SESSIONS) this.#standing.set(name, { life: 0, dialog: null });
  }

  /** What stands there now, as one text. */
  at(name: string): string | null {
    const { life, dialog } = this.#standing.get(name as Session) ?? { life: 0, dialog: null };
    return dialog === null ? null : `dialog-${name}-${String(life)}-${String(dialog)}`;
  }

  show(name: Session): void {
    this.#standing.set(name, { life: this.#standing.get(name)?.life ?? 0, dialog: (this.#shown += 1) });
  }
  vanish(name: Session): void {
    this.#standing.set(name, { life: this.#standing.get(name)?.life ?? 0, dialog: null });
  }
  die(name: Session): void {
    this.#standing.set(name, { life: (this.#standing.get(name)?.life ?? 0) + 1, dialog: null });
  }

  async start(rules = RULES): Promise<Asks> {
    this.sim.burn = undefined;
    this.sim.kill();
    const disk = this.sim.mount();
    const quarantine = new Quarantine({ disk, wall: () => 0, onRefused: () => undefined });
    const book = new AskBook({ disk, quarantine });
    this.key = askKeyOf(SECRET, await book.salt());
    this.asks = new Asks({
      book,
      rules,
      key: this.key,
      request: (request) => this.#press(request as Answered),
      dialogNow: (session) => Promise.resolve(this.#stands(session)),
      tell: (notice) => this.#tell(notice),
      clock: { wall: () => 0, sleep: () => new Promise(() => undefined) },
      log: () => undefined,
    });
    void this.asks.attend(new AbortController().signal);
    await settled();
    return this.asks;
  }

  #stands(session: string): Stands | null {
    const id = this.at(session);
    if (id === null) return null;
    const offers = ['Yes', 'No'].map((label) => ({ label, word: label.toLowerCase(), does: '' }));
    const more = { shows: [], whole: this.isWhole ? [] : null, withheld: [] };
    const dialog: Dialog = { id, way: 'keys', kind: 'permission', question: id, offers, ...more };
    return { life: id.replace(/-\d+$/, ''), tags: [], dialog };
  }

  #tell(notice: Told): Promise<void> {
    this.said.push(notice.text);
    const ask = notice['ask'] as OfferedAsk | undefined;
    if (ask !== undefined) this.keep(ask);
    return Promise.resolve();
  }

  keep(ask: OfferedAsk): void {
    expect(this.meant.get(ask.number) ?? ask.question).toBe(ask.question);
    this.meant.set(ask.number, ask.question);
    this.messages.push(ask);
  }

  /** As the hand does: nothing is pressed unless this very dialog stands there. */
  #press(request: Answered): Promise<Reply> {
    this.asked.push(request.dialog);
    if (this.cut === 'before') return this.#killed();
    if (this.at(request.name) !== request.dialog)
      return Promise.resolve({
        ok: false,
        exit: this.at(request.name) === null ? 3 : 5,
        code: 'not_answered',
        text: '',
      });
    this.pressed.push(request);
    this.vanish(request.name as Session);
    return this.cut === 'behind' ? this.#killed() : Promise.resolve({ ok: true, value: { then: 'it works' } });
  }

  #killed(): Promise<Reply> {
    this.asks = null;
    this.sim.kill();
    return new Promise(() => undefined);
  }

  async reply(nth: number, word: string, { id = `r${String(nth)}${word}`, proof = '' } = {}): Promise<void> {
    const message = this.messages[nth % Math.max(1, this.messages.length)];
    if (message === undefined) return;
    const { number } = message;
    const words = { id, from: 'ntfy', number, word, proof: proof === '' ? proofOf(this.key, 'ntfy', number) : proof };
    const { asks } = this;
    if (asks !== null) await Promise.race([asks.take(words).catch(() => undefined), settled()]);
    await settled();
  }
}
