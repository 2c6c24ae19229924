/**
 * What a pack knows of one agent's program: the schema of its TOML, and the pack that is made of it. A pack is data: people
 * override it or add one in `<root>/packs/`. Patterns are JavaScript regular expressions on a row without its colours.
 */
import { z } from 'zod';
import { patternOf } from './pattern.ts';
import { SCREEN_STATES } from './screen.ts';
import type { TimeLimit } from './time-limit.ts';

const pattern = z.string().transform((source, context) => {
  try {
    return patternOf(source);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});
const patterns = z
  .union([pattern, z.array(pattern)])
  .transform((some): readonly RegExp[] => (Array.isArray(some) ? some : [some]));
const none = (): readonly RegExp[] => [];
const rows = z.int().min(1).max(200);

/**
 * Where a program takes its input. With `bottom` it is the block of rows above the last row of that shape, else it begins at
 * the last row that shows the prompt and ends at a blank one.
 */
const composer = z.strictObject({
  /** The row above it. */
  top: pattern.optional(),
  /** The row below it. */
  bottom: pattern.optional(),
  /** What each of its rows looks like. */
  row: pattern.optional(),
  /** What its first row begins with, once `sides` are gone; no part of the draft. */
  prompt: pattern.optional(),
  /** Rows of the program's own that may stand between the row above it and its first one. */
  preface: pattern.optional(),
  /** What each further row of a draft begins with, where the program repeats a prompt; no part of the draft. */
  continued: pattern.optional(),
  /** Frames left and right of its words, which are no part of the draft. */
  sides: pattern.optional(),
  /** What its rows look like together, one a line. */
  block: pattern.optional(),
  /** So many last rows with words are the program's own. */
  status: z.int().min(0).max(5).default(0),
  /** The most rows it has. */
  rows: rows.default(30),
  /** The most rows with words below it: with more it is a quotation. */
  footer: z.int().min(0).max(40).default(8),
  /** What the rows with words below it look like, one a line: with others it is a quotation, or not ready. */
  below: pattern.optional(),
  /** What faint cells are: a suggestion of the program, or typed as others. From the cursor on they are a suggestion always. */
  faint: z.enum(['ghost', 'text']).default('ghost'),
  /** While it is empty it shows a suggestion: without one, blanks are typed. */
  suggests: z.boolean().default(false),
  /** So many rows it has while it is empty and suggests nothing. */
  blank_rows: rows.default(1),
  /** Drafts that are the program's own suggestion, where no colour tells it. A cursor that is known stands before them. */
  ghosts: patterns.default(none),
});
export type ComposerShape = z.output<typeof composer>;

const rule = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  state: z.enum(SCREEN_STATES).exclude(['idle', 'draft', 'busy_draft', 'unknown']),
  /**
   * live: the last rows of a screen without a composer · beside: the rows around a composer, or the last ones · above: what
   * stands above the composer, nearest first · within: its own rows · below: what stands below it · title
   */
  in: z.enum(['live', 'beside', 'above', 'within', 'below', 'title']).default('live'),
  /** So many rows with words are looked at. */
  rows: rows.default(15),
  /** Rows that are not counted. */
  skip: patterns.default(none),
  /** The region ends before the first such row: what stands above it is over. */
  until: patterns.default(none),
  /** One of these on one of the rows. */
  match: patterns,
  /** The whole region looks like this, its rows from the top, one a line. */
  block: patterns.default(none),
  /** Each of these on some row of the same region. */
  also: patterns.default(none),
  /** None of these on any row of the same region. */
  not: patterns.default(none),
  /** Counts only with a half-typed line. */
  typed: z.boolean().default(false),
  /** Counts only if no other rule does: work beside the conversation, which goes on in every state of the agent. */
  weak: z.boolean().default(false),
  /** Of a limit: counts also while the program is at work, since it tries again by itself. */
  while_busy: z.boolean().default(false),
  /** Options that no pointer tells, beside or below each other: group 1 is a label, and every match is one. */
  options: patterns.default(none),
  /** Group 1 is when a limit ends. */
  resets: patterns.default(none),
});
export type Rule = z.output<typeof rule>;

/** Lines of output that say that its work failed. They count even where its screen looks at rest. */
const errors = z.strictObject({ match: patterns.default(none), not: patterns.default(none) });

/** Columns at the right that are no part of the talk. */
const cut = z.strictObject({
  columns: z.int().min(1).max(200),
  /** Only in a terminal with more columns. */
  wider_than: z.int().min(0).default(0),
  /** Some row of the cut part shows this, else nothing is cut. */
  seen: patterns,
});

const variable = z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable');

/** What a daemon of this program gives its tools, which identifies their agent. */
const threads = z.strictObject({
  /** The variable that every tool has: its value names the thread that the tool works for. */
  name: variable,
  /** Variables that say which daemon an agent uses, the first that is set. */
  home: z.array(variable).min(1),
  /** The option of what a tool runs in that says in which folder its thread is at home. */
  dir: z.string().startsWith('-'),
  /** Options of an agent that say so of its own, where it is not its working folder. */
  agent_dir: z.array(z.string().startsWith('-')).default([]),
});

