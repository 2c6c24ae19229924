/**
 * The town's side of answers from channels: offers what an agent asks, and takes the first answer to it.
 * 1. What a channel says is asked of the town as `town ask answer` asks it: the same hand looks again, and proves it.
 * 2. An answer is on disk before it is asked of the town. One that a kill cut off is not tried again: its person is told, and offered
 *    what stands there then.
 * 3. Without `[[may_answer]]` nothing is offered and nothing taken.
 * 4. What a message does not show whole is answered at the desk: only a no, which gives nothing, is offered and taken (offered.ts).
 */
import { channelOfCaller, optionsFor, rulingOn } from '../../machines/channels/answers.ts';
import type { Ask, AskKind, MayAnswer, Ruling, Said } from '../../machines/channels/answers.ts';
import { isByRule } from '../../machines/channels/rules.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Reply, Request } from '../../machines/protocol.ts';
import type { AskBook } from '../../state/channels/asks.ts';
import { textOf } from '../../state/files/disk.ts';
import { Serial } from '../../state/files/serial.ts';
import type { Clock } from '../ports/ports.ts';
import type { Dialog } from '../screen/dialog.ts';
import type { Heard } from './port.ts';
import { offerOf } from './offered.ts';
import { outcomeOf } from './outcome.ts';
import { isProved } from './proof.ts';

/** What stands before a session's life now. */
export interface Stands {
  readonly life: string;
  readonly tags: readonly string[];
  readonly dialog: Dialog;
}

export interface AsksNeeds {
  readonly book: AskBook;
  readonly rules: readonly MayAnswer[];
  /** What the secrets of messages are made from. */
  readonly key: string;
  readonly request: (request: Request, by: string) => Promise<Reply>;
  /** null = nothing that could be answered from elsewhere. Rejects where it cannot be seen. */
  readonly dialogNow: (session: string) => Promise<Stands | null>;
  /** Durable when it resolves. `of`: the same words once more are the same message. */
  readonly tell: (notice: Told, of: string) => Promise<void>;
  readonly clock: Pick<Clock, 'wall' | 'sleep'>;
  readonly log: (text: string) => void;
}

/** A question in a notice. */
export interface OfferedAsk extends Pick<Ask, 'number' | 'kind' | 'tags' | 'question'> {
  readonly shows: readonly string[];
  readonly options: Dialog['offers'];
}

export class Asks {
  readonly #needs: AsksNeeds;
  readonly #serial = new Serial();
  #stop = new AbortController().signal;

  constructor(needs: AsksNeeds) {
    this.#needs = needs;
  }

