/**
 * Answers that `[[asks.rule]]` gives, off without one. What an agent's program asks is looked at again and again.
 * 1. A rule answers a question once, in its life, and only one that a rule fits whole. Not while a person is in its pane.
 * 2. Its answer is on disk, and counted, before it is asked of the town. One that a kill cut off is not tried again.
 * 3. What is not answered waits for a person, as without a rule.
 */
import {
  isByRule,
  keyOf,
  rulingFor,
  signatureOf,
  type AskRule,
  type Fits,
  type Ruling,
} from '../../machines/channels/rules.ts';
import { askName, type Ask } from '../../machines/channels/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Reply, Request } from '../../machines/protocol.ts';
import type { AskBook } from '../../state/channels/asks.ts';
import { textOf } from '../../state/files/disk.ts';
import type { Clock } from '../ports/ports.ts';
import type { Stands } from './asks.ts';
import { outcomeOf } from './outcome.ts';

type Standing = Stands & { readonly session: string };

export interface ByRuleNeeds {
  readonly book: AskBook;
  readonly rules: readonly AskRule[];
  readonly fits: Fits;
  readonly request: (request: Request, by: string) => Promise<Reply>;
  /** What stands before each session whose program says that it asks. Rejects where it cannot be seen. */
  readonly standing: () => Promise<readonly Standing[]>;
  /** Whether a person uses a pane of the session. */
  readonly isAt: (session: string) => Promise<boolean>;
  /** Whether the root came back from a copy: what its budgets had since is not known, and no rule answers. */
  readonly isCopy: () => Promise<boolean>;
  readonly clock: Pick<Clock, 'wall' | 'sleep'>;
  readonly log: (text: string) => void;
}

export class AnswersByRule {
  readonly #needs: ByRuleNeeds;

  constructor(needs: ByRuleNeeds) {
    this.#needs = needs;
  }

  /** Until `stop`. Never rejects. */
  async attend(stop: AbortSignal): Promise<void> {
    const { rules, clock, log } = this.#needs;
    if (rules.length === 0) return;
    let isCutKnown = false;
    while (!stop.aborted) {
      try {
        if (!isCutKnown) await this.#closeCut();
        isCutKnown = true;
        await this.look();
      } catch (error) {
        log(`no rule was asked for an answer: ${textOf(error)}`);
      }
      await clock.sleep(ANSWERS.ruleEveryMs, stop).catch(() => undefined);
    }
  }

  /** Answers what stands now, as far as rules do. Rejects where that cannot be seen or put on record. */
  async look(): Promise<void> {
    if (await this.#needs.isCopy()) return;
    for (const stands of await this.#needs.standing()) {
      const ruling = this.#rulingFor(stands, await this.#needs.book.all());
      if (ruling?.why === null && !(await this.#needs.isAt(stands.session))) await this.#answer(stands);
    }
  }

  /** As far as it is known without a look at its pane. */
  #rulingFor({ session, life, dialog }: Standing, asks: readonly Ask[]): Ruling | null {
    const { rules, fits, clock } = this.#needs;
    const { id, way, whole, offers: options } = dialog;
    const around = { asks, now: clock.wall(), isUsed: false, isCopy: false };
    return rulingFor(rules, { session, life, dialog: id, way, whole, options }, fits, around);
  }

  async #answer(stands: Standing): Promise<void> {
    const { session: name, life, tags, dialog } = stands;
    const { book, clock, log, rules } = this.#needs;
    const { id, question, kind, offers } = dialog;
    const at = clock.wall();
    const before = (await book.all()).findLast((one) => one.life === life && one.dialog === id && !one.isOver);
    const options = offers.map(({ word, label }) => ({ word, label }));
    const { number } =
      before ?? (await book.add({ at, session: name, life, dialog: id, question, kind, tags, options }));
    const ruled = await book.change((asks) => {
      const ruling = this.#rulingFor(stands, asks);
      const rule = ruling?.why === null ? rules[ruling.rule - 1] : undefined;
      if (ruling === null || rule === undefined) return { asks, is: null };
      const by = signatureOf(ruling.rule);
      const answer = { by, rule: keyOf(rule), reply: `rule/${id}`, word: ruling.option.word, at, outcome: null };
      return { asks: asks.map((one) => (one.number === number ? { ...one, answer } : one)), is: ruling };
    });
    if (ruled === null) return;
    const by = signatureOf(ruled.rule);
    const option = ruled.option.label;
    const reply = await this.#needs.request({ verb: 'answer', name, dialog: id, question, option }, by);
    const outcome = outcomeOf(reply, option);
    log(`question ${askName(number)} (${name}), ${by}: ${outcome}`);
    await this.#close((one) => one.number === number, outcome);
  }

  #closeCut(): Promise<void> {
    const isCut = ({ answer }: Ask): boolean => answer !== null && answer.outcome === null && isByRule(answer.by);
    return this.#close(isCut, 'not proved: the town ended while it answered');
  }

  #close(is: (ask: Ask) => boolean, outcome: string): Promise<void> {
    return this.#needs.book.change((asks) => ({
      asks: asks.some(is)
        ? asks.map((one) => (is(one) && one.answer !== null ? { ...one, answer: { ...one.answer, outcome } } : one))
        : asks,
      is: undefined,
    }));
  }
}
