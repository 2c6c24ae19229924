/** Who hears replies in a test, and what they heard. */
import type { MayAnswer } from '../../machines/channels/answers.ts';
import { earsOf } from '../../src/channels/make.ts';
import type { Ear, Heard, Mention, Spoken } from '../../src/channels/port.ts';
import { Replies } from '../../src/channels/replies.ts';
import type { ChannelSettings } from '../../src/channels/settings.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { ReplyMarks } from '../../state/channels/marks.ts';
import { realDisk } from '../../state/files/disk.ts';
import { tempFolder, whenOver } from '../world/over.ts';

export interface Listens {
  readonly settings: ChannelSettings;
  readonly rules: readonly MayAnswer[];
  readonly key: string;
}

/** As the process of the channels listens, with its marks in `root`. */
export class Listener {
  readonly heard: Heard[] = [];
  readonly mentioned: Mention[] = [];
  readonly spoken: Spoken[] = [];
  take: (heard: Heard) => Promise<void> = () => Promise.resolve();
  readonly replies: Replies;
  readonly marks: ReplyMarks;
  readonly stop = new AbortController();
  readonly root: string;

  constructor({ settings, rules, key }: Listens, root = tempFolder('replies')) {
    this.root = root;
    const disk = realDisk(root, 1);
    this.marks = new ReplyMarks(disk);
    this.replies = new Replies({
      ears: earsOf(settings, rules),
      marks: this.marks,
      key,
      clock: systemClock,
      take: async (heard) => {
        await this.take(heard);
        this.heard.push(heard);
      },
      mentioned: (mention) => Promise.resolve(void this.mentioned.push(mention)),
      spoke: (spoken) => void this.spoken.push(spoken),
      log: () => undefined,
    });
    whenOver(() => this.stop.abort());
    void disk.mkdir('daemon').then(() => this.replies.run(this.stop.signal));
  }

  get words(): string[] {
    return this.heard.map(({ number, word }) => `${String(number)} ${word}`);
  }
}

/** One connection of an ear. */
export function hearOn(ear: Ear) {
  const heard: Heard[] = [];
  const mentioned: Mention[] = [];
  const spoken: Spoken[] = [];
  const stop = new AbortController();
  whenOver(() => stop.abort());
  const up = Promise.withResolvers<undefined>();
  const ended = ear.listen({
    since: '0',
    hear: (_, one) => {
      if (one !== null) heard.push(one);
      return Promise.resolve();
    },
    mentioned: (one) => Promise.resolve(void mentioned.push(one)),
    spoke: (one) => void spoken.push(one),
    up: () => up.resolve(undefined),
    signal: stop.signal,
  });
  ended.catch(() => undefined);
  const said = (): string[] => heard.map(({ from, number, word }) => `${from} ${String(number)} ${word}`);
  return { up: up.promise, ended, said, heard, mentioned, spoken, stop };
}
