/**
 * Where the town's own questions stand for channels: alerts, letters, cases, escalations and gates. `town ask` shows them and takes the
 * answers, by their ids, also while a person answers the same one at the terminal.
 */
import { TOWN_KINDS, type AskOption } from '../../machines/channels/answers.ts';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { Reply } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Answered } from '../proc/ask-program.ts';
import { linesOf } from '../sources/question.ts';
import type { Place, Question } from '../channels/asks.ts';

export interface TownPlaceNeeds {
  /** Runs `town ask` with these words, for so long at most; it reads `input`. Never rejects. */
  readonly ask: (words: readonly string[], limitMs: number, input?: string) => Promise<Answered>;
  /** Of a session. */
  readonly tags: (session: string) => Promise<readonly string[]>;
}

type Fields = Readonly<Record<string, unknown>>;
const OVER = 3;

export const townPlace = ({ ask, tags }: TownPlaceNeeds): Place => ({
  limitMs: ANSWERS.showMs,
  now: async (of) => {
    const { ok, exit, out, says } = await ask(['show', '--json', '--', of], ANSWERS.showMs);
    if (!ok && exit === OVER) return null;
    const { data } = orNull(() => JSON.parse(out) as { readonly data?: Fields }) ?? {};
    if (!ok || data === undefined) throw new Error(says);
    const question = questionIn(data);
    if (question === null || question.session === null) return question;
    return { ...question, tags: await tags(question.session) };
  },
  answer: async ({ dialog }, { word }, { text: written, from }): Promise<Reply> => {
    // A person's words may be a secret, and others of the machine see the words of a command.
    const reads = written === '' ? [] : ['--file', '-'];
    const { ok, exit, says } = await ask(
      ['answer', `--by=${from}`, ...reads, '--', dialog, word],
      ANSWERS.decideMs,
      written,
    );
    if (ok) return { ok: true, value: { then: says } };
    const text = exit === null ? UNKNOWN : says.replace(/^town: /, '');
    return { ok: false, exit: exit === OVER || exit === ANOTHER ? exit : 1, code: 'not_answered', text };
  },
});
const ANOTHER = 5;
const UNKNOWN = 'the town did not say in time what came of it; see town questions';

/** null = it is a dialog, which is answered in its own place. */
function questionIn({ id, session, kind, text, shows: rows, options }: Fields): Question | null {
  const known = TOWN_KINDS.find((one) => one === kind);
  if (known === undefined || !Array.isArray(rows) || !Array.isArray(options)) return null;
  const { shows, whole } = linesOf(rows.map(String));
  return {
    id: String(id),
    session: typeof session === 'string' ? session : null,
    life: '',
    tags: [],
    kind: known,
    question: String(text),
    shows,
    whole,
    offers: options.flatMap((one: Fields) => (one['for_desk'] === true ? [] : [offerIn(one)])),
  };
}

function offerIn({ key, label, gives, text, by_name: isGrave }: Fields): AskOption & { readonly does: string } {
  const words = { word: String(key).toLowerCase(), label: String(label), does: String(gives) };
  const option = isGrave === true ? { ...words, isGrave: true as const } : words;
  return text === 'may' || text === 'must' ? { ...option, text } : option;
}
