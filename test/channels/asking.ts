/** Agents and a town that ask, over a simulated disk, a town that may be killed anywhere, and what a phone has in its hand. */
import { expect } from 'vitest';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Ask, AskOption, MayAnswer, Said } from '../../machines/channels/answers.ts';
import type { Reply } from '../../machines/protocol.ts';
import { Asks, type OfferedAsk, type Place, type Question } from '../../src/channels/asks.ts';
import { askKeyOf, proofOf } from '../../src/channels/proof.ts';
import { gatesLast, withId } from '../../src/cli/story/questions.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';

const SECRET = 'ab'.repeat(32);
const SESSIONS = ['builder', 'tester'] as const;
/** An alert, and the alert that tells of cases, each of which has an id of its own. */
export const ALERT = 'dance-escalated/builder';
export const OF_CASES = 'escalation/tw-1';
export const NAMES = [...SESSIONS, ALERT, OF_CASES] as const;
type Name = (typeof NAMES)[number];
const isSession = (name: string): boolean => SESSIONS.some((one) => one === name);
export const RULES: readonly MayAnswer[] = [
  { from: 'ntfy', kinds: ['permission', 'alert', 'case'], options: ['yes', 'no', 'seen'], tag: null },
];

interface Pressed {
  readonly name: string;
  /** What stood there. */
  readonly dialog: string;
  readonly option: string;
  readonly text: string;
}

/** All that can go on has. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

/** Two agents that ask, a town that may be killed at any call of its disk, and what a phone has in its hand. */
export class World {
  readonly sim = new SimDisk();
  readonly pressed: Pressed[] = [];
  /** What the town was asked to press. */
  readonly asked: string[] = [];
  readonly messages: OfferedAsk[] = [];
  readonly said: string[] = [];
  /** What each number was a question about. */
  readonly meant = new Map<number, string>();
  readonly #standing = new Map<string, { life: number; dialog: number | null; marks?: number }>();
  #shown = 0;
  /** Whether what is asked about is shown whole. */
  isWhole = true;
  wall = 0;
  key = '';
  asks: Asks | null = null;
  /** A person is in its pane: nothing is pressed. */
  isBusy = false;
  /** The kill comes before the key, or behind it. */
  cut: 'before' | 'behind' | null = null;

  constructor() {
    for (const name of NAMES) this.#standing.set(name, { life: 0, dialog: null });
  }

  /** What stands there now, as one text, with which each later one of the same life begins. */
  at(name: string): string | null {
    const { life, dialog } = this.#standing.get(name) ?? { life: 0, dialog: null };
    return dialog === null ? null : `dialog-${name}-${String(life)}-${'1'.repeat(dialog)}`;
  }

  show(name: Name): void {
    const life = this.#standing.get(name)?.life ?? 0;
    this.#shown += 1;
    this.#standing.set(name, { life, dialog: this.#shown, marks: this.#shown });
  }
  /** Under another id, as in another width; its alert takes it for the same question. */
  redraw(name: Name): void {
    const { life = 0, marks = 0 } = this.#standing.get(name) ?? {};
    this.#standing.set(name, { life, dialog: (this.#shown += 1), marks });
  }
  vanish(name: string): void {
    this.#standing.set(name, { life: this.#standing.get(name)?.life ?? 0, dialog: null });
  }
  die(name: Name): void {
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
      places: { dialogs: this.#place, town: this.#place },
      tell: (notice) => this.#tell(notice),
      clock: { wall: () => this.wall, sleep: () => new Promise(() => undefined) },
      log: () => undefined,
    });
    void this.asks.attend();
    await settled();
    return this.asks;
  }

  /** Offers what stands there, where it is a dialog or is none. */
  offer(name: Name): Promise<OfferedAsk | null> {
    const { asks } = this;
    if (asks === null) return Promise.resolve(null);
    return isSession(name) ? asks.offer(name) : asks.offerOfTown(name);
  }

  readonly #place: Place = {
    limitMs: 0,
    now: (of) => Promise.resolve(isSession(of) ? this.#stands(of) : (this.#toldBy(of) ?? null)),
    answer: (ask, option, said) => this.#press(ask, option, said),
  };

  #onScreen(name: string) {
    const stands = this.#stands(name);
    return stands === null ? undefined : { ...stands, name };
  }

  #toldBy(name: string) {
    const all = this.#ofTown();
    return withId(all, name) ?? gatesLast(all).findLast(({ alerts }) => alerts.some((one) => one === name));
  }

  /** What `town ask` finds its questions among. */
  #ofTown() {
    return NAMES.filter((name) => !isSession(name)).flatMap((name) => {
      const stands = this.#stands(name);
      return stands === null ? [] : [{ ...stands, name, alerts: [name] }];
    });
  }

  #stands(name: string): Question | null {
    const at = this.at(name);
    if (at === null) return null;
    const labels = name === ALERT ? ['Seen'] : ['Yes', 'No'];
    const text = name === OF_CASES ? ({ text: 'may' } as const) : {};
    const offers = labels.map((label) => ({ label, word: label.toLowerCase(), does: '', ...text }));
    const more = { question: at, shows: [], whole: this.isWhole ? [] : null, offers, tags: [] };
    const life = /^(.*)-\d+$/.exec(at)?.[1] ?? '';
    const marks = `screen:${String(this.#standing.get(name)?.marks)}`;
    if (isSession(name)) return { id: at, session: name, life, kind: 'permission', marks, ...more };
    if (name === ALERT) return { id: at, session: 'builder', life: '', kind: 'alert', ...more };
    return { id: at, session: null, life: '', kind: 'case', ...more };
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

  /** As the hand does, or `town ask answer`, which finds its question itself. */
  #press(ask: Ask, { label: option }: AskOption, { text }: Said): Promise<Reply> {
    if (this.isBusy)
      return Promise.resolve({
        ok: false,
        exit: 1,
        code: 'not_given',
        text: 'a person typed there; answer it in the pane',
      });
    this.asked.push(ask.question);
    if (this.cut === 'before') return this.#killed();
    const isDialog = ask.kind === 'permission';
    const stands = isDialog ? this.#onScreen(ask.session ?? '') : withId(this.#ofTown(), ask.dialog);
    if (stands?.life !== ask.life || (isDialog && stands.id !== ask.dialog))
      return Promise.resolve({ ok: false, exit: stands === undefined ? 3 : 5, code: 'not_answered', text: '' });
    this.pressed.push({ name: stands.name, dialog: stands.question, option, text });
    this.vanish(stands.name);
    return this.cut === 'behind' ? this.#killed() : Promise.resolve({ ok: true, value: { then: 'it works' } });
  }

  #killed(): Promise<Reply> {
    this.asks = null;
    this.sim.kill();
    return new Promise(() => undefined);
  }

  async reply(nth: number, word: string, { id = `r${String(nth)}${word}`, proof = '', text = '' } = {}): Promise<void> {
    const message = this.messages[nth % Math.max(1, this.messages.length)];
    if (message === undefined) return;
    const { number } = message;
    const secret = proof === '' ? proofOf(this.key, 'ntfy', number) : proof;
    const words = { id, from: 'ntfy', number, word, text, proof: secret };
    const { asks } = this;
    if (asks !== null) await Promise.race([asks.take(words).catch(() => undefined), settled()]);
    await settled();
  }
}
