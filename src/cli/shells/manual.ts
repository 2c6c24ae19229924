/** The manual, town(1), in roff, made from the tree of commands. */
import { GLOSSARY } from '../tree/glossary.ts';
import type { Place, Switch } from './words.ts';

/** Text that roff takes as text: no escapes, no requests, hyphens that can be copied. */
const plain = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

const option = ({ usage, summary }: Switch): string => `.TP\n\\fB${plain(usage)}\\fR\n${plain(summary)}`;

/** One row for a switch, however many spellings it has; --help and the two common ones stand once, at the end. */
const COMMON = new Set(['-h', '--help', '--root', '--json']);
function own({ switches }: Place): Switch[] {
  const seen = new Set<string>();
  return switches.filter(({ text, usage }) => !COMMON.has(text) && !seen.has(usage) && seen.add(usage).size > 0);
}

function section(place: Place): string {
  const usage = place.usage.replace('[options]', '').replace(/ +/g, ' ').trim();
  const head = `.SS ${plain(['town', ...place.path, usage].join(' ').trim())}\n${plain(place.summary)}`;
  return [head, ...own(place).map(option)].join('\n');
}

export interface ManualText {
  readonly version: string;
  /** The program in a sentence or two. */
  readonly intro: string;
  /** `0 done`, and so on. */
  readonly exits: readonly string[];
}

/** Groups are described by their commands. */
export function manual(places: readonly Place[], { version, intro, exits }: ManualText): string {
  const common = (places[0]?.switches ?? []).filter(({ text }) => text.startsWith('--'));
  return [
    `.TH TOWN 1 "" "townwatch ${version}" "Townwatch"`,
    '.SH NAME',
    'town \\- supervise AI coding agents in tmux',
    '.SH SYNOPSIS',
    '\\fBtown\\fR [\\fB\\-\\-root\\fR \\fIdir\\fR] [\\fB\\-\\-json\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    plain(intro),
    '.SH OPTIONS',
    ...common.map(option),
    '.SH COMMANDS',
    ...places.filter(({ path, commands }) => path.length > 0 && commands.length === 0).map(section),
    '.SH WORDS',
    ...GLOSSARY.map(({ word, means }) => `.TP\n\\fB${plain(word)}\\fR\n${plain(means)}`),
    '.SH EXIT STATUS',
    ...exits.map(
      (exit) => `.TP\n\\fB${exit.slice(0, exit.indexOf(' '))}\\fR\n${plain(exit.slice(exit.indexOf(' ') + 1))}`,
    ),
    '.SH FILES',
    '.TP\n\\fItown.toml\\fR\nThe configuration, in the root; see \\fBtown config show\\fR.',
    '',
  ].join('\n');
}
