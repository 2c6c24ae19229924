/** Screens of real programs as they were recorded, with what they show: `recorded/<agent>/<scene>-<size>.txt`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecorded } from '../../src/screen/picture.ts';
import type { Picture } from '../../src/screen/screen.ts';

const FOLDER = join(import.meta.dirname, 'recorded');

export interface RecordedScreen {
  readonly name: string;
  readonly agent: string;
  readonly state: string;
  readonly picture: Picture;
}

export function recordedScreens(): RecordedScreen[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => {
      const { picture, head } = readRecorded(readFileSync(join(FOLDER, name), 'utf8'));
      return { name, agent: head.get('agent') ?? '', state: head.get('state') ?? '', picture };
    });
}
