/** `town refinery`: the program that merges what a rig's witness hands over, as the rig's refinery or by the operator's hand. */
import { AFTER_COPY, restoredAt } from '../../../state/process/restored.ts';
import { keepPullRequest } from '../../../state/rigs/pull-requests.ts';
import { keepWaitingMerges } from '../../../state/rigs/waiting-merges.ts';
import { refineryAddress } from '../../../machines/rigs/names.ts';
import { boxAt } from '../../patrols/witness/post.ts';
import { createProcesses } from '../../proc/processes.ts';
import { readsMerging } from '../../refinery/merging-now.ts';
import { refineAll } from '../../refinery/refinery.ts';
import { refineryDenied, type Caller } from '../../socket/permission.ts';
import { ownerTrouble } from '../../rigs/owner.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, say } from '../../terminal/print.ts';
import { wakeTown } from '../asking/notes.ts';
import { tellPerson } from '../asking/person.ts';
import { OVERSEER } from '../asking/post.ts';
import { withLedger } from '../asking/ledger.ts';
import { rigNamed, yardOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { actForTown, signWords, unlessDenied, whoCalls } from '../naming/caller.ts';
import { untilEnded } from '../until-ended.ts';

/** The rig of the calling session; the operator names one. */
function rigOf(caller: Caller, named: string | undefined): string {
  const own =
    caller.is === 'agent' ? caller.spec.tags.find((tag) => tag.startsWith('rig:'))?.slice('rig:'.length) : null;
  const rig = named ?? own;
  if (rig !== null && rig !== undefined) return rig;
  throw new Failure(EXIT.usage, 'no_rig', 'which rig? write `town refinery <rig>`');
}

/** Runs until it is ended by a signal, or its rig is removed. In the session that the town starts it ends once town.toml names no refinery. */
export async function refinery(context: Context, named: string | undefined): Promise<void> {
  const caller = await whoCalls(context);
  const rig = rigOf(caller, named);
  unlessDenied(refineryDenied(caller, rig));
  actForTown();
  const yard = await yardOf(context);
  await rigNamed(yard.records, rig);
  const disk = await context.disk();
  const post = { disk, note: yard.note };
  const lock = await yard.records.lock(yard.root, `${rig}.refinery`);
  if (lock === null)
    throw new Failure(EXIT.refused, 'refinery_runs', `a refinery of ${rig} runs already; see \`town session list\``);
  const own = { cancelled: untilEnded(), at: pane(rig) };
  try {
    await refineAll({
      ...own,
      of: rig,
      root: yard.root,
      processes: createProcesses(),
      standingIn: yard.standingIn,
      box: boxAt(post, refineryAddress(rig)),
      desk: {
        rig,
        witness: boxAt(post, `${rig}/witness`),
        person: boxAt(post, OVERSEER),
        sign: (words) => signWords(caller, { ...words, from: refineryAddress(rig) }),
        tell: (letter) => tellPerson(context, boxAt(post, OVERSEER), letter),
        now: yard.wall,
      },
      record: () => yard.records.rig(rig),
      merging: readsMerging(rig, caller.is === 'agent', () => context.exactSettings()),
      titleOf: (bead) => withLedger(context, async (ledger) => (await ledger.beads([bead]))[0]?.title ?? null),
      held: async () => {
        if ((await restoredAt(disk)) !== null) return AFTER_COPY;
        const record = await yard.records.rig(rig);
        return record && ownerTrouble({ rig: record, yard });
      },
      keepPullRequest: ({ bead, polecat }, { work: { branch, commit }, url }) =>
        keepPullRequest(disk, { rig, of: bead ?? polecat ?? branch, branch, commit, url, at: yard.wall() }),
      keepWaiting: (waits) => keepWaitingMerges(disk, { rig, waits: [...waits] }),
      wake: () => wakeTown(context, 'mail'),
      say: (text) => say(clean(text)),
    });
  } finally {
    lock.release();
  }
}

/** Says what it is at: in its pane whenever that changes, and to each line that is typed there, so that a question has an answer. */
function pane(rig: string): (text: string) => void {
  let now = '';
  const show = (): void => say(clean(`refinery of ${rig}: ${now}`));
  if (process.stdin.isTTY) process.stdin.on('data', show).unref();
  return (text) => {
    if (text === now) return;
    now = text;
    show();
  };
}
