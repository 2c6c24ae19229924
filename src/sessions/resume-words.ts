/**
 * The words of a start that name its conversation or go on with it (M-11), by what a pack says of its program's options. Pure. A first
 * prompt in a command is given once: a life that goes on with a conversation hears why its last one ended instead.
 */
import type { ResumeWords } from '../screen/pack.ts';

export interface Named {
  readonly id: string;
  /** Why its last life ended; null = the conversation begins. */
  readonly why: string | null;
}

/** The command with those words after its program. A string = why it has none, as the end of a sentence; null = it chooses for itself. */
export function withConversation(
  command: readonly string[],
  words: ResumeWords,
  { id, why }: Named,
): readonly string[] | string | null {
  const [program = '', ...args] = command;
  const read = readWords(args, words);
  if (read === null || typeof read === 'string') return read;
  const filled = (why === null ? (words.first ?? []) : words.again).map((word) =>
    word.replaceAll('{id}', id).replaceAll('{why}', why === null ? '' : sentenceTo(why)),
  );
  return [program, ...filled, ...(why === null ? args : read.kept)];
}

/** The words of its first prompt as they stand in the command; none = it has none, or which they are is not known. */
export function promptIn([, ...args]: readonly string[], words: ResumeWords): readonly string[] {
  const read = readWords(args, words);
  return read === null || typeof read === 'string' ? [] : read.prompt;
}

/** What an agent hears that goes on with its conversation. */
export const sentenceTo = (why: string): string =>
  `Townwatch started you again (${why.replaceAll(/\s+/g, ' ')}). Go on with what you were doing.`;

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
}

/** The words of a first prompt, and the others. */
function readWords(args: readonly string[], words: ResumeWords): Read | string | null {
  const { own, commands, prompt_is_bare: isBare } = words;
  const kept: string[] = [];
  const prompt: string[] = [];
  let takes: Takes = 'none';
  let option = '';
  for (const [at, word] of args.entries()) {
    if (word === '--') {
      const rest = args.slice(at + 1);
      if (rest.length > 0 && isBare) return { kept, prompt: [...prompt, ...rest] };
      return { kept: [...kept, ...args.slice(at)], prompt };
    }
    if (takes === 'prompt') {
      takes = 'none';
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
          prompt.push(word.slice(option.length + 1));
        }
        continue;
      }
    } else if (takes === 'unknown')
      return `whether ${JSON.stringify(word.slice(0, 40))} is a value of ${option} or a first prompt is not known`;
    else if (takes === 'none' && commands.includes(word)) return null;
    else if (takes === 'none' && isBare) {
      prompt.push(word);
      continue;
    }
    kept.push(word);
  }
  return { kept, prompt };
}
