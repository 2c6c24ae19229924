/** What one conversation took, read on where its program tells it: from files that grow, or from its server. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { growingFile, type GrowingFile } from '../../state/files/growing-file.ts';
import { patientFile, type PatientFile } from '../../state/files/patient-file.ts';
import type { Books } from '../sources/port.ts';
import { claudeLines } from './claude.ts';
import { codexLines } from './codex.ts';
import { isLeft, type Budget, type Meter } from './meter.ts';
import { opencodeMeter } from './opencode.ts';
import { COSTS } from './policy.ts';
import { combineParts, Tally, type Counted } from './tally.ts';

export function meterOf(books: Books): Meter {
  switch (books.program) {
    case 'claude':
      return filesMeter(claudeLines, claudeParts());
    case 'codex':
      return filesMeter(codexLines, (now) => Promise.resolve(now.program === 'codex' ? now.files : []));
    case 'opencode':
      return opencodeMeter();
  }
}

type LinesOf = (tally: Tally) => (bytes: Buffer) => void;
/** The files of a conversation, that of the agent first; null = they cannot be told. `hasGrown`: since they were asked for last. */
type FilesOf = (books: Books, hasGrown: boolean) => Promise<readonly string[] | null>;

interface Part {
  readonly file: GrowingFile;
  readonly counted: () => Counted;
  isWhole: boolean;
}

function filesMeter(linesOf: LinesOf, filesOf: FilesOf): Meter {
  const parts = new Map<string, Part>();
  let counted: Counted | null = null;
  let hasGrown = true;
  return {
    get counted() {
      return counted;
    },
    look: async (books, budget) => {
      const files = await filesOf(books, hasGrown);
      if (files === null) {
        counted = null;
        return;
      }
      hasGrown = false;
      for (const path of files) {
        const part = parts.get(path) ?? partOf(path, linesOf);
        parts.set(path, part);
        if ((await readOn(part, budget)) === 'grown') hasGrown = true;
      }
      const read = files.map((path) => parts.get(path)).filter((part) => part !== undefined);
      // A part that is still being read keeps the sums that were known before.
      if (hasGrown && read.every(({ isWhole }) => isWhole)) counted = combineParts(read.map((part) => part.counted()));
      if (read[0]?.isWhole === false) counted = null;
    },
  };
}

function partOf(path: string, linesOf: LinesOf): Part {
  let tally = new Tally();
  let take = linesOf(tally);
  const anew = (): void => {
    tally = new Tally();
    take = linesOf(tally);
  };
  const file = growingFile(path, COSTS.sliceBytes, { line: (bytes) => take(bytes), anew });
  return { file, counted: () => tally.counted, isWhole: false };
}

const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function readOn(part: Part, budget: Budget): Promise<'grown' | 'same'> {
  for (let isFirst = true; ; isFirst = false) {
    // One that is read already is asked for news even where nothing is left to read by.
    if (!isLeft(budget) && !(part.isWhole && isFirst)) return 'same';
    const before = part.file.bytesRead;
    const growth = await part.file.read();
    if (growth === 'same' && part.isWhole) return isFirst ? 'same' : 'grown';
    budget.bytes -= part.file.bytesRead - before;
    part.isWhole = growth === 'end' || growth === 'same';
    if (growth !== 'more') return 'grown';
    // The town has other things to do between two slices.
    await pause();
  }
}

/** Agents of an agent of Claude Code write beside its transcript: `<id>/subagents/agent-….jsonl`. */
function claudeParts(): FilesOf {
  let parts: readonly string[] | null = [];
  let looks = 0;
  let place: PlaceOfParts | null = null;
  return async (books, hasGrown) => {
    if (books.program !== 'claude') return [];
    if (place?.transcript !== books.file) place = placeOfParts(books.file);
    // One that begins is called before, so that a transcript without news has no new one soon.
    if (hasGrown) looks = COSTS.partLooks;
    if (looks > 0) parts = await partsIn(place);
    looks -= 1;
    return parts && [books.file, ...parts];
  };
}

interface PlaceOfParts {
  readonly transcript: string;
  readonly folder: string;
  /** Both. */
  readonly stands: { readonly transcript: PatientFile; readonly folder: PatientFile };
}

function placeOfParts(transcript: string): PlaceOfParts {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  const own = patientFile(transcript);
  return { transcript, folder, stands: { transcript: own, folder: patientFile(folder, own) } };
}

/** Most conversations have no such folder. */
async function partsIn({ folder, stands }: PlaceOfParts): Promise<readonly string[] | null> {
  await stands.transcript.stat().catch(() => null);
  if ((await stands.folder.stat().catch(() => null)) === null) return [];
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.jsonl')).sort();
  return files.length > COSTS.maxParts ? null : files.map((name) => join(folder, name));
}
