/** The verbs of `bd` that change something: update, close, reopen, dep, comments add, label, mol, gate check. */
import type { Command } from 'commander';
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { claim, close, hook, reopen, withoutDependency, type Change } from '../../../machines/ledger/changes.ts';
import type { BeadQuery } from '../../../state/ledger/port.ts';
import { changeBead, createBead } from '../../ledger/change.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { issueOfComment } from '../../ledger/issue.ts';
import { firstOf, openBlockers } from '../../ledger/walk.ts';
import { clean } from '../../terminal/print.ts';
import { addDependency, squashAs, updateBead, type UpdateOptions } from '../commands/bead-changes.ts';
import { checkIn, type CheckOptions } from '../commands/gates.ts';
import type { Context } from '../context.ts';
import { now, withLedger } from '../asking/ledger.ts';
import { collect, priority } from '../tree/shape.ts';
import { commas, issueCalled, line, notFound, bdFailure, type Answer, type Verb } from './asking.ts';
import { extraOf, withTexts, type Texts } from './create.ts';
import { changedIssue, wispOf } from './shapes.ts';

interface BdUpdate extends Texts, Omit<UpdateOptions, 'unset' | 'metadata'> {
  readonly claim?: boolean;
  readonly setMetadata: readonly string[];
  readonly unsetMetadata: readonly string[];
  readonly setLabels: readonly string[];
}

/** Throws Failure in the words of `bd`. */
function must(doing: string, bead: Bead, made: Change): Bead {
  if (made.ok) return made.bead;
  if (made.is !== 'taken') throw bdFailure(`Error ${doing} ${bead.id}: issue is ${bead.status}`);
  throw bdFailure(
    `Error ${doing} ${bead.id}: issue already ${doing === 'claiming' ? 'claimed' : 'hooked'} by ${made.by}`,
  );
}

/** No verb takes over a hook that another agent holds. */
function withOptions(bead: Bead, options: BdUpdate, by: string): Bead {
  const at = now();
  const own = options.claim === true ? must('claiming', bead, claim(bead, by, at)) : bead;
  const agent = options.assignee ?? own.assignee;
  const isHooking = options.status === 'hooked' && agent !== '';
  const hooked = isHooking ? must('hooking', own, hook(own, agent, at)) : own;
  const { assignee: _, ...rest } = options;
  const next = updateBead(
    hooked,
    {
      ...(isHooking ? rest : options),
      addLabel: commas(options.addLabel),
      removeLabel: commas(options.removeLabel),
      metadata: options.setMetadata,
      unset: options.unsetMetadata,
    },
    at,
  );
  const labels = options.setLabels.length === 0 ? next.labels : [...new Set(commas(options.setLabels))];
  return { ...next, labels, extra: { ...next.extra, ...extraOf(options) } };
}

/** Each bead changed; all must be there before the first is. */
async function changeAll(context: Context, ids: readonly string[], decide: (bead: Bead) => Bead): Promise<Bead[]> {
  return withLedger(context, async (ledger) => {
    for (const id of ids) await issueCalled(ledger, id);
    const done: Bead[] = [];
    for (const id of ids) {
      const bead = await changeBead(ledger, id, decide);
      if (bead === null) throw notFound('resolving', id);
      done.push(bead);
    }
    return done;
  });
}

const answerOf = (beads: readonly Bead[], what: string): Answer => ({
  data: beads.map(changedIssue),
  text: beads.map(({ id }) => `${what} ${id}`).join('\n'),
});

function updateVerb(program: Command, context: Context, verb: Verb): void {
  withTexts(program.command('update <ids...>'))
    .option('--claim')
    .option('-s, --status <status>')
    .option('-a, --assignee <assignee>')
    .option('--title <text>')
    .option('-d, --description <text>')
    .option('-t, --type <type>')
    .option('-p, --priority <priority>', '0 to 4', priority)
    .option('--add-label <labels>', 'with commas', collect, [])
    .option('--remove-label <labels>', 'with commas', collect, [])
    .option('--set-labels <labels>', 'with commas', collect, [])
    .option('--set-metadata <key=value>', 'one', collect, [])
    .option('--unset-metadata <key>', 'one', collect, [])
    .action((ids: string[], options: BdUpdate) =>
      verb.changes(async (by) => {
        return answerOf(await changeAll(context, ids, (bead) => withOptions(bead, options, by)), 'Updated issue:');
      }),
    );
}

function closeVerbs(program: Command, context: Context, verb: Verb): void {
  program
    .command('close <ids...>')
    .alias('done')
    .option('-r, --reason <text>', 'how it ended', 'Closed')
    .option('-f, --force')
    .option('--suggest-next')
    .action((ids: string[], { reason, force }: { reason: string; force?: boolean }) =>
      verb.changes(async () => {
        await withLedger(context, async (ledger) => {
          for (const id of force === true ? [] : ids) {
            const open = await openBlockers(ledger, await issueCalled(ledger, id));
            const blockers = open.filter((one) => !ids.includes(one));
            if (blockers.length > 0)
              throw bdFailure(
                `cannot close ${id}: blocked by open issues [${blockers.join(' ')}] (use --force to override)`,
              );
          }
        });
        return answerOf(await changeAll(context, ids, (bead) => close(bead, reason, now())), 'Closed');
      }),
    );
  program
    .command('reopen <ids...>')
    .option('-r, --reason <text>')
    .action((ids: string[]) =>
      verb.changes(async () => {
        return answerOf(await changeAll(context, ids, (bead) => reopen(bead, now())), 'Reopened');
      }),
    );
}

