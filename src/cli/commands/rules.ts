/** `town rules …`: what the packs say of a screen, which packs there are, and what is wrong with a person's own. Needs no town. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/errors.ts';
import { nearest } from '../../terminal/nearest.ts';
import { PackError, Packs, packsFolder, readPack } from '../../screen/packs.ts';
import { readScreen } from '../../screen/read.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';
import { clean, note, table } from '../../terminal/print.ts';
import { readCapture, type Capture, type PictureOptions } from '../screens/capture.ts';
import { linesOf, packText, readingLines, readingOf, type Judge, type Line } from '../screens/reading.ts';
import { times } from '../../../machines/kernel/span.ts';

export interface TestOptions extends PictureOptions {
  readonly agent?: string | undefined;
}

/** Judges a capture. Throws Failure (2) for what is no capture, and for an agent that no pack knows. */
export async function test(context: Context, file: string, options: TestOptions): Promise<void> {
  const packs = new Packs({ folder: packsFolder(context.root), refused: note });
  const asked = options.agent === undefined ? null : packCalled(packs, options.agent);
  const capture = await readCapture(file, options);
  const judge = asked ?? packCalled(packs, recordedAgent(packs, capture));
  const reading = readingOf(judge, readScreen(judge.pack, capture.picture));
  const { picture, head, height } = capture;
  const recorded = head.get('state') ?? null;
  const shown = {
    size: picture.width === null || height === null ? null : { width: picture.width, height },
    cursor: picture.cursor,
    alternate: picture.alternate,
    title: clean(picture.title),
    line_mode: picture.lineMode,
  };
  const data = { ...reading, ...shown, recorded_state: recorded && clean(recorded) };
  context.answerPlain('rules-test', data, () =>
    linesOf([
      ...readingLines(reading),
      ['pack', packText(reading)],
      ...recordedLine(data.recorded_state, reading.state),
    ]),
  );
}

const recordedLine = (recorded: string | null, state: string): Line[] =>
  recorded === null
    ? []
    : [['recorded', recorded === state ? `${recorded}, as it is read` : `${recorded}, which differs`]];

function packCalled(packs: Packs, word: string): Judge {
  const name = packs.called(word);
  if (name !== null) {
    const pack = packs.named(name);
    if (pack.name === name) return { pack, source: packs.fileOf(name) };
  }
  // Its own file, if it has one, was refused with a sentence.
  const known = packs.names().filter((one) => one !== name);
  const near = nearest(word, known);
  const text = `no pack is called ${quoteName(word)}${near === null ? '' : `; did you mean ${near}?`}`;
  const why = `${text} (there are ${known.join(', ')}; generic is for any other program)`;
  throw new Failure(EXIT.usage, 'unknown_agent', why);
}

function recordedAgent(packs: Packs, { head }: Capture): string {
  const agent = head.get('agent');
  if (agent !== undefined) return agent;
  const known = packs.names().join(', ');
  const text = `the capture does not name its program; write --agent A (there are ${known})`;
  throw new Failure(EXIT.usage, 'no_agent', text);
}

/** Every pack as it judges. A person's unreadable pack is reported on stderr. */
export function list(context: Context): Promise<void> {
  const packs = new Packs({ folder: packsFolder(context.root), refused: note });
  const views = packs.names().flatMap((name) => {
    const source = packs.fileOf(name);
    if (source === null) return [];
    const { label, complete } = packs.named(name);
    return [{ name, label: clean(label), whose: source.whose, complete, file: source.file }];
  });
  const columns = ['NAME', 'PROGRAM', { head: 'WHOSE', drop: 2 }, { head: 'COMPLETE', drop: 1 }, 'FILE'];
  const row = ({ name, label, whose, complete, file }: (typeof views)[number]): string[] => [
    name,
    label,
    whose,
    complete ? 'yes' : 'no',
    whose === 'yours' ? file : '',
  ];
  context.answer('rules', views, () => table(columns, views.map(row)));
  return Promise.resolve();
}

/** Throws ConfigError (2) with every mistake of every file. */
export function check(context: Context, files: readonly string[]): Promise<void> {
  const folder = packsFolder(context.root);
  const chosen = files.length > 0 ? files : ownPacks(folder);
  const mistakes = chosen.flatMap(mistakesOf);
  if (mistakes.length > 0) throw new ConfigError('bad_pack', mistakes);
  context.answer('rules-check', { ok: true, folder, files: chosen }, () => {
    if (chosen.length === 0) return `there is no pack of yours in ${folder}; town rules list shows the shipped ones`;
    return `${times(chosen.length, 'pack is', 'packs are')} right: ${chosen.map((file) => clean(file)).join(', ')}`;
  });
  return Promise.resolve();
}

function ownPacks(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.toml'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return []; // A person without packs of their own.
  }
}

function mistakesOf(file: string): readonly string[] {
  try {
    readPack(file);
    return [];
  } catch (error) {
    if (error instanceof PackError) return error.mistakes;
    throw error;
  }
}
