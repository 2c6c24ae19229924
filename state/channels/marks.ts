/** Up to where the replies on each channel were heard, in its server's own words: daemon/replies.json, which only the channels' process changes. */
import { writeFiles } from '../files/atomic-write.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { Serial } from '../files/serial.ts';

const SCHEMA = 'replies/1';
const MAX_BYTES = 65_536;

type Marks = Readonly<Record<string, string>>;

function marksIn(text: string | null): Marks {
  try {
    const { schema, marks } = JSON.parse(text ?? 'null') as { readonly schema: unknown; readonly marks: object };
    const all = Object.entries(marks).filter((one): one is [string, string] => typeof one[1] === 'string');
    return schema === SCHEMA ? Object.fromEntries(all) : {};
  } catch {
    return {}; // It is no file of ours: the channels are heard from now on.
  }
}

export class ReplyMarks {
  readonly #disk: Disk;
  readonly #serial = new Serial();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** null = this channel was never heard. */
  async of(channel: string): Promise<string | null> {
    return (await this.#read())[channel] ?? null;
  }

  /** Durable when it resolves. */
  set(channel: string, mark: string): Promise<void> {
    return this.#serial.run(async () => {
      const text = `${JSON.stringify({ schema: SCHEMA, marks: { ...(await this.#read()), [channel]: mark } })}\n`;
      await writeFiles(this.#disk, [{ path: FILES.replies, text }]);
    });
  }

  async #read(): Promise<Marks> {
    return marksIn(await readIfReadable(this.#disk, FILES.replies, MAX_BYTES));
  }
}
