/**
 * Who may answer what from a channel, and what becomes of a reply. Pure. A caller that may answer nothing of a question
 * learns nothing about it either. The first answer wins, by the number of the question: no number is given twice.
 */
import type { WallMs } from '../protocol.ts';
import { ANSWERS } from './policy.ts';

/** What agents' programs ask in dialogs. */
const DIALOG_KINDS = ['permission', 'question'] as const;
/** What the town asks, as `town ask list` calls it. */
export const TOWN_KINDS = ['alert', 'letter', 'case', 'escalation', 'gate'] as const;
export const ASK_KINDS = [...DIALOG_KINDS, ...TOWN_KINDS] as const;
export type AskKind = (typeof ASK_KINDS)[number];
/** Work for an agent, which a person gives it in a channel: it answers nothing. */
export const MENTION = 'mention';
/** The word of an option that answers later questions of its program too. */
export const ALWAYS = 'always';
export const isOfDialog = (kind: string): boolean => DIALOG_KINDS.some((one) => one === kind);

/** One `[[may_answer]]`. Without one no channel answers anything. */
export interface MayAnswer {
  /** `ntfy`, `telegram:<user id>` or `irc:<account>`. */
  readonly from: string;
  readonly kinds: readonly string[];
  /** Words of options; `*` = each that is offered and ends no agent. */
  readonly options: readonly string[];
  /** Of sessions; null = any. */
  readonly tag: string | null;
}

export interface AskOption {
  readonly word: string;
  readonly label: string;
  /** A text of the person's behind the word: one may stand there, or one must; absent = none is taken. */
  readonly text?: 'may' | 'must' | undefined;
  /** It ends an agent, or outlasts its question: `*` does not mean it. */
  readonly isGrave?: true | undefined;
}

/** A question that was offered to channels. */
export interface Ask {
  readonly number: number;
  readonly at: WallMs;
  /** null = it is about none. */
  readonly session: string | null;
  /** Of a dialog the uuid of the life that asks; else empty. */
  readonly life: string;
  /** The id of what stands there: of a dialog as in src/screen/dialog.ts, else as in `town ask list`. */
  readonly dialog: string;
  readonly question: string;
  /** Of a dialog, as `Alert.question`; absent = not known. */
  readonly marks?: string | undefined;
  readonly kind: AskKind;
  readonly tags: readonly string[];
  readonly options: readonly AskOption[];
  /** Its cause is over. */
  readonly isOver: boolean;
  /** On disk before anything is pressed. */
  readonly answer: Answer | null;
  /** Ids of replies that reached nothing, so that it stands open; absent = none. */
  readonly ungiven?: readonly string[] | undefined;
}

export interface Answer {
  /** As `MayAnswer.from`; or which rule of town.toml answered. */
  readonly by: string;
  /** What that rule says (`keyOf` in rules.ts). Absent = no rule answered. */
  readonly rule?: string | undefined;
  /** The id of the reply: the same one once more is not a second answer. */
  readonly reply: string;
  readonly word: string;
  /** What the person wrote behind the word; absent = nothing. */
  readonly text?: string | undefined;
  readonly at: WallMs;
  /** What came of it, in a sentence; null = not known yet. */
  readonly outcome: string | null;
}

/** What a channel heard. Its channel proved the caller: by the secret of its message, or by an account. */
export interface Said {
  readonly id: string;
  readonly from: string;
  readonly number: number;
  readonly word: string;
  /** What stands behind the word; empty = nothing. */
  readonly text: string;
}

/** `again`: this very reply was taken before. `text`: its option takes none, needs one, or takes no text so long. */
export type Ruling = 'take' | 'again' | 'not_allowed' | 'not_offered' | 'text' | 'over';

/** The number of a question as messages say it, and as `town answer` takes it. No number of the lists at the desk has a letter. */
export const askName = (number: number): string => `q${String(number)}`;

export const channelOfCaller = (from: string): string => from.split(':', 1)[0] ?? '';

type Asked = Pick<Ask, 'kind' | 'tags'>;

const fits = ({ kinds, tag }: MayAnswer, ask: Asked): boolean =>
  kinds.includes(ask.kind) && (tag === null || ask.tags.includes(tag));
/** Words of cases are written in capitals. */
const names = ({ options }: MayAnswer, { word, isGrave }: Pick<AskOption, 'word' | 'isGrave'>): boolean =>
  options.some((one) => (one === '*' && isGrave !== true) || one.toLowerCase() === word);

export const isAlways = ({ word }: Pick<AskOption, 'word'>): boolean => word === ALWAYS;
/** Whether an option is offered where the configuration names these words: what answers later questions has to be named. */
export const isOfferedBy = (named: readonly string[]): ((option: Pick<AskOption, 'word'>) => boolean) => {
  const isNamed = named.some((one) => one.toLowerCase() === ALWAYS);
  return (option) => isNamed || !isAlways(option);
};

/** Those of these options that some caller of the channel may choose. */
export function optionsFor<Option extends Pick<AskOption, 'word' | 'isGrave'>>(
  channel: string,
  ask: Asked & { readonly options: readonly Option[] },
  rules: readonly MayAnswer[],
): readonly Option[] {
  const ours = rules.filter((one) => channelOfCaller(one.from) === channel && fits(one, ask));
  return ask.options.filter((option) => ours.some((one) => names(one, option)));
}

/** Its reader may think of another one by now. */
export const isLate = ({ at }: Pick<Ask, 'at'>, now: WallMs): boolean => Math.abs(now - at) > ANSWERS.expiresMs;

/** `ask`: the one of the number that was said; undefined = there is none. */
export function rulingOn(ask: Ask | undefined, said: Said, rules: readonly MayAnswer[], now: WallMs): Ruling {
  const known = rules.filter(({ from }) => from === said.from);
  if (ask === undefined) return known.length === 0 ? 'not_allowed' : 'over';
  const ours = known.filter((one) => fits(one, ask));
  if (ours.length === 0) return 'not_allowed';
  if (ask.answer?.reply === said.id || ask.ungiven?.includes(said.id) === true) return 'again';
  if (ask.answer !== null || ask.isOver || isLate(ask, now)) return 'over';
  const option = ask.options.find(({ word }) => word === said.word);
  if (option === undefined) return 'not_offered';
  if (!ours.some((one) => names(one, option))) return 'not_allowed';
  const isTextWrong = said.text === '' ? option.text === 'must' : option.text === undefined;
  return isTextWrong || said.text.length > ANSWERS.maxChars ? 'text' : 'take';
}

/** An agent in the channel of IRC: a line under this nick there is the agent's. */
export interface Nick {
  readonly agent: string;
  readonly nick: string;
}

/** Of `[tickle] nicks`: `builder`, or `shop/nux=nux` where the nick is another. */
export const nicksIn = (texts: readonly string[]): readonly Nick[] =>
  texts.map((text) => {
    const at = text.indexOf('=');
    const [agent, nick] = at < 0 ? [text, text] : [text.slice(0, at), text.slice(at + 1)];
    return { agent: agent.trim(), nick: nick.trim() };
  });
