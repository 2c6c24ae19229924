/** A spool on a real disk, and what delivers it. */
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { Delivery, type DeliveryNeeds } from '../../src/channels/delivery.ts';
import { channelOf } from '../../src/channels/make.ts';
import type { Channel } from '../../src/channels/port.ts';
import { channelsIn, type ChannelSettings } from '../../src/channels/settings.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { Spool } from '../../state/channels/spool.ts';
import { realDisk } from '../../state/files/disk.ts';
import { tempFolder, whenOver } from '../world/over.ts';
import { told } from './make.ts';

export class Office {
  readonly root = tempFolder('channels');
  readonly spool = new Spool(realDisk(this.root, 0));
  readonly logged: string[] = [];
  #added = 0;

  add(text: string, more: object = {}): Promise<void> {
    this.#added += 1;
    return this.spool.add(told(text, more), String(this.#added), Date.now() + this.#added);
  }

  deliver(channels: Record<string, Channel>, more: Partial<DeliveryNeeds> = {}): Delivery {
    const stop = new AbortController();
    whenOver(() => stop.abort());
    const delivery = new Delivery({
      spool: new Spool(realDisk(this.root, 1)),
      clock: systemClock,
      channels: new Map(Object.entries(channels)),
      routes: [],
      minute: () => 0,
      log: (text) => this.logged.push(text),
      perHour: NOTIFY.perHour,
      perHourInAll: NOTIFY.perHourInAll,
      peopleAt: () => Promise.resolve(new Set()),
      offer: () => Promise.resolve(null),
      mayAnswer: [],
      ...more,
    });
    void delivery.run(stop.signal);
    return delivery;
  }

  configured(settings: ChannelSettings): Delivery {
    return this.deliver(Object.fromEntries(channelsIn(settings).map((name) => [name, channelOf(name, settings)])));
  }
}

/** A channel of a test, which answers as it is told and keeps what it sent. */
export class Fake implements Channel {
  readonly sent: string[] = [];
  answer: () => Promise<string> = () => Promise.resolve('ok');

  async send({ text }: { readonly text: string }): Promise<string> {
    const said = await this.answer();
    this.sent.push(text);
    return said;
  }
}
