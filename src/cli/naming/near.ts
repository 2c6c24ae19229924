/**
 * What a word that is no command, or no option, most likely means: a misspelt one, one of another level, or one that people
 * bring from other programs. Only ever named, never run.
 */
import type { Command } from 'commander';
import { distance } from '../../terminal/nearest.ts';

/** Words of other programs -> commands from the top; those that are not there are passed over. */
const FROM_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  agent: ['session'],
  agents: ['session list', 'polecat list'],
  worktree: ['polecat list'],
  worktrees: ['polecat list'],
  ps: ['status', 'session list'],
  ls: ['session list', 'watch'],
  list: ['session list'],
  jobs: ['session list'],
  stop: ['session stop', 'down'],
  quit: ['down'],
  exit: ['down'],
  shutdown: ['down'],
  halt: ['down'],
  kill: ['session kill', 'session stop'],
  pkill: ['session kill'],
  terminate: ['session stop'],
  start: ['up', 'session start'],
  run: ['session start', 'up'],
  new: ['session start'],
  init: ['up'],
  spawn: ['session start'],
  launch: ['session start'],
  create: ['session start'],
  add: ['session adopt'],
  logs: ['session logs', 'daemon logs'],
  log: ['session logs', 'daemon logs'],
  tail: ['session logs'],
  attach: ['session attach'],
  connect: ['session attach'],
  open: ['session attach'],
  join: ['session attach'],
  rm: ['session remove'],
  remove: ['session remove'],
  delete: ['session remove'],
  uninstall: ['down'],
  exec: ['send', 'nudge'],
  tell: ['send', 'nudge'],
  say: ['send', 'nudge'],
  prompt: ['send', 'nudge'],
  history: ['timeline', 'why'],
  events: ['timeline'],
  journal: ['timeline'],
  audit: ['timeline'],
  show: ['session status', 'explain'],
  info: ['session status'],
  inspect: ['session status', 'explain'],
  describe: ['session status'],
  top: ['watch'],
  capture: ['record'],
  version: ['--version'],
  hearings: ['dog dances'],
  dance: ['dog dances'],
  dances: ['dog dances'],
  hearing: ['dog dances'],
  inbox: ['mail inbox'],
  ready: ['bead ready'],
  todo: ['bead ready'],
  task: ['bead create'],
  issue: ['bead list'],
  issues: ['bead list'],
  hook: ['bead hook'],
  unhook: ['bead unhook'],
  gate: ['bead gate list'],
  claim: ['bead hook'],
  'list-sessions': ['session list'],
  'kill-session': ['session kill'],
  'new-session': ['session start'],
  'attach-session': ['session attach'],
  'send-keys': ['nudge'],
  'capture-pane': ['record', 'explain'],
};

/** Words of other programs -> names within a group, the likeliest first. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  ls: ['list', 'inbox', 'dances', 'status'],
  ps: ['list', 'status'],
  list: ['inbox', 'dances', 'status'],
  show: ['status', 'read'],
  info: ['status', 'show'],
  inspect: ['status', 'show'],
  status: ['show', 'list'],
  rm: ['remove', 'archive', 'cancel'],
  delete: ['remove', 'archive', 'cancel'],
  log: ['logs'],
  tail: ['logs'],
  new: ['start', 'file', 'send'],
  create: ['start', 'file', 'send'],
  run: ['start'],
  add: ['file', 'adopt'],
  stop: ['kill', 'pause'],
  kill: ['stop', 'cancel'],
  connect: ['attach'],
  open: ['attach', 'read'],
  close: ['cancel', 'ack'],
  resolve: ['ack'],
  start: ['run', 'resume'],
  get: ['show'],
  set: ['show'],
  validate: ['check'],
};

/** Options by words that are not their beginning. */
const OPTIONS: Readonly<Record<string, string>> = {
  '-n': '--lines',
  '--tail': '--lines',
};

const MOST = 2;
/** A shorter word has too many neighbours to mean one of them. */
const SHORTEST = 3;

