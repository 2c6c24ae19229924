/**
 * The words of a start that name its conversation or go on with it (M-11), by what a pack says of its program's options. Pure. A first
 * prompt in a command is given once: a life that goes on with a conversation hears why its last one ended instead, and a new
 * conversation that gets the same prompt once more hears with it that an earlier life had it.
 */
import type { ResumeWords } from '../screen/pack.ts';
import type { Word } from './env-words.ts';

export interface Named {
  readonly id: string;
  /** Why its last life ended; null = the conversation begins. */
  readonly why: string | null;
  /** A conversation that begins with a prompt that an earlier life had. */
  readonly isAgain?: boolean;
}

/** The command with those words after its program. A string = why it has none, as the end of a sentence; null = it chooses for itself. */
export function withConversation(
  command: readonly string[],
  words: ResumeWords,
  { id, why, isAgain = false }: Named,
): readonly Word[] | string | null {
  const [program = '', ...args] = command;
  const read = readWords(args, words);
  if (read === null || typeof read === 'string') return read;
  const filled = (why === null ? (words.first ?? []) : words.again).map((word) =>
    word.replaceAll('{id}', id).replaceAll('{why}', why === null ? '' : sentenceTo(why)),
  );
  if (why !== null) return [program, ...filled, ...read.kept];
  return [program, ...filled, ...args.map((word, at) => (isAgain && at === read.last ? { word, more: AGAIN } : word))];
}

/** The words of its first prompt as they stand in the command; none = it has none, or which they are is not known. */
export function promptIn([, ...args]: readonly string[], words: ResumeWords): readonly string[] {
  const read = readWords(args, words);
  return read === null || typeof read === 'string' ? [] : read.prompt;
}

/** What an agent hears that goes on with its conversation. */
export const sentenceTo = (why: string): string =>
  `Townwatch started you again (${why.replaceAll(/\s+/g, ' ')}). Go on with what you were doing.`;

/** Behind a first prompt that an earlier life had: a word in front of it would hide the command that it may begin with. */
const AGAIN = ' (Townwatch: an earlier life of this session began this. Look at what it did before you do anything.)';

type Takes = 'none' | 'one' | 'all' | 'prompt' | 'unknown';

/** What an option takes of the words behind it; `isWhole`: it has its value in itself. */
function takenBy(option: string, isWhole: boolean, { flags, values, prompts, lists }: ResumeWords): Takes {
  if (prompts.includes(option)) return 'prompt';
  if (isWhole || flags.includes(option)) return 'none';
  return values.includes(option) ? 'one' : lists.includes(option) ? 'all' : 'unknown';
}

interface Read {
  readonly kept: readonly string[];
  readonly prompt: readonly string[];
  /** Where the last word of the prompt stands; -1 = there is none. */
  readonly last: number;
}

/** The words of a first prompt, and the others. */
function readWords(args: readonly string[], words: ResumeWords): Read | string | null {
  const { own, commands, prompt_is_bare: isBare } = words;
  const kept: string[] = [];
  const prompt: string[] = [];
  let takes: Takes = 'none';
  let option = '';
  let last = -1;
  for (const [at, word] of args.entries()) {
    if (word === '--') {
      const rest = args.slice(at + 1);
      if (rest.length > 0 && isBare) return { kept, prompt: [...prompt, ...rest], last: args.length - 1 };
      return { kept: [...kept, ...args.slice(at)], prompt, last };
    }
    if (takes === 'prompt') {
      takes = 'none';
      last = at;
      prompt.push(word);
      continue;
    }
    if (takes === 'one') takes = 'none';
    else if (word.startsWith('-')) {
      [option = ''] = word.split('=');
      if (own.includes(option)) return null;
      const isWhole = word !== option;
      takes = takenBy(option, isWhole, words);
      if (takes === 'prompt') {
        if (isWhole) {
          takes = 'none';
          last = at;
          prompt.push(word.slice(option.length + 1));
        }
        continue;
      }
    } else if (takes === 'unknown')
      return `whether ${JSON.stringify(word.slice(0, 40))} is a value of ${option} or a first prompt is not known`;
    else if (takes === 'none' && commands.includes(word)) return null;
    else if (takes === 'none' && isBare) {
      last = at;
      prompt.push(word);
      continue;
    }
    kept.push(word);
  }
  return { kept, prompt, last };
}
