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

/** Whether a commit is in the main branch of the remote, after a look at the remote; without an answer nobody knows. */
async function isMerged({ rig }: Case, commit: string | null): Promise<LetterSeen['isMerged']> {
  if (commit === null || !COMMIT.test(commit)) return 'unknown';
  const asked = await fetchOrigin({ gitDir: rig.commonDir, cwd: rig.repo }).then(
    () => true,
    () => false,
  );
  if (!asked) return 'unknown';
  return withGit(rig, async ({ repo }) => {
    const main = await commitOf(repo, 'refs/remotes/origin/HEAD');
    if (main === null) return 'unknown';
    if ((await commitOf(repo, commit)) === null) return 'no';
    const left = await repo.run(['rev-list', '--max-count=1', commit, '--not', main]);
    return left.trim() === '' ? 'yes' : 'no';
  }).catch(() => 'unknown');
}

async function letterSeen(
  at: Case,
  ledger: Ledger,
  mail: Received,
  polecats: readonly PolecatRecord[],
): Promise<LetterSeen> {
  const { id, from, subject, body, incarnation } = mail;
  const message = messageOf(mail);
  const named = polecats.find(({ name }) => name === message?.polecat);
  const told = message === null ? await ledger.newestEvidence(witnessOf(at.rig.name, `mail/${id}`)) : null;
  return {
    ...{ id, from, subject, body, message, wasTold: told !== null },
    // Written by another polecat of the name.
    isStale: incarnation !== undefined && named !== undefined && Date.parse(mail.sent_at) < named.at,
    isMerged: message?.type === 'MERGED' ? await isMerged(at, message.commit) : 'unknown',
  };
}

/** The oldest first. */
export async function lettersOf(
  at: Case,
  {
    ledger,
    box,
    polecats,
  }: { readonly ledger: Ledger; readonly box: Mailbox; readonly polecats: readonly PolecatRecord[] },
): Promise<LetterSeen[]> {
  const found: LetterSeen[] = [];
  for (const mail of await box.inbox()) found.push(await letterSeen(at, ledger, mail, polecats));
  return found;
}
