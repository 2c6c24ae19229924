/**
 * The journal as it has always been: the bytes of every kind of line, and what people are told of it, of an older town's lines and of
 * odd ones too. `-u` writes the files anew, which is a change of what is on disk or of what people read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { digestOf } from '../../src/journal/digest.ts';
import { KIND_NAMES, sentence } from '../../src/journal/lines.ts';
import { taleOf } from '../../src/journal/tale.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { STATE } from '../../state/files/policy.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { Journal, readJournal, type WrittenLine } from '../../state/journal.ts';
import { SimDisk } from '../world/disk.ts';
import { NOW } from '../state/make.ts';
import { STEPS } from './steps.ts';

const FOLDER = join(import.meta.dirname, 'golden');
const golden = (name: string): string => join(FOLDER, name);
const OLDER = readFileSync(golden('older.jsonl'), 'utf8');

async function read(text: string): Promise<WrittenLine[]> {
  const sim = new SimDisk();
  sim.put(`${FOLDERS.journal}/2026-01-01.jsonl`, text);
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(sim.mount())) lines.push(line);
  return lines;
}

/** What a town that takes these steps writes, each a second after the one before. */
async function written(): Promise<string> {
  const disk = new SimDisk().mount();
  await disk.mkdir(FOLDERS.journal);
  const wall = (): number => NOW;
  const quarantine = new Quarantine({ disk, wall, onRefused: ({ why }) => expect.fail(why) });
  const journal = new Journal({ disk, quarantine, policy: STATE });
  const chronicle = new Chronicle();
  for (const [i, step] of STEPS.entries()) {
    const lines = chronicle.lines({ ...step, wall: NOW + i * 1_000 });
    await journal.append(lines);
  }
  return (await disk.read(`${FOLDERS.journal}/2026-01-02.jsonl`, 1_000_000)) ?? '';
}

async function told(lines: readonly WrittenLine[]): Promise<string> {
  async function* again(): AsyncGenerator<WrittenLine> {
    yield* await Promise.resolve(lines);
  }
  const until = Date.parse(lines.at(-1)?.at ?? '') + 60_000;
  return [
    ...lines.map((line) => `${line.kind}: ${sentence(line)}`),
    '',
    'why',
    ...taleOf(lines).map(({ at, text }) => `${at} ${text}`),
    '',
    'report',
    JSON.stringify(await digestOf(again(), { since: 0, until, isDown: true }), null, 1),
  ].join('\n');
}

test('every kind of line has the bytes it always had, and is told as it always was', async () => {
  const text = await written();
  await expect(text).toMatchFileSnapshot(golden('lines.jsonl'));
  await expect(await told(await read(text))).toMatchFileSnapshot(golden('lines.txt'));
});

test('lines of an older town, torn, odd and unknown ones are told as they always were', async () => {
  await expect(await told(await read(OLDER))).toMatchFileSnapshot(golden('older.txt'));
});

test('of every kind that there is there is a line', async () => {
  const kinds = [...(await read(await written())), ...(await read(OLDER))].map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining([...KIND_NAMES]));
});
