/** The mail of a witness, as its patrol sees it: each message read once, and whether what a MERGED names is merged. */
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { LetterSeen } from '../../machines/witness/observation.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { Mailbox, Received } from '../../state/mail/mailbox.ts';
import { fetchOrigin } from '../git/push.ts';
import { messageOf } from '../../state/mail/messages.ts';
import { commitOf, withGit } from '../rigs/repository.ts';
import type { Case } from '../rigs/yard.ts';
import { witnessOf } from './polecats.ts';

const COMMIT = /^[0-9a-f]{7,64}$/i;

type IsMerged = LetterSeen['isMerged'];

/** Whether each of these commits is in the main branch of the remote, after one look at the remote; without an answer nobody knows. */
async function mergedAmong({ rig }: Case, commits: readonly string[]): Promise<ReadonlyMap<string, IsMerged>> {
  if (commits.length === 0) return new Map();
  try {
    await fetchOrigin({ gitDir: rig.commonDir, cwd: rig.repo });
    return await withGit(rig, async ({ repo }) => {
      const main = await commitOf(repo, 'refs/remotes/origin/HEAD');
      if (main === null) return new Map();
      const said = await repo.run(['cat-file', '--batch-check=%(objectname)'], linesOf(commits, '^{commit}'));
      const names = new Map(said.split('\n').flatMap((line, at) => (FULL.test(line) ? [[commits[at], line]] : [])));
      const left = await repo.run(['rev-list', '--stdin'], `^${main}\n${linesOf([...names.values()])}`);
      const unmerged = new Set(left.split('\n'));
      return new Map(
        commits.map((commit) => {
          const name = names.get(commit);
          return [commit, name !== undefined && !unmerged.has(name) ? 'yes' : 'no'];
        }),
      );
    });
  } catch {
    return new Map();
  }
}
const FULL = /^[0-9a-f]{40,64}$/;
const linesOf = (words: readonly (string | undefined)[], end = ''): string =>
  words.map((word) => `${word}${end}\n`).join('');

/** What a polecat writes of itself. */
const OWN: ReadonlySet<string | undefined> = new Set(['POLECAT_STARTED', 'POLECAT_DONE', 'LIFECYCLE', 'HELP']);

interface Reading {
  readonly at: Case;
  readonly ledger: Ledger;
  readonly polecats: ReadonlyMap<string, PolecatRecord>;
  readonly merged: ReadonlyMap<string, IsMerged>;
}

async function letterSeen({ at, ledger, polecats, merged }: Reading, mail: Received): Promise<LetterSeen> {
  const { id, from, subject, body } = mail;
  const message = messageOf(mail);
  const named = polecats.get(message?.polecat ?? '');
  const told = message === null ? await ledger.newestEvidence(witnessOf(at.rig.name, `mail/${id}`)) : null;
  return {
    ...{ id, from, subject, body, message, wasTold: told !== null },
    // Written by another polecat of the name; what others write of its work stays true.
    isStale: OWN.has(message?.type) && named !== undefined && Date.parse(mail.sent_at) < named.at,
    isMerged: (message?.type === 'MERGED' && merged.get(message.commit ?? '')) || 'unknown',
  };
}

/** The oldest first. */
export async function lettersOf(
  at: Case,
  {
    ledger,
    box,
    polecats,
    heir,
  }: {
    readonly ledger: Ledger;
    readonly box: Mailbox;
    readonly polecats: readonly PolecatRecord[];
    /** An agent reads here what its last life left to it: that stays until it did. */
    readonly heir: boolean;
  },
): Promise<LetterSeen[]> {
  const isKept = (mail: Received): boolean => heir && mail.box === 'new' && messageOf(mail)?.type === 'HANDOFF';
  const mails = (await box.inbox()).filter((mail) => !isKept(mail));
  const commits = mails.flatMap((mail) => {
    const message = messageOf(mail);
    return message?.type === 'MERGED' && COMMIT.test(message.commit ?? '') ? [message.commit ?? ''] : [];
  });
  const merged = await mergedAmong(at, [...new Set(commits)]);
  const reading = { at, ledger, merged, polecats: new Map(polecats.map((one) => [one.name, one])) };
  const found: LetterSeen[] = [];
  for (const mail of mails) found.push(await letterSeen(reading, mail));
  return found;
}
