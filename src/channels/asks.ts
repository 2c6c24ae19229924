/**
 * The town's side of answers from channels (A-1 to A-3): offers what an agent or the town asks, and takes the first answer to it.
 * 1. What a channel says is asked of the town as `town ask answer` asks it: the same hand looks again, and proves it.
 * 2. An answer is on disk before it is asked of the town. One that a kill cut off is not tried again: its person is told, and offered
 *    what stands there then.
 * 3. Without `[[may_answer]]` nothing is offered and nothing taken.
 * 4. What a message does not show whole is answered at the desk: only a no, which gives nothing, is offered and taken (offers.ts).
 */
import {
  askName,
  channelOfCaller,
  isLate,
  isOfDialog,
  isOfferedBy,
  optionsFor,
  rulingOn,
} from '../../machines/channels/answers.ts';
import type { Answer, Ask, AskKind, AskOption, MayAnswer, Ruling, Said } from '../../machines/channels/answers.ts';
import { choicesIn } from '../../machines/channels/of-town.ts';
import { isByRule } from '../../machines/channels/rules.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { isOtherQuestion } from '../../machines/alerts/question.ts';
import type { Told } from '../../machines/alerts/slots.ts';
import type { Ms, Reply } from '../../machines/protocol.ts';
import type { AskBook } from '../../state/channels/asks.ts';
import { textOf } from '../../state/files/disk.ts';
import { Serial } from '../../state/files/serial.ts';
import type { Clock } from '../ports/ports.ts';
import type { Dialog } from '../screen/dialog.ts';
import type { Heard } from './port.ts';
import { offerOf, type Offering } from './offers.ts';
import { isReplaced, isUngiven, outcomeOf } from './outcome.ts';
import { isProved } from './proof.ts';
import { Refusals } from './refusals.ts';

/** What stands before a session's life now. */
export interface Stands {
  readonly life: string;
  readonly tags: readonly string[];
  readonly dialog: Dialog;
}

/** A question that stands now, of an agent's dialog or of the town. `life`, `id`: as an `Ask` has them. */
export interface Question extends Pick<Ask, 'session' | 'life' | 'tags' | 'question' | 'marks'>, Offering {
  readonly id: string;
  readonly kind: AskKind;
}

/** Where questions stand, and how one takes an answer. */
export interface Place {
  /** `of`: a session for dialogs, else the id of the question or of its alert. null = nothing that could be answered. Rejects where it cannot be seen. */
  readonly now: (of: string) => Promise<Question | null>;
  readonly answer: (ask: Ask, option: AskOption, said: Said) => Promise<Reply>;
  readonly limitMs: Ms;
}
interface Where {
  readonly is: 'dialogs' | 'town';
  readonly of: string;
}
const whereIs = ({ kind, session, dialog }: Ask): Where =>
  isOfDialog(kind) ? { is: 'dialogs', of: session ?? '' } : { is: 'town', of: dialog };

export interface AsksNeeds {
  readonly book: AskBook;
  readonly rules: readonly MayAnswer[];
  /** What the secrets of messages are made from. */
  readonly key: string;
  readonly places: Readonly<Record<Where['is'], Place>>;
  /** Durable when it resolves. `of`: the same words once more are the same message. */
  readonly tell: (notice: Told, of: string) => Promise<void>;
  readonly clock: Pick<Clock, 'wall' | 'sleep'>;
  readonly log: (text: string) => void;
}

/** A question in a notice. */
export interface OfferedAsk extends Pick<Ask, 'number' | 'kind' | 'tags' | 'question'> {
  readonly shows: readonly string[];
  readonly options: readonly (AskOption & { readonly does: string })[];
}

export class Asks {
  readonly #needs: AsksNeeds;
  readonly #refusals: Refusals;
  readonly #serials = { dialogs: new Serial(), town: new Serial() };

  constructor(needs: AsksNeeds) {
    this.#needs = needs;
    this.#refusals = new Refusals(needs.clock);
  }

  /** For an alert about the question with these marks: that one alone, as a notice offers it; null = nothing is offered. Never rejects. */
  async offer(session: string, marks?: string): Promise<OfferedAsk | null> {
    return this.#offer({ is: 'dialogs', of: session }, (stands) => !isOtherQuestion(marks, stands.marks));
  }

