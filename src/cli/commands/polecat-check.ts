/** `town polecat check`: runs the rig's `done_check` in a polecat's worktree, and keeps the result for its witness. */
import { addressOf, branchOf, wordsOf } from '../../../machines/rigs/names.ts';
import { dirtIn } from '../../../machines/rigs/worktree.ts';
import { noteBegan, noteCheck } from '../../patrols/witness/checks.ts';
import { createProcesses } from '../../proc/processes.ts';
import { checkDone } from '../../refinery/done-check.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { dirOf, lookIn } from '../../rigs/place.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { wakeTown } from '../asking/notes.ts';
import { polecatNamed } from '../asking/polecat.ts';
import { yardOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { untilEnded } from '../until-ended.ts';

export interface CheckOptions {
  readonly commit?: string;
}

export async function check(context: Context, text: string, options: CheckOptions): Promise<number> {
  await mustBeOperator(context, 'town polecat check');
  const yard = await yardOf(context);
  const { rig, record } = await polecatNamed(yard, text);
  const { doneCheck } = choicesOf(await context.settings(), rig);
  if (doneCheck === null) {
    const why = `[rig.${rig.name}] has no done_check; write done_check = "<command>" there`;
    throw new Failure(EXIT.refused, 'no_done_check', why);
  }
  const at = { yard, rig };
  const glance = { depth: 'glance', commonDir: rig.commonDir, branch: branchOf(record), base: record.base } as const;
  const looked = async () => {
    const facts = await lookIn(at, record, glance);
    return { head: facts.head, dirt: dirtIn(facts), changes: dirtIn({ ...facts, untracked: [] }) };
  };
  const commit = options.commit ?? (await looked()).head;
  const polecat = wordsOf(record);
  if (commit === null) {
    const text = `git shows no commit in ${polecat}'s worktree; see: town polecat git-state ${polecat}`;
    throw new Failure(EXIT.failed, 'no_commit', text);
  }
  const agent = addressOf(record);
  const disk = await context.disk();
  const processes = createProcesses();
  const own = orNull(() => processes.proc(process.pid));
  await noteBegan({ disk, now: Date.now() }, { agent, commit }, own);
  const env = {
    TOWN_RIG: rig.name,
    TOWN_BASE: record.main?.branch ?? '',
    TOWN_BRANCH: branchOf(record),
    TOWN_BEAD: record.bead ?? '',
    TOWN_POLECAT: record.name,
    TOWN_COMMIT: commit,
  };
  const runs = { root: yard.root, of: polecat, processes, cancelled: untilEnded() };
  const checked = await checkDone({ ...runs, ...doneCheck, dir: dirOf(at, record), commit, look: looked, env });
  await noteCheck({ disk, now: Date.now() }, { agent, commit, kind: checked.is, text: checked.text });
  await wakeTown(context, 'mail');
  context.answer(
    'polecat-checked',
    { polecat, commit, result: checked.is, text: checked.text },
    clean(checked.text, 'lines'),
  );
  return checked.is === 'passed' ? EXIT.done : EXIT.failed;
}
