/**
 * The tree of commands. Each action loads its own part when it runs; nothing here does any work.
 * --root and --json are taken out before (words.ts); they stand here for the help only.
 */
import { Command, CommanderError, Help, Option } from 'commander';
import { version } from '../package.ts';
import { print } from '../terminal/streams.ts';
import type { Context } from './context.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { refuseGasTown } from './naming/gas-town.ts';
import { nearCommand, nearOfSession, nearOption } from './naming/near.ts';
import { wordsOf } from './tree/glossary.ts';
import { daemonCommands, townCommands } from './tree/town.ts';
import { hearingCommands } from './tree/hearing.ts';
import { hooksCommands } from './tree/hooks.ts';
import { rigCommands } from './tree/rigs.ts';
import { monitorCommands } from './tree/monitor.ts';
import { planCommands } from './tree/plan.ts';
import { triageCommands } from './tree/triage.ts';
import { witnessCommands } from './tree/witness.ts';
import { workCommands } from './tree/work.ts';
import { screenCommands } from './tree/screens.ts';
import { sessionCommands } from './tree/sessions.ts';
import { storyCommands } from './tree/stories.ts';
import { withoutAliases } from './tree/aliases.ts';
import { doing, readsOnly, type Act, type Does } from './tree/shape.ts';
import { watchdogCommands } from './tree/watchdog.ts';
import { channelCommands, wordCommands } from './tree/words.ts';
import { callerToken } from '../socket/caller-token.ts';

/** The purpose of the program. */
export const SENTENCE =
  'Townwatch keeps AI coding agents in tmux alive, hears an agent before it kills it, and loses no work.';

/** Every exit code: the number, then what it says. */
export const EXITS = [
  '0 done',
  '1 failed',
  '2 wrong usage, configuration or name',
  '3 the town is not running',
  '4 degraded',
  '5 refused',
] as const;

const INTRO = `${SENTENCE}

Start with: town up · town status · town session start <name> -- <command>`;

/** Every command of the first level, under the heading it stands under in the help, in this order. */
const HEADINGS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['The town:', ['up', 'down', 'reload', 'restart', 'status', 'health', 'doctor', 'config', 'service', 'demo']],
  ['Your agents:', ['session', 'workers', 'watch', 'send', 'nudge', 'explain', 'hooks']],
  ['Repositories:', ['rig', 'polecat']],
  [
    'What needs you, what happened:',
    ['questions', 'answer', 'ask', 'alerts', 'ack', 'channel', 'triage', 'mail', 'why', 'report', 'costs', 'timeline'],
  ],
  ['Work:', ['plan', 'sling', 'bead', 'convoy', 'escalate', 'escalation', 'evidence', 'bd']],
  ['Hearings:', ['warrant', 'dog']],
  ['For agents:', ['alive', 'report-status', 'handoff', 'mcp', 'skill']],
  ['Parts of the town:', ['deacon', 'witness', 'refinery', 'plugin', 'tickle', 'watchdog', 'boot', 'daemon']],
  ['Screens, shells:', ['rules', 'record', 'completion']],
];

/** What makes the commands of the first level, with their names: a command line needs its own part alone. */
const PARTS: readonly (readonly [make: (program: Command, does: Does) => void, names: readonly string[]])[] = [
  [townCommands, ['up', 'down', 'reload', 'restart', 'status', 'health', 'demo', 'doctor', 'config', 'service']],
  [daemonCommands, ['daemon']],
  [hearingCommands, ['warrant', 'alive', 'dog', 'why']],
  [sessionCommands, ['session', 'nudge', 'send', 'watch']],
  [hooksCommands, ['hooks']],
  [rigCommands, ['rig', 'polecat']],
  [monitorCommands, ['workers', 'report-status', 'watchdog']],
  [planCommands, ['plan', 'sling']],
  [witnessCommands, ['witness', 'refinery']],
  [triageCommands, ['triage', 'mcp', 'skill']],
  [screenCommands, ['rules', 'explain', 'record']],
  [watchdogCommands, ['boot', 'deacon', 'plugin', 'tickle', 'handoff']],
  [wordCommands, ['mail', 'questions', 'answer', 'ask', 'alerts', 'ack']],
  [channelCommands, ['channel']],
  [storyCommands, ['timeline', 'report', 'costs', 'completion']],
  [workCommands, ['bead', 'convoy', 'escalation', 'escalate', 'evidence', 'bd']],
];