const processes = z.strictObject({
  /** What its program is called: its own name, the word it was called by, its file, its script, each without extension. */
  names: z.array(z.string()).default([]),
  /** Where the script stands that an interpreter runs. */
  scripts: patterns.default(none),
  /** The file that it runs. */
  files: patterns.default(none),
  /** Names of packages, where a launcher such as npx is still on its way. */
  packages: z.array(z.string()).default([]),
  /** Command lines of processes that serve several agents: members of no tree. Group 1 is what people call them. */
  daemons: patterns.default(none),
  /** Command lines of processes that only keep such a daemon going: spared too, but no work goes on in them. */
  keepers: patterns.default(none),
  /** Command lines of what an agent runs for itself below such a daemon. */
  tools: patterns.default(none),
  threads: threads.optional(),
});

/**
 * How its conversation is named at the first start, if it can be, and gone on with at the next ones (M-11). Which words of a command are a first
 * prompt is known only where each option says what it takes.
 */
const resume = z.strictObject({
  /** The first version that was tried: an older one, or one whose version its file does not tell, may refuse the words and end. */
  since: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** Words after the program at the first start: `{id}` is a uuid of the town's choice. Absent = its program chooses, and says which. */
  first: z.array(z.string()).min(1).optional(),
  /** Words after the program at each start that goes on with it: `{id}`, and `{why}`, a sentence to the agent. */
  again: z.array(z.string()).min(1),
  /** Options that take no word. */
  flags: z.array(z.string().startsWith('-')).default([]),
  /** Options that take the next word. */
  values: z.array(z.string().startsWith('-')).default([]),
  /** Options that take a first prompt. */
  prompts: z.array(z.string().startsWith('-')).default([]),
  /** Whether a word without an option is a first prompt; else it is the program's own, such as its folder. */
  prompt_is_bare: z.boolean().default(true),
  /** Options that take all words up to the next option. */
  lists: z.array(z.string().startsWith('-')).default([]),
  /** Options by which a command chooses its conversation itself, or has none: the town adds nothing to it. */
  own: z.array(z.string().startsWith('-')).default([]),
  /** Words that are no first prompt where they come first, but another command of the program: the town adds nothing to it. */
  commands: z.array(z.string()).default([]),
});
export type ResumeWords = z.output<typeof resume>;

/** How a start has its program serve its state and its questions: to a port behind a password of that life alone, or by hooks (M-2). */
const serve = z.strictObject({
  /** The first version that was tried. */
  since: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** Words after the program. */
  words: z.array(z.string().min(1)).min(1),
  /** Options by which a command chooses for itself: the town adds nothing to it. */
  own: z.array(z.string().startsWith('-')).default([]),
  /** Words that are another command of the program where one of them stands: the town adds nothing to it. */
  commands: z.array(z.string()).default([]),
  /** The variable that a program with a port takes its password from; it never serves without one. */
  password: z
    .string()
    .regex(/^[A-Z_]+$/)
    .optional(),
});

/** Signs with which some agent program begins a command, a shell line, a file to read or a memory. */
const COMMAND_SIGNS = ['/', '!', '@', '#', '$', '&', '?', ':', '%'];

export const PACK = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** What people call it. */
  label: z.string(),
  /** Its composer is known: text goes only where an empty one is seen. */
  complete: z.boolean(),
  /** What becomes of text that is sent while it works: it waits for the end of the turn, or joins the turn. */
  enter_while_busy: z.enum(['queues', 'steers']).optional(),
  /** What a line that the town types never begins with: signs and words that the program takes for a command of its own (law 11). */
  never_first: z.array(z.string().min(1)).default(COMMAND_SIGNS),
  /** How a long paste is shown in the composer, where it is not shown whole. */
  folded: patterns.default(none),
  processes,
  /** Absent = its conversation cannot be named by its start. */
  resume: resume.optional(),
  serve: serve.optional(),
  /** Titles that only this program gives its terminal. */
  titles: patterns.default(none),
  composer: z.array(composer).default([]),
  /** Rows of its status: group 1 is the percent of its context that is left, or used. */
  context_left: patterns.default(none),
  context_used: patterns.default(none),
  /** The rows down to one, one a line, end like this where a tool printed it: no rule that reads the talk counts there. */
  output: patterns.default(none),
  rule: z.array(rule).default([]),
  cut: z.array(cut).default([]),
  /** First rows of its dialogs that have no edge above them. What a dialog is about stands further right. */
  dialog: patterns.default(none),
  errors: errors.prefault({}),
  /** Rows among what is said that are decoration: tips, footers of a turn, what waits in a queue. */
  noise: patterns.default(none),
  /** Ends of rows that are decoration: clocks, hints at the right. */
  tails: patterns.default(none),
});

export interface Pack extends z.output<typeof PACK> {
  /** What it may take, where a person wrote it. */
  readonly limit?: TimeLimit;
}