  /** For an alert about a dialog: its question, as a notice offers it; null = nothing is offered. Never rejects. */
  async offer(session: string): Promise<OfferedAsk | null> {
    return (await this.#offer(session, true))?.ask ?? null;
  }

  /** The alert is over, and its questions with it. Never rejects. */
  async end(session: string): Promise<void> {
    if (this.#needs.rules.length === 0) return;
    const isOpen = (one: Ask): boolean => one.session === session && one.answer === null && !one.isOver;
    await this.#needs.book
      .change((asks) => ({
        asks: asks.some(isOpen) ? asks.map((one) => (isOpen(one) ? { ...one, isOver: true } : one)) : asks,
        is: null,
      }))
      .catch((error: unknown) => this.#needs.log(`questions on channels could not be ended: ${textOf(error)}`));
  }

  /** Tells of answers that a kill cut off, once; until `stop` answers are followed up. */
  async attend(stop: AbortSignal): Promise<void> {
    this.#stop = stop;
    if (this.#needs.rules.length === 0) return;
    try {
      const cut = (await this.#needs.book.all()).filter(
        ({ answer }) => answer?.outcome === null && !isByRule(answer.by),
      );
      const why = 'not proved: the town ended while it answered; look at its pane';
      for (const ask of cut) await this.#tellOutcome(ask, why, true);
    } catch (error) {
      this.#needs.log(`questions on channels could not be read: ${textOf(error)}`);
    }
  }

  /** Resolves once what it means is on disk, so that it need not come again; rejects where that cannot be. */
  async take(heard: Heard): Promise<void> {
    const { proof: _, ...said } = heard;
    const { book, rules, clock } = this.#needs;
    if (!isProved(this.#needs.key, heard)) return;
    const at = clock.wall();
    const { ruling, ask } = await book.change((asks) => {
      const found = asks.find(({ number }) => number === said.number);
      const rule = rulingOn(found, said, rules, at);
      if (rule !== 'take' || found === undefined) return { asks, is: { ruling: rule, ask: found } };
      const taken = { ...found, answer: { by: said.from, reply: said.id, word: said.word, at, outcome: null } };
      return { asks: asks.map((one) => (one === found ? taken : one)), is: { ruling: rule, ask: taken } };
    });
    if (ruling === 'take' && ask !== undefined) void this.#carryOut(ask, said);
    else if (ruling !== 'again') await this.#refuse(ask, said, ruling);
  }

  async #carryOut(ask: Ask, { from, word }: Said): Promise<void> {
    const { session: name, dialog, question, options } = ask;
    const option = options.find((one) => one.word === word)?.label ?? '';
    try {
      const reply = await this.#needs.request({ verb: 'answer', name, dialog, question, option }, from);
      await this.#tellOutcome(ask, outcomeOf(reply, option), false);
      await this.#needs.clock.sleep(ANSWERS.nextMs, this.#stop);
      if (this.#stop.aborted) return;
      const next = await this.#offer(name, false);
      if (next?.isNew === true)
        await this.#tell(channelOfCaller(from), `${name} asks: ${next.ask.question}`, name, next.ask);
    } catch (error) {
      this.#needs.log(`what came of the answer to question ${String(ask.number)} could not be told: ${textOf(error)}`);
    }
  }

  async #tellOutcome(ask: Ask, outcome: string, offersAgain: boolean): Promise<void> {
    const next = await this.#offer(ask.session, offersAgain);
    const words = `Question ${String(ask.number)} (${ask.session}): ${outcome}`;
    const more = next === null ? '' : `\n${ask.session} asks now: ${next.ask.question}`;
    await this.#tell(channelOfCaller(ask.answer?.by ?? ''), `${words}${more}`, ask.session, next?.ask ?? null);
    await this.#needs.book.change((asks) => ({
      asks: asks.map((one) =>
        one.number === ask.number && one.answer !== null ? { ...one, answer: { ...one.answer, outcome } } : one,
      ),
      is: null,
    }));
  }

  async #refuse(ask: Ask | undefined, said: Said, ruling: Ruling): Promise<void> {
    const offered = (ask?.options ?? []).map(({ word }) => word).join(', ');
    const [first = ''] = [
      ruling === 'not_allowed' && `not allowed: no [[may_answer]] lets ${said.from} answer that`,
      ruling === 'not_offered' && `there is no option ${JSON.stringify(said.word)}; it has ${offered}`,
      ask?.answer && `over: it was answered before, with ${ask.answer.word}`,
      'over: no such question is open any more',
    ].filter((text) => typeof text === 'string');
    const of = ask === undefined || ruling === 'not_allowed' ? '' : ` (${ask.session})`;
    await this.#tell(channelOfCaller(said.from), `Question ${String(said.number)}${of}: ${first}`, null, null, said.id);
  }

  #tell(to: string, text: string, session: string | null, ask: OfferedAsk | null, of = text): Promise<void> {
    const notice = { schema: 'notice/1', kind: 'answer', text, severity: 'medium', session, to: [to] };
    const more = ask === null ? { type: [] } : { type: [`town session attach ${String(session)}`], ask };
    return this.#needs.tell({ ...notice, ...more }, `answer/${of}`);
  }

  /** `mayRepeat`: also one that was answered before, and stands there again or still. Never rejects. */
  #offer(session: string, mayRepeat: boolean): Promise<{ readonly ask: OfferedAsk; readonly isNew: boolean } | null> {
    const { rules, book, clock, dialogNow, log } = this.#needs;
    if (rules.length === 0) return Promise.resolve(null);
    return this.#serial
      .take(async () => {
        const stands = await Promise.race([dialogNow(session), clock.sleep(ANSWERS.lookMs).then(() => LATE)]);
        if (stands === null) return null;
        const { life, tags, dialog } = stands;
        const { id, kind, question } = dialog;
        const { shows, offers } = offerOf(dialog);
        const isAnswerable = rules.some(
          ({ from }) => optionsFor(channelOfCaller(from), { kind, tags, options: offers }, rules).length > 0,
        );
        if (!isAnswerable) return null;
        const before = (await book.all()).findLast((one) => one.life === life && one.dialog === id);
        const isOpen = before?.answer === null && !before.isOver;
        if (before !== undefined && !isOpen && !mayRepeat) return null;
        const options = offers.map(({ word, label }) => ({ word, label }));
        const fresh = {
          at: clock.wall(),
          session,
          life,
          dialog: id,
          question,
          kind: kind satisfies AskKind,
          tags,
          options,
        };
        const { number } = before !== undefined && isOpen ? before : await book.add(fresh);
        const shown = offers.map(({ word, label, does }) => ({ word, label, does }));
        return { ask: { number, kind, tags, question, shows, options: shown }, isNew: !isOpen };
      })
      .catch((error: unknown) => {
        log(`what ${session} asks was offered to no channel: ${textOf(error)}`);
        return null;
      });
  }
}

/** A tmux that does not answer delays no alert. */
const LATE = null;