/** A command without a heading is a mistake of ours. */
function underHeadings(program: Command): void {
  const place = new Map(HEADINGS.flatMap(([heading, names]) => names.map((name) => [name, heading])));
  const order = [...place.keys()];
  (program.commands as Command[]).sort((one, other) => order.indexOf(one.name()) - order.indexOf(other.name()));
  for (const one of program.commands) {
    const heading = place.get(one.name());
    if (heading === undefined) throw new TypeError(`\`${one.name()}\` stands under no heading`);
    one.helpGroup(heading);
  }
}

const IDS = `
Where an id is asked for, a beginning of it is enough, or the last digits of its
number (# in the lists: it belongs to the thing, and stays when the list
changes), or the session that it is about: its open one, else its latest.
Commands that act on a session take a beginning of its name only at a terminal.
`;

const OUTRO = `${IDS}
Exit codes: ${EXITS.slice(0, 3).join(' · ')}
  ${EXITS.slice(3).join(' · ')}

Examples:
  $ town up
  $ town session start builder --tag worker -- claude
  $ town warrant file builder --reason "no output for an hour"
  $ town why builder`;

/** An empty list is what an option has that was never given: no reader needs to know it. */
function optionDescription(this: Help, option: Option): string {
  const isList = Array.isArray(option.defaultValue);
  const said: Option = isList ? Object.assign(Object.create(option) as Option, { defaultValue: undefined }) : option;
  return Help.prototype.optionDescription.call(this, said);
}

/** The options that every command takes. */
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  return Help.prototype.visibleGlobalOptions.call(this, command).filter(({ long }) => long !== '--version');
}

/**
 * The tree: what runs, completes and is in the manual. With `first`, a word of the first level, it has only the part of the
 * tree that the word is in, which takes a fifth of the time; it has everything if the word is no command.
 */
export function build(act: Act, first?: string): Command {
  const does = doing(act);
  const program = new Command('town').description(INTRO).version(version()).helpCommand(false);
  // Else a long command keeps what is said of it in one line, however long.
  program.configureHelp({ minWidthToWrap: 20, showGlobalOptions: true, optionDescription, visibleGlobalOptions });
  program.addHelpText('after', () => wordsOf(program, [])).addHelpText('after', OUTRO);
  program.addOption(new Option('--root <dir>', 'the town (else $TOWN_ROOT, $GT_ROOT, the nearest town.toml, ~/town)'));
  program.addOption(new Option('--json', 'one object for programs: { "schema": "<name>/1", "data": … }'));
  const parts = PARTS.filter(([, names]) => first !== undefined && names.includes(first));
  for (const [make, names] of parts.length > 0 ? parts : PARTS) {
    const before = program.commands.length;
    make(program, does);
    const made = program.commands.slice(before).map((one) => one.name());
    if (made.join() !== names.join()) throw new TypeError(`a part makes ${made.join()}, not ${names.join()}`);
  }
  underHeadings(program);
  return program;
}

/** The complaint of commander, and the command that it is about. */
interface Said {
  readonly words: string[];
  at: string;
  command: Command | null;
}

function quiet(command: Command, said: Said, path: string): void {
  command.showSuggestionAfterError(false).exitOverride((error) => {
    said.at = path;
    said.command = command;
    throw error;
  });
  command.configureOutput({
    writeOut: print,
    writeErr: (text) => said.words.push(text),
    outputError: (text, write) => write(text),
  });
  command.commands.forEach((inner) => quiet(inner, said, `${path} ${inner.name()}`));
}

function usageFailure(error: CommanderError, { words, at, command }: Said): Failure {
  const text = words
    .join('')
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  if (error.code === 'commander.help') {
    const names = command?.commands.map((one) => one.name()).join(', ') ?? '';
    const has = at === 'town' ? '' : ` after \`${at}\` (${names})`;
    return new Failure(EXIT.usage, 'bad_usage', `a command is missing${has}; see \`${at} --help\``);
  }
  return unknown(text === '' ? error.message : text, command === null ? '' : nearOf(error, command), at);
}

