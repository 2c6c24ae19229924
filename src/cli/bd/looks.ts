/** The verbs of `bd` that look: list, ready, show, blocked, mol wisp list, comments, version, ping. */
import { InvalidArgumentError, type Command } from 'commander';
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { BeadQuery, Ledger } from '../../../state/ledger/port.ts';
import { issueOfComment } from '../../ledger/issue.ts';
import { textsOf } from '../../ledger/texts.ts';
import { first, firstOf, openBlockers, ready } from '../../ledger/walk.ts';
import { clean } from '../../terminal/print.ts';
import { statusesOf } from '../commands/beads.ts';
import { collect } from '../tree/shape.ts';
import type { Context } from '../context.ts';
import { given } from '../naming/given.ts';
import { withLedger } from '../asking/ledger.ts';
import { commas, issueCalled, line, type Verb } from './asking.ts';
import { changedIssue, listedIssues, toSecond, whole } from './shapes.ts';

/** The version whose answers these are. */
const VERSION = { version: '1.0.5', build: 'townwatch', branch: 'townwatch' };

interface LookOptions {
  readonly status?: string;
  readonly assignee?: string;
  readonly label: readonly string[];
  readonly labels: readonly string[];
  readonly type?: string;
  readonly wisp?: boolean;
  readonly ephemeral?: boolean;
  readonly all?: boolean;
  readonly unassigned?: boolean;
  readonly limit: number;
}

/** 0 = all. */
function limitOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text) === 0 ? Infinity : Number(text);
  throw new InvalidArgumentError('Write a whole number; 0 is all.');
}

const withFilters = (command: Command): Command =>
  command
    .option('-s, --status <status>')
    .option('-a, --assignee <assignee>')
    .option('-l, --label <labels>', 'all of them', collect, [])
    .option('--labels <labels>', 'all of them', collect, [])
    .option('-t, --type <type>')
    .option('--wisp')
    .option('--ephemeral')
    .option('--all')
    .option('-n, --limit <n>', '0 = all', limitOf, LEDGER.page);

function queryOf(options: LookOptions): BeadQuery {
  const { status, assignee, label, labels, type, wisp, ephemeral, all, unassigned } = options;
  const wanted = commas([...label, ...labels]);
  return {
    ...(status !== undefined && status !== 'all' && { statuses: statusesOf([status]) }),
    ...((all === true || status === 'all') && { statuses: BEAD_STATUSES }),
    ...(wanted.length > 0 && { labels: wanted }),
    ...given({ type, assignee: unassigned === true ? '' : assignee }),
    ...((wisp === true || ephemeral === true) && { isWisp: true }),
  };
}

function listVerbs(program: Command, verb: Verb): void {
  const answer = (ask: (ledger: Ledger, options: LookOptions) => Promise<Bead[]>) => (options: LookOptions) =>
    verb.looks(async (ledger) => {
      const beads = await ask(ledger, options);
      const data = await listedIssues(ledger, beads);
      return { data, text: beads.map((bead) => clean(line(bead))).join('\n') };
    });
  withFilters(program.command('list')).action(
    answer((ledger, options) => firstOf((page) => ledger.list(queryOf(options), page), options.limit)),
  );
  withFilters(program.command('ready'))
    .option('-u, --unassigned')
    .action(
      answer((ledger, options) => {
        const { statuses: _, ...query } = queryOf(options);
        return first(ready(ledger, query), options.limit);
      }),
    );
  program.command('blocked').action(() =>
    verb.looks(async (ledger) => {
      const open = await firstOf((page) => ledger.list({}, page), Infinity);
      const waiting: { bead: Bead; by: string[] }[] = [];
      for (const bead of open.filter(({ dependencies }) => dependencies.length > 0)) {
        const by = await openBlockers(ledger, bead);
        if (by.length > 0) waiting.push({ bead, by });
      }
      const data = waiting.map(({ bead, by }) => {
        return { ...changedIssue(bead), blocked_by_count: by.length, blocked_by: by };
      });
      return { data, text: waiting.map(({ bead, by }) => clean(`${line(bead)} (${by.join(', ')})`)).join('\n') };
    }),
  );
}

function wholeText(bead: Bead): string {
  const texts = textsOf(bead).map(({ head, text }) => `\n${head}:\n${clean(text, 'lines')}`);
  return [clean(line(bead)), clean(bead.description, 'lines'), ...texts].join('\n').trim();
}

function showVerb(program: Command, verb: Verb): void {
  program.command('show <ids...>').action((ids: string[]) =>
    verb.looks(async (ledger) => {
      const beads = await ledger.beads(ids);
      const missing = ids.filter((id) => !beads.some((bead) => bead.id === id));
      const warnings = missing.map((id) => `Error fetching ${id}: no issue found matching "${id}"`);
      if (beads.length === 0)
        return { data: { error: 'no issues found matching the provided IDs' }, text: '', warnings, exit: 1 };
      const data = await Promise.all(beads.map((bead) => whole(ledger, bead)));
      const text = beads.map(wholeText).join('\n\n');
      return { data, text, warnings };
    }),
  );
}

export function lookVerbs(program: Command, context: Context, verb: Verb): void {
  listVerbs(program, verb);
  showVerb(program, verb);
  const comments = program.command('comments').argument('[id]').helpCommand(false);
  const list = (id: string) =>
    verb.looks(async (ledger) => {
      const { id: beadId } = await issueCalled(ledger, id);
      const found = await firstOf((page) => ledger.comments(beadId, page), Infinity);
      const data = found.map((one) => ({ ...issueOfComment(one), created_at: toSecond(one.createdAt) }));
      return { data, text: found.map(({ author, text }) => clean(`${author}: ${text}`)).join('\n') };
    });
  comments.action((id?: string) => (id === undefined ? comments.help() : list(id)));
  comments.command('list <id>').action(list);
  program
    .command('version')
    .action(() =>
      verb(() => Promise.resolve({ data: VERSION, text: `bd version ${VERSION.version} (${VERSION.build})` })),
    );
  program.command('ping').action(() =>
    verb(async () => {
      const began = performance.now();
      const [opened, asked] = await withLedger(context, async (ledger) => {
        const at = performance.now();
        await ledger.list({}, { limit: 1 });
        return [at, performance.now()] as const;
      });
      const [store, query] = [Math.round(opened - began), Math.round(asked - opened)];
      const data = { status: 'ok', resolve_ms: 0, store_ms: store, query_ms: query, total_ms: store + query };
      return { data, text: 'ok' };
    }),
  );
}
