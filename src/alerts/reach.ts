/** What channels have the town do, where its tmux, its one queue of nudges and its mailboxes are (`TownRequest`). */
import { MAX_SUBJECT } from '../../machines/alerts/policy.ts';
import { isWatched } from '../../machines/sessions/state.ts';
import type { Reply, RequestOf, WallMs } from '../../machines/protocol.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import type { Disk } from '../../state/files/disk.ts';
import { Onlooker } from '../overview/onlooker.ts';
import { readSessions } from '../overview/records.ts';
import { Undelivered, type TownRequest, type Reach } from '../channels/port.ts';
import { BELL, osc9, writeToTerminals, type Terminals } from '../channels/terminals.ts';

export interface ReachNeeds extends Terminals {
  readonly disk: Disk;
  /** The tag of orchestrators. */
  readonly tag: string;
  /** As `town nudge` asks it; null = no town runs. */
  readonly nudge: (request: RequestOf<'nudge'>) => Promise<Reply | null>;
  readonly wall: () => WallMs;
  readonly log: (text: string) => void;
}

export const reachOf =
  (needs: ReachNeeds): Reach =>
  async (request) => {
    switch (request.do) {
      case 'ring':
        return `rang in ${await writeToTerminals(needs, BELL, { isBySsh: false })}`;
      case 'notify':
        return `written into ${await writeToTerminals(needs, osc9(request.text) + (request.isBySsh ? '' : BELL), request)}`;
      case 'nudge':
        return nudgeAll(needs, request.text);
      case 'mail':
        return mailTo(needs, request);
    }
  };

/** It counts where one has it: the others are told of what comes next. */
async function nudgeAll({ disk, tag, nudge }: ReachNeeds, text: string): Promise<string> {
  const records = (await readSessions(disk)).found.map(({ value }) => value);
  const names = records.filter((one) => isWatched(one) && one.spec.tags.includes(tag)).map(({ spec }) => spec.name);
  const typed: string[] = [];
  const faults: string[] = [];
  let isWaiting = false;
  for (const name of names) {
    const reply = await nudge({ verb: 'nudge', name, text, from: 'town', raw: false, atRest: true });
    if (reply?.ok === true) {
      typed.push(name);
      continue;
    }
    // One that is protected, or that the town has no words for, never comes to rest.
    isWaiting ||= reply === null || reply.exit === 1;
    faults.push(reply === null ? 'the town does not run' : reply.text);
  }
  if (typed.length > 0) return `typed to ${typed.join(', ')}`;
  const [why = `no session with the tag ${tag} lives`] = faults;
  throw new Undelivered(why, { isWaiting });
}

/** Once for each id. */
async function mailTo(
  { disk, log, wall }: ReachNeeds,
  { id, subject, body, isUrgent: urgent }: Extract<TownRequest, { do: 'mail' }>,
): Promise<string> {
  const letter = { id, from: 'town', subject: subject.slice(0, MAX_SUBJECT), body, via: 'town', urgent } as const;
  const box = new Mailbox({ disk, quarantine: new Onlooker(disk, log) }, 'mayor');
  await box.send({ ...letter, needs_response: false, sentAt: wall() });
  return 'it lies in the mailbox of mayor';
}