const unknown = (text: string, near: string, at: string): Failure =>
  new Failure(EXIT.usage, 'bad_usage', `${text}${near === '' ? '; see' : `${near} See`} \`${at} --help\``);

/** The word that is not known here, by the sentence about it. */
const WORD = /unknown (?:command|option) '([^']*)'/;

function nearOf({ code, message }: CommanderError, command: Command): string {
  const word = WORD.exec(message)?.[1] ?? '';
  if (code === 'commander.unknownCommand') return nearCommand(command, word);
  if (code === 'commander.excessArguments') return nearOfSession(command);
  return code === 'commander.unknownOption' ? nearOption(command, word) : '';
}

/** `town help status` is `town status --help`. Throws Failure for a word that is no command. */
function withoutHelp(program: Command, argv: readonly string[]): readonly string[] {
  const isWord = argv[0] === 'help';
  const words = withoutAliases(isWord ? argv.slice(1) : argv);
  const end = words.findIndex((word) => word.startsWith('-'));
  const path = words.slice(0, end < 0 ? undefined : end);
  if (isWord || words.some((word) => word === '--help' || word === '-h')) checkPath(program, path);
  return isWord ? [...words, '--help'] : words;
}

/** Commander prints the help of what it knows of a line, with any word behind it. What follows a command without commands is its argument. */
function checkPath(program: Command, path: readonly string[]): void {
  let at = program;
  for (const [index, word] of path.entries()) {
    const inner = at.commands.find((one) => one.name() === word);
    if (inner === undefined && (at.commands.length === 0 || at.registeredArguments.length > 0)) return;
    if (inner === undefined)
      throw unknown(`unknown command '${word}'`, nearCommand(at, word), ['town', ...path.slice(0, index)].join(' '));
    at = inner;
  }
}

/** `session list`. */
const wordsTo = (command: Command): string =>
  command.parent === null ? '' : `${wordsTo(command.parent)} ${command.name()}`.trim();

/** Commands that a run of triage may call (P-14), and `alive`, which answers in each root. */
const OF_REASONER: ReadonlySet<string> = new Set([
  'triage resolve',
  'triage done',
  'mail send',
  'escalate',
  'nudge',
  'mcp',
  'alive',
]);

/** Throws Failure (5) where a run of triage calls a command that is none of its tools, also one that only reads. */
async function refuseReasoner(context: Context, words: string): Promise<void> {
  if (callerToken() === undefined || OF_REASONER.has(words) || !context.hasRoot()) return;
  await (await import('./asking/role.ts')).refuseRole(context, words);
}

/** Parses with the part of the tree that `first` is in, and runs what it finds. `wrong` = what comes of a wrong line. */
async function parsed(
  context: Context,
  argv: readonly string[],
  first: string | undefined,
  wrong: (failure: Failure) => Promise<number>,
): Promise<number> {
  let exit: number = EXIT.done;
  const said: Said = { words: [], at: 'town', command: null };
  const act: Act = async (work) => {
    const came = await work(context);
    exit = typeof came === 'number' ? came : EXIT.done;
  };
  const program = build(act, first);
  quiet(program, said, 'town');
  program.hook('preAction', async (_, action) => {
    if (!readsOnly(action)) await refuseGasTown(context);
    await refuseReasoner(context, wordsTo(action));
  });
  try {
    await program.parseAsync([...withoutHelp(program, argv)], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : wrong(usageFailure(error, said));
  }
  return exit;
}

/** It prints the whole tree. */
const OF_THE_TREE = 'completion';

/** Runs the command line and returns its exit code. Throws what the command throws; wrong usage is a Failure. */
export async function run(context: Context, argv: readonly string[]): Promise<number> {
  // The words and errors behind `bd` are those of another program.
  if (argv[0] === 'bd') {
    await refuseGasTown(context);
    await refuseReasoner(context, 'bd');
    return (await import('./bd/front.ts')).bd(context, argv.slice(1));
  }
  // Commander finds a wrong line before it runs anything. What the line most likely means may be anywhere in the tree.
  const inWhole = (): Promise<number> => parsed(context, argv, undefined, (failure) => Promise.reject(failure));
  const [first] = withoutAliases(argv);
  return first === OF_THE_TREE ? inWhole() : parsed(context, argv, first, inWhole);
}
