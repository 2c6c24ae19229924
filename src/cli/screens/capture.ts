/** Captures of screens as people hand them over: a file, or stdin. Read whole, never endlessly, and refused where they are no text. */
import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { codeOf } from '../../../state/files/disk.ts';
import { STATE } from '../../../state/files/policy.ts';
import { cursorIn, readRecorded, sizeIn, type Recorded } from '../../screen/picture.ts';
import type { Picture } from '../../screen/screen.ts';
import { isBlank, plain } from '../../screen/text.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from '../naming/names.ts';

/** What a person says of a picture; it outranks what the file says of itself. */
export interface PictureOptions {
  readonly size?: string | undefined;
  readonly cursor?: string | undefined;
  readonly alternate?: boolean | undefined;
  readonly title?: string | undefined;
  readonly lineMode?: boolean | undefined;
}

export interface Capture extends Recorded {
  /** Rows of the terminal; null = not known. */
  readonly height: number | null;
}

const wrong = (text: string): Failure => new Failure(EXIT.usage, 'bad_capture', text);

/** `-` = stdin. Throws Failure (2) with one sentence. */
export async function readCapture(file: string, options: PictureOptions): Promise<Capture> {
  const recorded = readRecorded(textOf(await bytesOf(file), nameOf(file)));
  const { picture, head } = recorded;
  const size = given(options.size, '--size', '120x40', realSize) ?? sizeIn(head.get('size') ?? '');
  const cursor = given(options.cursor, '--cursor', '2,36', cursorIn) ?? picture.cursor;
  if (size !== null && cursor !== null && (cursor.x > size.width || cursor.y >= size.height)) {
    const where = `${cursor.x},${cursor.y} is outside of ${size.width}x${size.height}`;
    throw wrong(`the cursor ${where}: x and y count from 0; write --size WxH and --cursor x,y of one terminal`);
  }
  return {
    head,
    height: size?.height ?? null,
    picture: {
      rows: size === null ? picture.rows : visible(picture.rows, size.height),
      width: size?.width ?? null,
      cursor,
      alternate: options.alternate ?? picture.alternate,
      title: options.title ?? picture.title,
      lineMode: options.lineMode ?? picture.lineMode,
      at: picture.at,
    },
  };
}

const realSize = (text: string): ReturnType<typeof sizeIn> => {
  const size = sizeIn(text);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
};

const nameOf = (file: string): string => (file === '-' ? 'stdin' : quoteName(file));

function given<T>(text: string | undefined, flag: string, like: string, read: (text: string) => T | null): T | null {
  if (text === undefined) return null;
  const value = read(text);
  if (value === null) throw wrong(`${flag} ${quoteName(text)} is none; write it as ${flag} ${like}`);
  return value;
}

/** A capture with its history ends with the visible rows; one more line end behind them is no row. */
function visible(rows: readonly string[], height: number): Picture['rows'] {
  let end = rows.length;
  while (end > height && isBlank(plain(rows[end - 1] ?? ''))) end -= 1;
  return rows.slice(Math.max(0, end - height), end);
}

async function bytesOf(file: string): Promise<Buffer> {
  if (file === '-' && process.stdin.isTTY)
    throw wrong(
      'stdin is a terminal: pipe a capture in, such as tmux capture-pane -p -e -t builder | town rules test - --agent claude',
    );
  try {
    if (file !== '-' && statSync(file).isDirectory()) throw wrong(`${nameOf(file)} is a folder; give a capture`);
    return await limited(file === '-' ? process.stdin : createReadStream(file), nameOf(file));
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : error.message;
    throw wrong(`${nameOf(file)} cannot be read (${why}); give a capture, or - for stdin`);
  }
}

async function limited(stream: AsyncIterable<unknown>, name: string): Promise<Buffer> {
  const most = STATE.maxRecordBytes;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part as Buffer);
    length += bytes.length;
    if (length > most)
      throw wrong(
        `${name} is no screen: it has more than ${most} bytes; capture one pane with tmux capture-pane -p -e`,
      );
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function textOf(bytes: Buffer, name: string): string {
  const what = bytes.includes(0) ? 'it has NUL bytes' : isUtf8(bytes) ? null : 'it is no UTF-8';
  if (what === null) return bytes.toString('utf8');
  throw wrong(`${name} is no text: ${what}; capture a pane with tmux capture-pane -p -e`);
}
