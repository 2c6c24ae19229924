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
  return [program, ...filled, ...(why === null ? args : read)];
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

/** The words without a first prompt. */
function readWords(args: readonly string[], words: ResumeWords): readonly string[] | string | null {
  const { own, commands, prompt_is_bare: isBare } = words;
  const kept: string[] = [];
  let takes: Takes = 'none';
  let option = '';
  for (const [at, word] of args.entries()) {
    if (word === '--') return kept.concat(args.slice(at + 1).length > 0 && isBare ? [] : args.slice(at));
    if (takes === 'prompt') {
      takes = 'none';
      continue;
    }
    if (takes === 'one') takes = 'none';
    else if (word.startsWith('-')) {
      [option = ''] = word.split('=');
      if (own.includes(option)) return null;
      const isWhole = word !== option;
      takes = takenBy(option, isWhole, words);
      if (takes === 'prompt') {
        if (isWhole) takes = 'none';
        continue;
      }
    } else if (takes === 'unknown')
      return `whether ${JSON.stringify(word.slice(0, 40))} is a value of ${option} or a first prompt is not known`;
    else if (takes === 'none' && commands.includes(word)) return null;
    else if (takes === 'none' && isBare) continue;
    kept.push(word);
  }
  return kept;
}
