/**
 * `town bd …`: the ledger as programs and agents know it that were written for `bd`. Same verbs, flags, JSON and exit
 * codes: 0, or 1 with plain text on stderr and nothing on stdout; 5 for what is not the calling agent's. A `bd` command
 * without a use here is unknown.
 */
import { Command, CommanderError } from 'commander';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { EXIT, Failure, tell } from '../../terminal/failure.ts';
import { clean, say } from '../../terminal/print.ts';
import { jsonText, print } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { actorOf, withLedger } from '../asking/ledger.ts';
import type { Answer, Verb } from './asking.ts';
import { changeVerbs } from './changes.ts';
import { createVerb } from './create.ts';
import { envelopeOf } from './shapes.ts';
import { lookVerbs } from './looks.ts';

/** Taken wherever they stand. They make no difference here, but for the name: its own choice of a database is that of the town. */
function withCommon(command: Command): void {
  for (const flags of ['-C, --directory <dir>', '--db <path>']) command.option(flags);
  for (const flags of ['--flat', '--include-infra', '-q, --quiet', '--no-pager', '--sandbox', '--no-daemon'])
    command.option(flags);
  command.option('--actor <name>');
}

function build(context: Context, run: (work: () => Promise<Answer>) => Promise<void>): Command {
  const program = new Command('bd').description('the ledger of the town, as bd speaks').helpCommand(false);
  withCommon(program);
  const actor = (wanted = program.opts<{ actor?: string }>().actor) =>
    actorOf(context, wanted ?? process.env['BEADS_ACTOR'] ?? process.env['BD_ACTOR']);
  const verb: Verb = Object.assign(run, {
    actor,
    looks: (work: Parameters<Verb['looks']>[0]) => run(() => withLedger(context, work)),
    changes: (work: (by: string) => Promise<Answer>, wanted?: string) => run(async () => work(await actor(wanted))),
  });
  lookVerbs(program, context, verb);
  createVerb(program, context, verb);
  changeVerbs(program, context, verb);
  return program;
}

function quiet(command: Command, words: string[]): void {
  command.exitOverride().showSuggestionAfterError(false);
  command.configureOutput({ writeOut: print, writeErr: (text) => void words.push(text) });
  command.commands.forEach((inner) => quiet(inner, words));
}

/** Those that `bd` itself says, as they are; all others in its way. */
function complaintOf(error: unknown, words: readonly string[]): string {
  if (error instanceof Failure && error.code === 'bd') return error.message;
  const text = error instanceof CommanderError ? words.join('').replace(/^error: /, '') : tell(error).lines.join(' ');
  return `Error: ${text.trim().replaceAll('\n', ' ')}`;
}

/** Runs the words that follow `bd` and returns its exit code: 0, 1 or 5. */
export async function bd(context: Context, argv: readonly string[]): Promise<number> {
  const words: string[] = [];
  let exit = 0;
  const program = build(context, async (work) => {
    const answer = await work();
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
