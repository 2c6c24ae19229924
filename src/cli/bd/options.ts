/** The options of `bd` by their names, as its verbs share them. */
import { InvalidArgumentError, type Command } from 'commander';
import { collect, priority } from '../tree/shape.ts';

/** An option with a value of this type. */
interface Taken<Value> {
  readonly flags: string;
  readonly parse?: (text: string, before: Value | undefined) => Value;
}
const text = (flags: string): Taken<string> => ({ flags });
const flag = (flags: string): Taken<boolean> => ({ flags });
const number = (flags: string, parse: (text: string) => number): Taken<number> => ({ flags, parse });
const many = (flags: string): Taken<readonly string[]> => ({
  flags,
  parse: (word, before = []) => collect(word, before),
});

/** 0 = all. */
function limitOf(word: string): number {
  if (/^\d{1,6}$/.test(word)) return Number(word) === 0 ? Infinity : Number(word);
  throw new InvalidArgumentError('Write a whole number; 0 is all.');
}

const OPTIONS = {
  acceptance: text('--acceptance <text>'),
  actor: text('--actor <name>'),
  addLabel: many('--add-label <labels>'),
  all: flag('--all'),
  assignee: text('-a, --assignee <assignee>'),
  author: text('--author <name>'),
  claim: flag('--claim'),
  deps: many('--deps <ids>'),
  description: text('-d, --description <text>'),
  design: text('--design <text>'),
  ephemeral: flag('--ephemeral'),
  escalate: flag('-e, --escalate'),
  externalRef: text('--external-ref <text>'),
  force: flag('-f, --force'),
  id: text('--id <id>'),
  label: many('-l, --label <labels>'),
  labels: many('--labels <labels>'),
  limit: number('-n, --limit <n>', limitOf),
  notes: text('--notes <text>'),
  parent: text('--parent <id>'),
  priority: number('-p, --priority <priority>', priority),
  reason: text('-r, --reason <text>'),
  removeLabel: many('--remove-label <labels>'),
  setLabels: many('--set-labels <labels>'),
  setMetadata: many('--set-metadata <key=value>'),
  silent: flag('--silent'),
  status: text('-s, --status <status>'),
  suggestNext: flag('--suggest-next'),
  summary: text('--summary <text>'),
  title: text('--title <text>'),
  type: text('-t, --type <type>'),
  unassigned: flag('-u, --unassigned'),
  unsetMetadata: many('--unset-metadata <key>'),
  wisp: flag('--wisp'),
  wispType: text('--wisp-type <type>'),
};
export type OptionName = keyof typeof OPTIONS;
type ValueOf<Option> = Option extends Taken<infer Value> ? Value : never;

/** The options that were typed; absent = not typed. */
export type Given = { readonly [Name in OptionName]?: ValueOf<(typeof OPTIONS)[Name]> };

/** Options without an effect here, accepted anywhere: the town chooses the database. */
const IGNORED = [
  '-C, --directory <dir>',
  '--db <path>',
  '--flat',
  '--include-infra',
  '-q, --quiet',
  '--no-pager',
  '--sandbox',
  '--no-daemon',
];

export function withOptions(command: Command, names: readonly OptionName[]): void {
  for (const name of names) {
    const { flags, parse } = OPTIONS[name] as Taken<unknown>;
    if (parse === undefined) command.option(flags);
    else command.option(flags, '', parse);
  }
}

export function withCommon(program: Command): void {
  for (const flags of IGNORED) program.option(flags);
  withOptions(program, ['actor']);
}
