/** `bd create`, and the texts of `bd` that are kept beside a bead. */
import type { Command } from 'commander';
import { newBead, type Bead } from '../../../machines/ledger/bead.ts';
import { withDependency } from '../../../machines/ledger/changes.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { changeBead, createBead } from '../../ledger/change.ts';
import { newWrite, PREFIX } from '../../ledger/ids.ts';
import { dependencyOf } from '../commands/beads.ts';
import type { Context } from '../context.ts';
import { given } from '../naming/given.ts';
import { now, withLedger } from '../asking/ledger.ts';
import { collect, priority } from '../tree/shape.ts';
import { commas, issueCalled, bdFailure, type Answer, type Verb } from './asking.ts';
import { createdIssue } from './shapes.ts';

/** Fields of `bd` that are kept beside the bead: option -> field. */
const TEXTS = {
  design: 'design',
  notes: 'notes',
  acceptance: 'acceptance_criteria',
  externalRef: 'external_ref',
} as const;
export type Texts = Partial<Record<keyof typeof TEXTS, string>>;

export const withTexts = (command: Command): Command =>
  command
    .option('--design <text>')
    .option('--notes <text>')
    .option('--acceptance <text>')
    .option('--external-ref <text>');

export const extraOf = (options: Texts): Bead['extra'] =>
  Object.fromEntries(
    Object.entries(TEXTS).flatMap(([option, field]) => {
      const text = options[option as keyof Texts];
      return text === undefined ? [] : [[field, text]];
    }),
  );

interface CreateOptions extends Texts {
  readonly title?: string;
  readonly type?: string;
  readonly priority?: number;
  readonly description?: string;
  readonly labels: readonly string[];
  readonly label: readonly string[];
  readonly assignee?: string;
  readonly deps: readonly string[];
  readonly parent?: string;
  readonly id?: string;
  readonly ephemeral?: boolean;
  readonly wisp?: boolean;
  readonly wispType?: string;
  readonly silent?: boolean;
}

/** `blocks:<id>` is the other way round: that one is `waiting` for the new. */
async function linksOf(ledger: Ledger, { deps, parent }: CreateOptions, by: string, at: string) {
  const words = commas(deps);
  const own = words.filter((word) => !word.startsWith('blocks:')).map((word) => dependencyOf(word, by, at));
  const waiting = words.filter((word) => word.startsWith('blocks:')).map((word) => word.slice('blocks:'.length));
  const all = [...own, ...(parent === undefined ? [] : [dependencyOf(`parent-child:${parent}`, by, at)])];
  for (const id of [...all.map(({ on }) => on), ...waiting]) await issueCalled(ledger, id);
  return { own: all, waiting };
}

async function createIn(ledger: Ledger, title: string, options: CreateOptions, by: string): Promise<Bead> {
  const at = now();
  const { type, priority: urgency, description, assignee, id, wispType } = options;
  const isWisp = options.ephemeral === true || options.wisp === true || wispType !== undefined;
  const { own, waiting } = await linksOf(ledger, options, by, at);
  const fields = {
    title,
    createdBy: by,
    owner: by,
    createdAt: at,
    dependencies: own,
    extra: extraOf(options),
    isWisp,
    labels: [...new Set(commas([...options.labels, ...options.label]))],
    ...given({ type, priority: urgency, description, assignee, wispType }),
  };
  const kind = isWisp ? 'wisp' : type === 'convoy' ? 'cv' : '';
  const made =
    id === undefined ? await createBead(ledger, fields, { prefix: PREFIX, kind }) : await createAs(ledger, id, fields);
  for (const later of waiting)
    await changeBead(ledger, later, (one) => withDependency(one, dependencyOf(made.id, by, at), at));
  return made;
}

async function createAs(ledger: Ledger, id: string, fields: Parameters<typeof createBead>[1]): Promise<Bead> {
  const put = await ledger.put(newBead({ ...fields, id }), { expects: 0, write: newWrite() });
  if (put.is === 'done') return put.bead;
  throw bdFailure(`Error: issue with ID "${id}" already exists`);
}

export function createVerb(program: Command, context: Context, verb: Verb): void {
  withTexts(program.command('create [title]'))
    .alias('new')
    .option('--title <text>')
    .option('-t, --type <type>')
    .option('-p, --priority <priority>', '0 to 4', priority)
    .option('-d, --description <text>')
    .option('-l, --labels <labels>', 'with commas', collect, [])
    .option('--label <labels>', 'with commas', collect, [])
    .option('-a, --assignee <assignee>')
    .option('--deps <ids>', '<id>, <type>:<id>', collect, [])
    .option('--parent <id>')
    .option('--id <id>')
    .option('--ephemeral')
    .option('--wisp')
    .option('--wisp-type <type>')
    .option('--silent', 'the id only')
    .option('--force')
    .action((word: string | undefined, options: CreateOptions) =>
      verb(async (): Promise<Answer> => {
        const title = word ?? options.title;
        if (title === undefined) throw bdFailure('Error: title required (or use --title)');
        const by = await verb.actor();
        const bead = await withLedger(context, (ledger) => createIn(ledger, title, options, by));
        return { data: createdIssue(bead), text: options.silent === true ? bead.id : `Created issue: ${bead.id}` };
      }),
    );
}
