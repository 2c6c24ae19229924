/** Screens of real programs as they were recorded, with what they show: `recorded/<agent>/<scene>-<size>.txt`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecorded } from '../../src/screen/picture.ts';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture, Screen } from '../../src/screen/screen.ts';

const FOLDER = join(import.meta.dirname, 'recorded');

export interface RecordedScreen {
  readonly name: string;
  readonly agent: string;
  readonly state: string;
  readonly picture: Picture;
}

const packs = new Packs();

/** A recorded screen as its pack reads it, whole or changed. */
export function read(name: string, change: (picture: Picture) => Picture = (picture) => picture): Screen {
  const { agent, picture } = recorded(`${name}.txt`);
  return readScreen(packs.named(agent), change(picture));
}

function recorded(name: string): RecordedScreen {
  const { picture, head } = readRecorded(readFileSync(join(FOLDER, name), 'utf8'));
  return { name, agent: head.get('agent') ?? '', state: head.get('state') ?? '', picture };
}

export const recordedScreens = (): RecordedScreen[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map(recorded);