  /** Whether a choice may be offered in this question of the town's, once it goes out. */
  mayOffer(notice: Told): boolean {
    const kinds = choicesIn(notice);
    return this.#needs.rules.some((rule) => kinds.some((kind) => rule.kinds.includes(kind)));
  }

  /** As `offer`, for a question of the town's: by its id, or that of an alert that tells of it. Never rejects. */
  async offerOfTown(of: string): Promise<OfferedAsk | null> {
    return this.#offer({ is: 'town', of }, () => true);
  }

  /** The alert is over, and its questions with it. Never rejects. */
  async end(session: string): Promise<void> {
    if (this.#needs.rules.length === 0) return;
    const isOpen = (one: Ask): boolean =>
      one.session === session && isOfDialog(one.kind) && one.answer === null && !one.isOver;
    await this.#needs.book
      .change((asks) => ({
        asks: asks.some(isOpen) ? asks.map((one) => (isOpen(one) ? { ...one, isOver: true } : one)) : asks,
        is: null,
      }))
      .catch((error: unknown) => this.#needs.log(`questions on channels could not be ended: ${textOf(error)}`));
  }

  /** Tells of answers that a kill cut off, once. */
  async attend(): Promise<void> {
    if (this.#needs.rules.length === 0) return;
    try {
      const cut = (await this.#needs.book.all()).filter(
        ({ answer }) => answer?.outcome === null && !isByRule(answer.by),
      );
      for (const ask of cut) {
        const where = isOfDialog(ask.kind) ? 'look at its pane' : 'see town questions';
        const outcome = `not proved: the town ended while it answered; ${where}`;
        await this.#tellOutcome(ask, outcome, (stands) => isItself(ask, stands));
      }
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
      const { from: by, id: reply, word, text } = said;
      const taken = { ...found, answer: { by, reply, word, ...(text !== '' && { text }), at, outcome: null } };
      return { asks: asks.map((one) => (one === found ? taken : one)), is: { ruling: rule, ask: taken } };
    });
    if (ruling === 'take' && ask !== undefined) void this.#carryOut(ask, said);
    else if (ruling !== 'again') await this.#refuse(ask, said, ruling);
  }

  async #carryOut(ask: Ask, said: Said): Promise<void> {
    const option = ask.options.find(({ word }) => word === said.word);
    if (option === undefined) return; // It was ruled so.
    const where = whereIs(ask);
    const isTown = where.is === 'town';
    try {
      const reply = await this.#needs.places[where.is].answer(ask, option, said);
      const outcome = outcomeOf(reply, option.label, isTown ? 'on record' : 'proved');
      // The journal tells of dialogs by itself.
      if (isTown) this.#needs.log(`${nameOf(ask)}, by ${said.from}: ${outcome}`);
      if (isUngiven(reply)) await this.#reopen(ask, said, outcome);
      else
        await this.#tellOutcome(ask, outcome, (stands) => {
          // What the town asks stands as long as it was not done.
          if (isItself(ask, stands)) return isTown && !reply.ok;
          return isReplaced(reply) && this.#isUntold(ask, stands);
        });
    } catch (error) {
      this.#needs.log(`what came of the answer to question ${askName(ask.number)} could not be told: ${textOf(error)}`);
    }
  }

  /** The reply counts no second time, also where its channel hears it again. */
  async #reopen({ number, session }: Ask, { id, from }: Said, outcome: string): Promise<void> {
    await this.#tell(channelOfCaller(from), `${nameOf({ number, session })}: ${outcome}`, session, null, id);
    await this.#needs.book.change((asks) => ({
      asks: asks.map((one) =>
        one.number === number
          ? { ...one, answer: null, ungiven: [...(one.ungiven ?? []), id].slice(-ANSWERS.kept) }
          : one,
      ),
      is: null,
    }));
  }

  /** Whether what stands in its place is told by no alert: none tells it from this question, and no message offered it. */
  async #isUntold(ask: Ask, stands: Question): Promise<boolean> {
    if (isOtherQuestion(ask.marks, stands.marks)) return false;
    return !(await this.#needs.book.all()).some(({ life, dialog }) => isItself({ life, dialog }, stands));
  }

  /** With what stands there now, where that is meant. */
  async #tellOutcome(ask: Ask, outcome: string, isMeant: IsMeant): Promise<void> {
    const again = await this.#offer(whereIs(ask), isMeant);
    const more = again === null ? '' : `\n${again.question}`;
    const to = channelOfCaller(ask.answer?.by ?? '');
    await this.#tell(to, `${nameOf(ask)}: ${outcome}${more}`, ask.session, again);
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
      ruling === 'text' && textMistake(said),
      ask?.answer && `over: it was answered before, with ${ask.answer.word}${came(ask.answer)}`,
      'over: no such question is open any more',
    ].filter((text) => typeof text === 'string');
    const name = nameOf(ask === undefined || ruling === 'not_allowed' ? { ...said, session: null } : ask);
    const text = `${name}: ${first}`;
    const tell = (): Promise<void> => this.#tell(channelOfCaller(said.from), text, null, null, said.id);
    await this.#refusals.tell(said.from, text, tell);
  }

  #tell(to: string, text: string, session: string | null, ask: OfferedAsk | null, of = text): Promise<void> {
    const notice = { schema: 'notice/1', kind: 'answer', text, severity: 'medium', session, to: [to] };
    const isTown = ask !== null && !isOfDialog(ask.kind);
    const type = ask === null ? [] : [isTown ? 'town questions' : `town session attach ${String(session)}`];
    const more = { type, ...(ask !== null && { ask }) };
    return this.#needs.tell({ ...notice, ...more }, `answer/${of}`);
  }

  /** What stands there, where it is meant. Never rejects. */
  #offer(where: Where, isMeant: IsMeant): Promise<OfferedAsk | null> {
    const { rules, places, clock, log } = this.#needs;
    if (rules.length === 0) return Promise.resolve(null);
    const { now, limitMs } = places[where.is];
    return this.#serials[where.is]
      .run(async () => {
        const stands = await Promise.race([now(where.of), clock.sleep(limitMs).then(() => LATE)]);
        return stands === null || !(await isMeant(stands)) ? null : await this.#keep(stands);
      })
      .catch((error: unknown) => {
        log(`what ${where.of} asks was offered to no channel: ${textOf(error)}`);
        return null;
      });
  }

  /** null = no channel may answer it. */
  async #keep(stands: Question): Promise<OfferedAsk | null> {
    const { rules, book, clock } = this.#needs;
    const { life, tags, id, kind, question, session, marks } = stands;
    const isOffered = isOfferedBy(rules.flatMap((rule) => rule.options));
    const { shows, offers } = offerOf({ ...stands, offers: stands.offers.filter(isOffered) });
    const isAnswerable = rules.some(
      ({ from }) => optionsFor(channelOfCaller(from), { kind, tags, options: offers }, rules).length > 0,
    );
    if (!isAnswerable) return null;
    const before = (await book.all()).findLast((one) => one.life === life && one.dialog === id);
    const isOpen = before?.answer === null && !before.isOver && !isLate(before, clock.wall());
    // What is read off a screen has keys too, which count only in the moment of typing.
    const options = offers.map(({ word, label, text, isGrave }) => {
      return { word, label, ...(text !== undefined && { text }), ...(isGrave === true && { isGrave }) };
    });
    const about = { session, life, dialog: id, question, ...(marks !== undefined && { marks }), kind, tags };
    const fresh = { at: clock.wall(), ...about, options };
    const { number } = before !== undefined && isOpen ? before : await book.add(fresh);
    const shown = options.map((one, at) => ({ ...one, does: offers[at]?.does ?? '' }));
    return { number, kind, tags, question, shows, options: shown };
  }
}

type IsMeant = (stands: Question) => boolean | Promise<boolean>;

const isItself = (ask: Pick<Ask, 'life' | 'dialog'>, { life, id }: Question): boolean =>
  ask.life === life && ask.dialog === id;

const nameOf = ({ number, session }: Pick<Ask, 'number' | 'session'>): string =>
  `Question ${askName(number)}${session === null ? '' : ` (${session})`}`;

/** What came of an answer, behind its word. */
const came = ({ outcome }: Pick<Answer, 'outcome'>): string => (outcome === null ? '' : `: ${outcome}`);

function textMistake({ word, text }: Said): string {
  if (text === '') return `${word} needs a text behind it`;
  const isLong = text.length > ANSWERS.maxChars;
  return isLong ? `the text has ${text.length} characters, the limit is ${ANSWERS.maxChars}` : `${word} takes no text`;
}

/** A tmux that does not answer delays no alert. */
const LATE = null;