const isNear = (word: string, name: string): boolean =>
  word.length >= SHORTEST && distance(word.toLowerCase(), name) <= Math.max(1, Math.floor(name.length / 3));

/** The command line from the top, with the required arguments. */
function lineOf(command: Command): string {
  const path: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) path.unshift(at.name());
  const given =
    command.commands.length > 0
      ? ''
      : command
          .usage()
          .replaceAll(/\[[^\]]*\]/g, '')
          .replaceAll(/ +/g, ' ')
          .trim();
  return `${path.join(' ')}${given === '' ? '' : ` ${given}`}`;
}

const below = (command: Command): readonly Command[] => command.commands.flatMap((one) => [one, ...below(one)]);

function called(top: Command, path: string): Command | undefined {
  return path
    .split(' ')
    .reduce<Command | undefined>((at, name) => at?.commands.find((one) => one.name() === name), top);
}

const topOf = (command: Command): Command => (command.parent === null ? command : topOf(command.parent));

const namedBy = (top: Command, paths: readonly string[]): readonly Command[] =>
  paths.flatMap((path) => (path.startsWith('--') ? [] : (called(top, path) ?? [])));

/** The list of a group that was typed in the plural: `sessions` is `session list`. */
const listsOf = (top: Command, word: string): readonly Command[] =>
  top.commands.filter((one) => `${one.name()}s` === word).flatMap((one) => called(one, 'list') ?? []);

/** ` did you mean …?`, or nothing. `at`: where it was typed. */
export function nearCommand(at: Command, word: string): string {
  const top = topOf(at);
  const here = at.commands.filter((one) => isNear(word, one.name()));
  const within = at === top ? [] : (WITHIN[word] ?? []).flatMap((name) => called(at, name) ?? []);
  const elsewhere = FROM_ELSEWHERE[word] ?? [];
  const known = namedBy(top, elsewhere);
  const deep = below(top).filter((one) => one.parent !== at && one.commands.length === 0 && isNear(word, one.name()));
  const misspelt = namedBy(
    top,
    FROM_ELSEWHERE[Object.keys(FROM_ELSEWHERE).find((one) => isNear(word, one)) ?? ''] ?? [],
  );
  // A word of another program is spelt right: it comes before those that are only spelt like it.
  const order = at === top ? [known, listsOf(top, word), here, misspelt, deep] : [here, within, known, deep];
  const lines = order.find((some) => some.length > 0)?.map(lineOf) ?? [];
  const flags = elsewhere.filter((path) => path.startsWith('--')).map((flag) => `${top.name()} ${flag}`);
  return meaning([...lines, ...flags]);
}

/** A command of the town that was given the name of a session: the command of that name for sessions, likewise as a question. */
export function nearOfSession(at: Command): string {
  const top = topOf(at);
  const forOne = at.parent === top ? called(top, `session ${at.name()}`) : undefined;
  return meaning(forOne === undefined ? [] : [lineOf(forOne)]);
}

const hasOption = (command: Command, long: string): boolean => command.options.some((one) => one.long === long);

/** The nearest option, or a command below that has it; likewise as a question. */
export function nearOption(at: Command, word: string): string {
  const help = at.createHelp();
  const own = [...help.visibleOptions(at), ...help.visibleGlobalOptions(at)].flatMap(({ long }) => long ?? []);
  const plain = word.split('=')[0] ?? '';
  const begins = /^-[a-z]$/.test(plain) ? own.filter((long) => long.startsWith(`-${plain}`)) : [];
  const spelt = own.filter((long) => isNear(plain, long) || (plain.length > SHORTEST && long.startsWith(plain)));
  const foreign = own.filter((long) => long === OPTIONS[plain]);
  const others = at.commands.length === 0 ? [] : below(at).filter((one) => hasOption(one, plain));
  const elsewhere = others.map((one) => `${lineOf(one)} ${plain}`);
  return meaning([begins, spelt, foreign, elsewhere].find((some) => some.length > 0) ?? []);
}

const meaning = (lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : `; did you mean ${lines
        .slice(0, MOST)
        .map((line) => `\`${line}\``)
        .join(' or ')}?`;