function depVerbs(program: Command, context: Context, verb: Verb): void {
  const dep = program.command('dep').helpCommand(false);
  dep
    .command('add <later> <earlier>')
    .option('-t, --type <type>', 'of the link', 'blocks')
    .action((later: string, earlier: string, { type }: { type: string }) =>
      verb.changes(async (by) => {
        await withLedger(context, async (ledger) => {
          for (const id of [later, earlier]) await issueCalled(ledger, id);
          return addDependency(ledger, later, earlier, { type, by });
        });
        const data = { issue_id: later, depends_on_id: earlier, type, status: 'added' };
        return { data, text: `Added dependency: ${later} depends on ${earlier} (${type})` };
      }),
    );
  dep
    .command('remove <later> <earlier>')
    .alias('rm')
    .action((later: string, earlier: string) =>
      verb.changes(async () => {
        await changeAll(context, [later], (bead) => withoutDependency(bead, earlier, null, now()));
        const data = { issue_id: later, depends_on_id: earlier, status: 'removed' };
        return { data, text: `Removed dependency: ${later} no longer depends on ${earlier}` };
      }),
    );
}

function wordVerbs(program: Command, context: Context, verb: Verb): void {
  program.commands
    .find((one) => one.name() === 'comments')
    ?.command('add <id> <text...>')
    .option('--author <name>')
    .action((id: string, words: string[], { author }: { author?: string }) =>
      verb.changes(async (by) => {
        const comment = { id: crypto.randomUUID(), beadId: id, author: by, text: words.join(' '), createdAt: now() };
        await withLedger(context, async (ledger) => {
          await issueCalled(ledger, id);
          await ledger.comment(comment);
        });
        return { data: issueOfComment(comment), text: `Comment added to ${id}` };
      }, author),
    );
  const label = program.command('label').helpCommand(false);
  for (const [name, status] of [
    ['add', 'added'],
    ['remove', 'removed'],
  ] as const)
    label.command(`${name} <id> <labels...>`).action((id: string, labels: string[]) =>
      verb.changes(async () => {
        const words = commas(labels);
        const none = { addLabel: [], removeLabel: [], metadata: [], unset: [] };
        const more = name === 'add' ? { ...none, addLabel: words } : { ...none, removeLabel: words };
        await changeAll(context, [id], (bead) => updateBead(bead, more, now()));
        const data = words.map((one) => ({ status, issue_id: id, label: one }));
        return { data, text: words.map((one) => `${status} label ${one}: ${id}`).join('\n') };
      }),
    );
}

function gateVerbs(program: Command, context: Context, verb: Verb): void {
  program
    .command('gate')
    .helpCommand(false)
    .command('check')
    .option('--type <type>')
    .option('-e, --escalate')
    .action((options: CheckOptions) =>
      verb.changes(async (by) => {
        const data = await withLedger(context, (_, ledger) => checkIn(ledger, by, options));
        return { data, text: `${data.checked} gates, ${data.due.length} expired, ${data.escalated.length} escalated` };
      }),
    );
}

function molVerbs(program: Command, context: Context, verb: Verb): void {
  const mol = program.command('mol').helpCommand(false);
  const wisp = mol.command('wisp').argument('[formula]').helpCommand(false);
  wisp.action((formula: string | undefined) =>
    verb(async () => {
      if (formula === undefined) throw bdFailure('Error: a formula is required');
      const by = await verb.actor();
      const given = { title: formula, type: 'molecule', isWisp: true, createdBy: by, owner: by, createdAt: now() };
      const made = await withLedger(context, (ledger) => createBead(ledger, given, { prefix: PREFIX, kind: 'wisp' }));
      const data = { new_epic_id: made.id, id_mapping: { [formula]: made.id }, created: 1, phase: 'vapor' };
      return { data, text: `Created wisp: ${made.id}` };
    }),
  );
  wisp
    .command('list')
    .option('--all')
    .action(({ all }: { all?: boolean }) =>
      verb.looks(async (ledger) => {
        const query: BeadQuery = { isWisp: true, ...(all === true && { statuses: BEAD_STATUSES }) };
        const found = await firstOf((page) => ledger.list(query, page), Infinity);
        const wisps = found.toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
        const data = { wisps: wisps.map(wispOf), count: wisps.length };
        return { data, text: wisps.map((bead) => clean(line(bead))).join('\n') };
      }),
    );
  mol
    .command('squash <id>')
    .option('--summary <text>')
    .action((id: string, { summary }: { summary?: string }) =>
      verb.changes(async (by) => {
        const squashed = await squashAs(context, [id], { summary, by });
        if (!squashed.ok)
          throw squashed.is === 'missing' ? notFound('resolving', id) : bdFailure(`Error: ${id} is no wisp`);
        const data = { molecule_id: id, digest_id: squashed.digest.id, squashed_ids: [id], squashed_count: 1 };
        return { data, text: `Squashed ${id} to ${squashed.digest.id}` };
      }),
    );
}

export function changeVerbs(program: Command, context: Context, verb: Verb): void {
  updateVerb(program, context, verb);
  closeVerbs(program, context, verb);
  depVerbs(program, context, verb);
  wordVerbs(program, context, verb);
  gateVerbs(program, context, verb);
  molVerbs(program, context, verb);
}
