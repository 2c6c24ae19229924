/**
 * What a screen was read as, for `town rules test` and `town explain`: one shape for programs, one for people.
 * Every word of it may be foreign. Rows count from 0 for programs, as tmux counts them, and from 1 for people.
 */
import { cutAt } from '../../terminal/columns.ts';
import type { Pack } from '../../screen/pack.ts';
import type { PackFile } from '../../screen/packs.ts';
import type { Option, Screen } from '../../screen/screen.ts';
import { terminal } from '../../terminal/streams.ts';
import { clean } from '../../terminal/print.ts';

/** A pack, and where it comes from. */
export interface Judge {
  readonly pack: Pack;
  readonly source: PackFile | null;
}

export interface Reading {
  readonly agent: string;
  readonly label: string;
  readonly pack: { readonly file: string | null; readonly whose: PackFile['whose'] | null; readonly complete: boolean };
  readonly state: Screen['state'];
  readonly may_type: boolean;
  /** Why no text may be typed; null = it may. */
  readonly why_not: string | null;
  readonly rule: string;
  readonly words: string;
  readonly row: number | null;
  readonly busy: boolean;
  /** What becomes of text that is sent now; null = it is read at once, or nothing is known. */
  readonly sent_now: 'queues' | 'steers' | null;
  /** Seconds of the program's own clock. */
  readonly timer: number | null;
  readonly options: readonly Option[];
  readonly composer: { readonly from: number; readonly to: number; readonly draft: string } | null;
  readonly resets: string | null;
  readonly restless: readonly number[];
  readonly columns: number | null;
}

export function readingOf({ pack, source }: Judge, screen: Screen): Reading {
  const { state, mayType, rule, what, row, busy, timer, options, composer, resets, animated, columns } = screen;
  return {
    agent: pack.name,
    label: clean(pack.label),
    pack: { file: source?.file ?? null, whose: source?.whose ?? null, complete: pack.complete },
    state,
    may_type: mayType,
    why_not: whyNot(pack, screen),
    rule,
    words: clean(what),
    row,
    busy,
    timer,
    sent_now: busy ? (pack.enter_while_busy ?? null) : null,
    options: options.map(({ label, ...rest }) => ({ ...rest, label: clean(label) })),
    composer: composer && { ...composer, draft: clean(composer.draft, 'lines') },
    resets: resets && clean(resets),
    restless: [...new Set(animated)].sort((a, b) => a - b),
    columns,
  };
}

const BY_STATE: Partial<Record<Screen['state'], string>> = {
  blocked: 'a dialog waits for a person, and Enter would answer it',
  login: 'it asks who its person is',
  picker: 'a list or a viewer is open, and keys go there',
  limited: 'a usage limit ended its work',
  draft: 'a half-typed line stands there, and Enter would send it',
  busy_draft: 'a half-typed line stands there, and Enter would send it',
  gone: 'a shell stands where the agent was, and would run it',
};
const BY_RULE: Readonly<Record<string, string>> = {
  fullscreen: 'it draws on the alternate screen, and no pack knows where it takes text',
  box: 'a box is on its screen, and no pack knows what takes the keys',
  behind: 'no prompt stands before the cursor or words stand behind it, and no pack knows what takes the keys',
  choice: 'what it shows looks like a menu, or like a question',
  draft: 'words stand before the cursor',
};

const UNREAD: Readonly<Record<string, string>> = {
  'too-wide': 'a row of it is longer than any terminal is wide',
  'too-slow': 'the pack takes too long to read it',
};

const SENT_NOW = {
  queues: ', and what is sent waits until its turn is over',
  steers: ', and what is sent joins the turn that runs',
} as const;

/** null = it may. */
function whyNot({ complete, label }: Pack, { mayType, state, rule }: Screen): string | null {
  if (mayType) return null;
  const name = rule.slice(rule.indexOf('/') + 1);
  const known = UNREAD[name] ?? (complete ? undefined : BY_RULE[name]);
  return known ?? BY_STATE[state] ?? `no empty composer${complete ? ` of ${clean(label)}` : ''} is in sight`;
}

/** A label and its words for each line. */
export type Line = readonly [label: string, words: string];
const LABEL_WIDTH = 10;

/** On a terminal words wrap below their own beginning. */
export function linesOf(lines: readonly Line[]): string {
  const room = Math.max(MIN_WORDS, (terminal()?.columns ?? Infinity) - LABEL_WIDTH);
  return lines
    .flatMap(([label, words]) =>
      wrapped(words, room).map((row, at) => `${(at === 0 ? label : '').padEnd(LABEL_WIDTH)}${row}`.trimEnd()),
    )
    .join('\n');
}

const MIN_WORDS = 30;

function wrapped(words: string, room: number): string[] {
  const rows: string[] = [];
  for (let rest = words; ;) {
    const [row] = cutAt(rest, room);
    const seam = row === rest ? -1 : row.lastIndexOf(' ');
    const end = seam > 0 ? seam : row.length;
    rows.push(rest.slice(0, end));
    if (end >= rest.length || end === 0) return rows;
    rest = rest.slice(end).trimStart();
  }
}

/** The lines that both commands have. */
export function readingLines(reading: Reading): Line[] {
  const { state, may_type, sent_now, why_not, rule, words, row, options, composer, resets, timer } = reading;
  const clock = timer === null ? '' : `, its clock at ${timer} s`;
  const place = row === null ? '' : `, row ${row + 1}`;
  return [
    ['state', `${state}${clock}`],
    ['may type', may_type ? `yes${sent_now === null ? '' : SENT_NOW[sent_now]}` : `no: ${why_not ?? ''}`],
    ['rule', `${rule}${place}`],
    ...(row === null ? [] : [['words', words] as const]),
    ...optionLines(options),
    ['composer', composerText(composer)],
    ...(resets === null ? [] : [['resets', resets] as const]),
  ];
}

function optionLines(options: readonly Option[]): Line[] {
  return options.map(({ label, keys, chosen }, at) => [
    at === 0 ? 'options' : '',
    `${chosen ? '> ' : '  '}${label}  [${keys.length === 0 ? 'keys not known' : keys.join(' ')}]`,
  ]);
}

function composerText(composer: Reading['composer']): string {
  if (composer === null) return 'none in sight';
  const { from, to, draft } = composer;
  const rows = from === to ? `row ${from + 1}` : `rows ${from + 1} to ${to + 1}`;
  return `${rows}, ${draft === '' ? 'empty' : `holds ${JSON.stringify(draft)}`}`;
}

/** Whose pack it is, and where it stands. */
export const packText = ({ label, pack: { file, whose, complete } }: Reading): string =>
  `${label} (${whose ?? 'none'}${complete ? '' : ', knows no composer'}${whose === 'yours' ? `: ${file ?? ''}` : ''})`;
