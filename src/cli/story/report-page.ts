/** A report as sections, and these as a page for a terminal or as Markdown. Pure. */
import { clean } from '../../terminal/print.ts';
import { commandLines } from './asking.ts';

/** One thing of a section: what it is, what is known of it, a reason, and what to type. */
export interface Entry {
  readonly title: string;
  readonly facts?: readonly string[];
  readonly why?: string;
  readonly type?: readonly string[];
}

export interface Section {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

export interface ReportPage {
  /** What it is about, in a sentence. */
  readonly title: string;
  /** A line of counts for each part. */
  readonly summary: readonly string[];
  readonly sections: readonly Section[];
}

const BETWEEN = ' · ';
const INDENT = '  ';
const INNER = INDENT.repeat(3);

/** What is empty is left out. */
export function pageText({ title, summary, sections }: ReportPage): string {
  const blocks = sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ heading, entries }) => [heading, ...entries.flatMap(entryLines)].join('\n'));
  return [[title, ...summary].join('\n'), ...blocks].join('\n\n');
}

function entryLines({ title, facts = [], why = '', type = [] }: Entry): string[] {
  return [
    `${INDENT}${clean(title)}`,
    ...(facts.length === 0 ? [] : [`${INNER}${clean(facts.join(BETWEEN))}`]),
    ...(why === '' ? [] : [`${INNER}${clean(why)}`]),
    ...commandLines(type, INNER.length),
  ];
}

/** Where a mark of Markdown may begin. */
const MARKS = /[\\`*_{}[\]<>#|~&$]/g;
const escaped = (text: string): string => clean(text).replace(MARKS, '\\$&');

/** Between so many marks that none in the text ends it. */
function code(text: string): string {
  const runs = clean(text).match(/`+/g) ?? [];
  const mark = '`'.repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const space = runs.length === 0 ? '' : ' ';
  return `${mark}${space}${clean(text)}${space}${mark}`;
}

export function pageMarkdown({ title, summary, sections }: ReportPage): string {
  const blocks = sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ heading, entries }) => [`## ${escaped(heading)}`, '', ...entries.map(entryMarkdown)].join('\n'));
  return [`# ${escaped(title)}`, summary.map((line) => `- ${escaped(line)}`).join('\n'), ...blocks].join('\n\n');
}

function entryMarkdown({ title, facts = [], why = '', type = [] }: Entry): string {
  const head = facts.length + type.length === 0 && why === '' ? escaped(title) : `**${escaped(title)}**`;
  return [
    `- ${head}`,
    ...(facts.length === 0 ? [] : [`  - ${facts.map(escaped).join(' · ')}`]),
    ...(why === '' ? [] : [`  - ${escaped(why)}`]),
    ...(type.length === 0 ? [] : [`  - ${type.map(code).join(' · ')}`]),
  ].join('\n');
}
