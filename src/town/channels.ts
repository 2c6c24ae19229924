/** The process of the channels, and the answers that come by it, over the real ports. */
import { AskBook } from '../../state/channels/asks.ts';
import { Spool } from '../../state/channels/spool.ts';
import { Asks } from '../channels/asks.ts';
import { ChannelsProcess } from '../channels/child.ts';
import { askKeyOf } from '../channels/proof.ts';
import { channelsCommand } from '../guard/launch.ts';
import { dialogNow, type AnswerDeps } from '../hearings/dialog-now.ts';
import type { HandsNeeds } from '../host/hands-needs.ts';

export interface Channels {
  readonly process: ChannelsProcess;
  readonly asks: Asks;
}

/** `secret`: of the root. */
export async function channelsOf(needs: HandsNeeds, secret: string, eyes: AnswerDeps): Promise<Channels> {
  const { settings, host, store, quarantine, announce } = needs;
  const { mayAnswer: rules } = settings;
  const log = (text: string): void => host.logger.warn(text);
  const book = new AskBook({ disk: host.disk, quarantine });
  const spool = new Spool(host.disk);
  const key = rules.length === 0 ? '' : askKeyOf(secret, await book.salt());
  const asks = new Asks({
    book,
    rules,
    key,
    request: host.ask,
    dialogNow: async (session) => {
      const { incarnation = null, spec } = (await store.session(session)) ?? {};
      const dialog = incarnation && (await dialogNow(eyes, incarnation));
      return dialog && { life: incarnation.uuid, tags: spec?.tags ?? [], dialog };
    },
    tell: (notice, of) => spool.add(notice, of, host.clock.wall()),
    clock: host.clock,
    log,
  });
  const take: Asks['take'] = (heard) => asks.take(heard);
  const orders = { ...settings, key };
  const child = { settings: orders, command: channelsCommand(), clock: host.clock, announce, log, take };
  return { process: new ChannelsProcess(child), asks };
}
