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

const sentenceTo = (why: string): string =>
  `Townwatch started you again (${why.replaceAll(/\s+/g, ' ')}). Go on with what you were doing.`;

/** The words without a first prompt. */
function readWords(args: readonly string[], words: ResumeWords): readonly string[] | string | null {
  const { flags, values, lists, own, commands } = words;
  const kept: string[] = [];
  let takes: 'none' | 'one' | 'all' | 'unknown' = 'none';
  let option = '';
  for (const [at, word] of args.entries()) {
    if (word === '--') return kept.concat(args.slice(at + 1).length > 0 ? [] : [word]);
    if (takes === 'one') takes = 'none';
    else if (word.startsWith('-')) {
      [option = ''] = word.split('=');
      if (own.includes(option)) return null;
      const isWhole = word !== option || flags.includes(option);
      takes = isWhole ? 'none' : values.includes(option) ? 'one' : lists.includes(option) ? 'all' : 'unknown';
    } else if (takes === 'unknown')
      return `whether ${JSON.stringify(word.slice(0, 40))} is a value of ${option} or a first prompt is not known`;
    else if (takes === 'none' && commands.includes(word)) return null;
    else if (takes === 'none') continue;
    kept.push(word);
  }
  return kept;
}
