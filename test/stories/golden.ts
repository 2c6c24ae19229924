/** Golden stories: text files in which what was told stands indented below each sentence, compared or written anew. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const isTold = (line: string): boolean => line.startsWith('    ');
/** Neither told, nor a title or a blank line. */
const isSentence = (line: string): boolean => line !== '' && !line.startsWith('#') && !isTold(line);

export const storiesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.txt'));
export const storyText = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
export const sentencesOf = (story: string): string[] => story.split('\n').filter(isSentence);

type Play = (sentence: string) => readonly string[] | Promise<readonly string[]>;

/** Plays each sentence of a story on a stage (what was told of it), and compares. */
export async function compareStory(folder: string, name: string, play: Play): Promise<void> {
  const story = storyText(folder, name);
  const lines: string[] = [];
  for (const line of story.split('\n').filter((one) => !isTold(one)))
    lines.push(line, ...(isSentence(line) ? await play(line) : []));
  const now = lines.join('\n');
  if (process.env['UPDATE_STORIES'] === '1') writeFileSync(join(folder, name), now);
  else expect(now).toBe(story);
}
