/**
 * `town bd …`: the ledger as programs and agents know it that were written for `bd`. Same verbs, flags, JSON and exit
 * codes: 0, or 1 with plain text on stderr and nothing on stdout; 5 for what is not the calling agent's. A `bd` command
 * without a use here is unknown. Its verbs are the rows of table.ts.
 */
import { Command, CommanderError } from 'commander';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { EXIT, Failure, tell } from '../../terminal/failure.ts';
import { clean, say } from '../../terminal/print.ts';
import { jsonText, print } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { actorOf, now, withLedger } from '../asking/ledger.ts';
import { assigneeSought } from '../naming/agents.ts';
import type { Answer, Desk, Words } from './asking.ts';
import { withCommon, withOptions, type Given } from './options.ts';
import { envelopeOf } from './shapes.ts';
import { GROUPS, VERBS, type Row } from './table.ts';

type Run = (row: Row, words: Words, given: Given) => Promise<void>;

/** The command of this name below `parent`, made where it is missing: `dep` is a group, `comments` a verb and a group. */
const within = (parent: Command, name: string): Command =>
  parent.commands.find((one) => one.name() === name) ??
  parent
    .command(name)
    .description(GROUPS[name] ?? '')
    .helpCommand(false);

function addVerb(program: Command, row: Row, run: Run): void {
  const words = row.usage.split(' ');
  const names = words.filter((word) => /^[a-z]/.test(word));
  const command = names.reduce(within, program);
  for (const word of words.slice(names.length)) command.argument(word);
  if (row.alias !== undefined) command.alias(row.alias);
  command.description(row.about);
  withOptions(command, row.options);
  command.action(async () => {
    await run(
      row,
      command.processedArgs.flat().filter((word) => typeof word === 'string'),
      command.optsWithGlobals(),
    );
  });
}

/** The whole tree of it. */
export function build(run: Run): Command {
  const program = new Command('bd').description('the ledger of the town, as bd speaks').helpCommand(false);
  withCommon(program);
  for (const row of VERBS) addVerb(program, row, run);
  return program;
}

/** Rejects with Failure, before the ledger is opened, where the caller may not write in the name. */
async function answerOf(context: Context, row: Row, words: Words, typed: Given): Promise<Answer> {
  const wanted = typed.author ?? typed.actor ?? process.env['BEADS_ACTOR'] ?? process.env['BD_ACTOR'];
  const author = row.needs === 'author' ? await actorOf(context, wanted) : '';
  // Who claims a bead becomes its agent.
  const by = typed.claim === true ? await assigneeSought(context, author) : author;
  // A wisp's stays as it is written.
  const isWisp = typed.ephemeral === true || typed.wisp === true || typed.wispType !== undefined;
  const named = typed.assignee && !isWisp && { assignee: await assigneeSought(context, typed.assignee) };
  const given = { ...typed, ...named };
  const began = performance.now();
  const desk = { context, by, at: now() };
  if (row.needs === 'nothing') return row.run(desk as Desk, words, given);
  return withLedger(context, (ledger, town) =>
    row.run({ ...desk, ledger, town, openingMs: performance.now() - began }, words, given),
  );
}

function quiet(command: Command, words: string[]): void {
  command.exitOverride().showSuggestionAfterError(false);
  command.configureOutput({ writeOut: print, writeErr: (text) => void words.push(text) });
  command.commands.forEach((inner) => quiet(inner, words));
}

/** The error line: one of `bd` as it is, any other in its manner. */
function complaintOf(error: unknown, words: readonly string[]): string {
  if (error instanceof Failure && error.code === 'bd') return error.message;
  if (error instanceof CommanderError && error.code === 'commander.help')
    return 'Error: a verb is missing; see `town bd --help`';
  const text = error instanceof CommanderError ? words.join('').replace(/^error: /, '') : tell(error).lines.join(' ');
  return `Error: ${text.trim().replaceAll('\n', ' ')}`;
}

/** Runs the words that follow `bd` and returns its exit code: 0, 1 or 5. */
export async function bd(context: Context, argv: readonly string[]): Promise<number> {
  const words: string[] = [];
  let exit = 0;
  const program = build(async (...typed) => {
    const answer = await answerOf(context, ...typed);
    answer.warnings?.forEach((line) => print(`${clean(line)}\n`, 'stderr'));
    say(context.json ? jsonText(envelopeOf(answer.data), 2) : answer.text);
    exit = answer.exit ?? 0;
  });
  quiet(program, words);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    print(`${clean(complaintOf(error, words))}\n`, 'stderr');
    return error instanceof Failure && error.code === NOT_YOURS ? EXIT.refused : 1;
  }
}
